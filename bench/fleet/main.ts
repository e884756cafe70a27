// What a fleet of processes costs on a virtual clock: refused requests, unused quota, logins, commands, waits.
//
//   node --import tsx bench/run.ts fleet [--quick]
import type { LimitModel } from './connector.js';
import type { Sharing } from './fleet-state.js';
import { type FleetFigures, type FleetOptions, runFleet } from './run-fleet.js';

const quick = process.argv.includes('--quick');
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

console.log('A connector that allows 100 requests in a fixed window of 60 s and tells waits in whole seconds:');
console.log(head('shared'));
for (const [sharing, name] of sharings) {
  for (const workers of sizes) console.log(row(name, workers, await run({ workers, sharing })));
}

const kinds: readonly (readonly [string, Partial<LimitModel>])[] = [
  ['windows by the clock', { kind: 'aligned' }],
  ['windows of 10 s', { windowMs: 10_000 }],
  ['windows that slide', { kind: 'sliding', wholeSeconds: false }],
  ['a rival takes half', { kind: 'aligned', rival: 0.5 }],
];
console.log('\nSession, pause and quota shared, other limits:');
console.log(head('limit'));
for (const [name, model] of kinds) {
  for (const workers of [4, 16, 256]) {
    console.log(row(name, workers, await run({ workers, model: { ...minute, ...model } })));
  }
}
