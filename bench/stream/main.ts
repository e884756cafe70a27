// What a megabyte costs the process that reads or sends it as a stream, beside undici. Started by bench/run.ts, see docs/performance.md.
import { parseArgs } from 'node:util';
import { describeLoad, describeMachine } from '../machine.js';
import { type Contender, printResults, takeTurns } from '../rounds.js';
import { round } from '../table.js';
import { startWorker, type Worker } from '../worker.js';
import { downloads, uploads } from './contenders.js';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const megabytes = values.quick ? 256 : 1024;
const rounds = values.quick ? 2 : 7;

console.log(`${describeMachine()}; ${new Date().toISOString()}\n${describeLoad()}`);
const server = startWorker('server');
const url = await server.call<string>('listen');
for (const [direction, contenders] of Object.entries({ downloads, uploads })) {
  const names = Object.keys(contenders);
  const workers = names.map((name) => startWorker('contender', [direction, name, url]));
  const grew = new Map<string, number>();
  const turns = names.map((name, index) => toContender(name, workers[index]!, grew));
  const results = await takeTurns(turns, rounds, 'undici.stream');
  printResults(`${direction}: ${rounds} rounds of ${megabytes} MiB each, in files of 64 MiB`, results, 'MiB');
  console.table(
    Object.fromEntries(names.map((name) => [name, { 'most MiB that memory grew by': round(grew.get(name) ?? 0) }])),
  );
  await Promise.all(workers.map((worker) => worker.stop()));
}
await server.stop();

function toContender(name: string, worker: Worker, grew: Map<string, number>): Contender {
  return {
    name,
    async run() {
      const result = await worker.call<{ operations: number; wallMs: number; cpuMs: number; grewBytes: number }>(
        'run',
        {
          megabytes,
        },
      );
      grew.set(name, Math.max(grew.get(name) ?? 0, result.grewBytes / 1024 / 1024));
      return result;
    },
  };
}
