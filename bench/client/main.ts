// What a request costs the client's process, beside other clients. Started by bench/run.ts, see docs/performance.md.
import { parseArgs } from 'node:util';
import { describeLoad, describeMachine } from '../machine.js';
import { printResults, takeTurns, workerContender } from '../rounds.js';
import { startWorker } from '../worker.js';
import { contenders } from './contenders.js';
import { benchParked } from './parked.js';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    figures: { type: 'string', default: 'request,flat,parked' },
    only: { type: 'string', default: '' },
  },
});
const figures = new Set(values.figures.split(','));
const count = values.quick ? 2000 : 20_000;
const rounds = values.quick ? 2 : 9;
const against = 'undici.request + body.json()';
/** What costs many times as much needs fewer requests to be measured as well; with all of them a run would take half an hour. */
const fewer: Readonly<Record<string, number>> = {
  fetch: 4,
  got: 4,
  axios: 4,
  ky: 4,
  '@octokit/core, throttling + retry': 10,
};

console.log(`${describeMachine()}; ${new Date().toISOString()}`);
const server = startWorker('server');
const url = await server.call<string>('listen');
if (figures.has('request')) for (const concurrency of [50, 500]) await benchRequests(concurrency);
if (figures.has('flat')) await benchFlat();
if (figures.has('parked')) await benchParked(server, url, values.quick ? 10_000 : 100_000);
await server.stop();

async function benchRequests(concurrency: number): Promise<void> {
  const names = Object.keys(contenders).filter((name) => new RegExp(values.only).test(name));
  const workers = names.map((name) => startWorker('contender', [name, url, String(concurrency)]));
  const turns = names.map((name, index) =>
    workerContender(name, workers[index]!, { count: countOf(name), concurrency }),
  );
  console.log(`\n${describeLoad()}`);
  const results = await takeTurns(turns, rounds, against);
  const counts = `${rounds} rounds of ${count} requests of 1 KB each (fetch, got, axios, ky: ${countOf('got')}; octokit: ${countOf('@octokit/core, throttling + retry')})`;
  printResults(`${concurrency} at once, ${counts}`, results, 'request');
  await Promise.all(workers.map((worker) => worker.stop()));
}

function countOf(name: string): number {
  return count / (fewer[name] ?? 1);
}

/** One client with its default of 64 in flight, asked by more and more callers at once. */
async function benchFlat(): Promise<void> {
  const worker = startWorker('contender', ['concordat client.get', url, '64']);
  const turns = [1, 10, 100, 1000, 10_000].map((concurrency) =>
    workerContender(`${concurrency} callers`, worker, { count: Math.max(count, 2 * concurrency), concurrency }),
  );
  printResults(
    'concordat client.get, 64 in flight, by callers at once',
    await takeTurns(turns, rounds, '100 callers'),
    'request',
  );
  await worker.stop();
}
