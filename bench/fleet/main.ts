// What a fleet of processes costs on a virtual clock: refused requests, unused quota, logins, commands, waits.
//
//   node --import tsx bench/run.ts fleet [--quick] [--into docs]
//
// `--into` writes the tables into that folder's scale.md, and the chart.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { writeFigures } from '../figures.js';
import { drawFleet, type Line } from './chart.js';
import type { LimitModel } from './connector.js';
import type { Sharing } from './fleet-state.js';
import { type FleetFigures, type FleetOptions, runFleet } from './run-fleet.js';

const { quick, into } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, into: { type: 'string' } },
}).values;
const minute: LimitModel = { kind: 'fixed', limit: 100, windowMs: 60_000, wholeSeconds: true, rival: 0 };

/** Up to so many processes run the real client; more of them its gate, lanes and quotas without HTTP and logins. */
const mostReal = 16;

const sharings: readonly (readonly [Sharing, string])[] = [
  ['none', 'nothing'],
  ['pause', 'session and pause'],
  ['quota', 'and quota'],
];
const sizes = quick ? [1, 4, 16, 256] : [1, 4, 16, 256, 10_000];

function run(options: Pick<FleetOptions, 'workers'> & Partial<FleetOptions>): Promise<FleetFigures> {
  const { workers } = options;
  const callers = workers > mostReal ? 2 : 50;
  const windows = quick ? 6 : 20;
  return runFleet({
    ...{ callers, sharing: 'quota', model: minute, windows, seed: 1, real: workers <= mostReal },
    ...options,
  });
}

const round = (value: number | undefined, digits: number) => (value === undefined ? '' : value.toFixed(digits));

function row(name: string, workers: number, figures: FleetFigures): string {
  const { refused, unused, logins, commands, pauses, longestWait } = figures;
  const cells = [round(refused, 2), `${round(100 * unused, 1)} %`, round(logins, 2), round(commands + pauses, 2)];
  return `| ${[name, workers.toLocaleString('en'), ...cells, round(longestWait, 2)].join(' | ')} |`;
}

const head = (name: string) =>
  `\n| ${name} | processes | refused a window | unused | logins an expiry | commands a request | longest wait |\n|---|---|---|---|---|---|---|`;

const lines: string[] = [];
const say = (line: string) => {
  console.log(line);
  lines.push(line);
};

say('A connector that allows 100 requests in a fixed window of 60 s and tells waits in whole seconds:');
say(head('shared'));
const curves: Line[] = [];
for (const [sharing, name] of sharings) {
  const points: [number, number][] = [];
  for (const workers of sizes) {
    const figures = await run({ workers, sharing });
    points.push([workers, figures.refused]);
    say(row(name, workers, figures));
  }
  curves.push({ name, points });
}

const kinds: readonly (readonly [string, Partial<LimitModel>])[] = [
  ['windows by the clock', { kind: 'aligned' }],
  ['windows of 10 s', { windowMs: 10_000 }],
  ['windows that slide', { kind: 'sliding', wholeSeconds: false }],
  ['a rival takes half', { kind: 'aligned', rival: 0.5 }],
];
say('\nSession, pause and quota shared, other limits:');
say(head('limit'));
for (const [name, model] of kinds) {
  for (const workers of [4, 16, 256]) {
    say(row(name, workers, await run({ workers, model: { ...minute, ...model } })));
  }
}

if (into !== undefined) {
  writeFileSync(path.join(into, 'images/fleet.svg'), drawFleet(curves));
  writeFigures(path.join(into, 'scale.md'), 'npm run bench:fleet', lines.join('\n').replace(/^\n/, ''));
}
