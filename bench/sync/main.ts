// How close to the quota a synchronization gets, and how often it is refused. Started by bench/run.ts, see
// docs/performance.md.
import { parseArgs } from 'node:util';
import { describeLoad, describeMachine } from '../machine.js';
import { round } from '../table.js';
import { startWorker } from '../worker.js';
import type { Outcome } from './contender.js';
import { contenders, isTold } from './contenders.js';
import type { Quota } from './quota.js';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    figures: { type: 'string', default: 'virtual,real' },
    only: { type: 'string', default: '' },
  },
});
const figures = new Set(values.figures.split(','));
const concurrency = 50;
const limit = 100;
const names = Object.keys(contenders).filter((name) => new RegExp(values.only).test(name));

console.log(`${describeMachine()}; ${new Date().toISOString()}\n${describeLoad()}`);
if (figures.has('virtual')) {
  for (const windows of ['grid', 'first'] as const) {
    await benchVirtual({ limit, windowMs: 60_000, windows }, values.quick ? 1000 : 10_000);
  }
}
if (figures.has('real')) await benchReal({ limit, windowMs: 1000, windows: 'grid' }, values.quick ? 1000 : 10_000);

/** Each in a process of its own whose clock jumps from timer to timer. */
async function benchVirtual(quota: Quota, count: number): Promise<void> {
  const rows: Record<string, object> = {};
  for (const name of names) {
    const worker = startWorker('contender', [name]);
    rows[name] = describe(await worker.call<Outcome>('run', { quota, count, concurrency }), quota, count);
    await worker.stop();
  }
  print(`Virtual time, ${describeQuota(quota)}, ${count} requests, ${concurrency} at once`, rows);
}

/** All at the same time, each with a quota of its own: they mostly wait. */
async function benchReal(quota: Quota, count: number): Promise<void> {
  const server = startWorker('server');
  const url = await server.call<string>('listen');
  const rows: Record<string, object> = {};
  await Promise.all(
    names.map(async (name, index) => {
      const worker = startWorker('contender', [name]);
      const segment = `c${index}`;
      await server.call('open', { name: segment, quota, announces: isTold(name) });
      const outcome = await worker.call<Outcome>('run', { quota, count, concurrency, url: `${url}/${segment}` });
      rows[name] = describe({ ...outcome, tally: await server.call('tally', segment) }, quota, count);
      await worker.stop();
    }),
  );
  print(
    `Real time over sockets, ${describeQuota(quota)}, ${count} requests, ${concurrency} at once`,
    Object.fromEntries(names.map((name) => [name, rows[name] ?? {}])),
  );
  await server.stop();
}

/** Ideal is when every window is used up: the last one needs no waiting. A start in the middle of one is no gain. */
function describe({ wallMs, cpuMs, tally }: Outcome, { limit, windowMs }: Quota, count: number): object {
  const windows = count / limit;
  return {
    'time, s': round(wallMs / 1000),
    'time / ideal': Number((wallMs / ((windows - 1) * windowMs)).toFixed(4)),
    'refused per window': round((tally?.refused ?? Number.NaN) / (windows - 1)),
    accepted: tally?.accepted,
    'CPU, s': round(cpuMs / 1000),
  };
}

function describeQuota({ limit, windowMs, windows }: Quota): string {
  const begin = windows === 'grid' ? 'by the clock' : 'from the first request';
  return `${limit} requests in windows of ${windowMs / 1000} s ${begin}`;
}

function print(title: string, rows: Record<string, object>): void {
  console.log(`\n${title}`);
  console.table(rows);
}
