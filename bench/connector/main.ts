// What an error response costs a connector, beside other ways to write it. Started by bench/run.ts, see
// docs/performance.md.
import { parseArgs } from 'node:util';
import { describeLoad, describeMachine } from '../machine.js';
import { type Contender, printResults, type Round, takeTurns } from '../rounds.js';
import { startWorker } from '../worker.js';
import { contenders } from './contenders.js';

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
const count = values.quick ? 2000 : 20_000;
const rounds = values.quick ? 2 : 9;
const connections = 50;

console.log(`${describeMachine()}; ${new Date().toISOString()}\n${describeLoad()}`);
const load = startWorker('load');
const names = Object.keys(contenders).filter((name) => new RegExp(values.only).test(name));
const workers = names.map((name) => startWorker('contender', [name]));
const turns: Contender[] = [];
for (const [index, name] of names.entries()) {
  const worker = workers[index]!;
  const port = await worker.call<number>('listen');
  const run = async (): Promise<Round> => {
    await worker.call('start');
    const wallMs = await load.call<number>('run', { port, count, connections });
    return { operations: count, wallMs, cpuMs: await worker.call<number>('cpuMs') };
  };
  turns.push({ name, run });
}
const results = await takeTurns(turns, rounds, 'node:http that throws');
printResults(
  `A thrown "not found", ${connections} connections, ${rounds} rounds of ${count} requests each`,
  results,
  'response',
);
await Promise.all([load, ...workers].map((worker) => worker.stop()));
