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
/** The chart shows all of them. */
const sizesInTable: readonly number[] = [1, 16, 10_000];

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
  `\n| ${name} | processes | refused per window | unused | logins per expiry | commands per request | longest wait |\n|---|---|---|---|---|---|---|`;

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
    if (sizesInTable.includes(workers)) say(row(name, workers, figures));
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
  say(row(name, 256, await run({ workers: 256, model: { ...minute, ...model } })));
}

const usual = (random: number) => 20 + 20 * random;
const none = () => 0;
const late: readonly (readonly [string, NonNullable<FleetOptions['busy']>])[] = [
  ['every response takes 0.6 to 0.8 s', { latencyMs: (random) => 600 + 200 * random, lateMs: none, stateMs: () => 1 }],
  [
    'some responses take up to 1.5 s',
    { latencyMs: (random) => 20 + 1480 * random ** 8, lateMs: none, stateMs: () => 1 },
  ],
  ['timers are late by up to 1.5 s', { latencyMs: usual, lateMs: (random) => 1500 * random ** 4, stateMs: () => 1 }],
  ['the state takes up to 2 s each way', { latencyMs: usual, lateMs: none, stateMs: (random) => 2000 * random ** 4 }],
];
say(
  '\nWhen everything is late: 20 requests in 1.5 s, two and eight real clients with 40 callers each, two seeds each:',
);
say(
  '\n| late | refused per window, pause shared | quota shared | unused, pause shared | quota shared |\n|---|---|---|---|---|',
);
for (const [name, busy] of late) {
  const model: LimitModel = { ...minute, limit: 20, windowMs: 1500, wholeSeconds: false };
  const measure = async (sharing: Sharing) => {
    const runs: FleetFigures[] = [];
    for (const workers of [2, 8]) {
      for (const seed of [1, 2]) {
        const shape = { callers: 40, windows: quick ? 15 : 30, countFrom: 5, real: true } as const;
        runs.push(await runFleet({ ...shape, workers, seed, sharing, model, busy }));
      }
    }
    return runs;
  };
  const [pause, quota] = [await measure('pause'), await measure('quota')];
  const range = (runs: FleetFigures[], of: (figures: FleetFigures) => number, digits: number) => {
    const values = runs.map(of).sort((one, other) => one - other);
    return `${values[0]!.toFixed(digits)} to ${values.at(-1)!.toFixed(digits)}`;
  };
  const refused = [pause, quota].map((runs) => range(runs, (figures) => figures.refused, 1));
  const unused = [pause, quota].map((runs) => `${range(runs, (figures) => 100 * figures.unused, 0)} %`);
  say(`| ${[name, ...refused, ...unused].join(' | ')} |`);
}

if (into !== undefined) {
  writeFileSync(path.join(into, 'images/fleet.svg'), drawFleet(curves));
  writeFigures(path.join(into, 'scale.md'), 'npm run bench:fleet', lines.join('\n').replace(/^\n/, ''));
}
