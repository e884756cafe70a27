// The long fuzz run: `npm run fuzz -- --runs 200000 --seed 1`. See docs/proofs.md.
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import { Command, Option } from 'commander';
import { type FuzzTarget, formatFinding, fuzz, targets } from '../test/fuzz/index.js';
import { createProgress, isWorker, seedOf, shareOut, toCount, toSeed, workOnBatches } from './share-out.js';

/** One worker's share, on a reader of its own. */
const batchSize = 1000;

interface Batch {
  readonly reader: string;
  readonly seed: number;
  readonly runs: number;
}

interface Done {
  readonly reader: string;
  readonly runs: number;
  readonly slowestMs: number;
  /** What is left on the heap when the batch is over and everything of it collected. */
  readonly heapBytes: number;
  readonly report?: string;
}

interface Options {
  readonly runs: number;
  readonly seed?: number;
  readonly jobs: number;
  readonly reader: string[];
  /** The seed of one batch, and how many of its cases. */
  readonly again?: [seed: number, runs: number];
}

const names = targets.map(({ name }) => name);

function readOptions(): Options {
  return new Command('npm run fuzz --')
    .description('Gives random and almost right input to everything that reads what strangers send.')
    .option('--runs <number>', 'how many cases for each reader', toCount, 200_000)
    .option('--seed <number>', 'where the random numbers start (default: another one each time)', toSeed)
    .option('--jobs <number>', 'how many processes', toCount, availableParallelism())
    .addOption(new Option('--reader <names...>', 'only these').choices(names).default(names))
    .option('--again <seed:number>', 'shows a finding again, of the one reader that is named', toBatch)
    .parse()
    .opts<Options>();
}

function toBatch(text: string): [number, number] {
  const [seed = '', runs = ''] = text.split(':');
  return [toSeed(seed), toCount(runs)];
}

/** The batches of a run only depend on its seed and length, not on how many processes share them. */
function toBatches(reader: string, runs: number, seed: number): Batch[] {
  return Array.from({ length: Math.ceil(runs / batchSize) }, (_, index) => ({
    reader,
    seed: seedOf(seed, index),
    runs: Math.min(batchSize, runs - index * batchSize),
  }));
}

async function perform({ reader, seed, runs }: Batch): Promise<Done> {
  const target = targets.find(({ name }) => name === reader) as FuzzTarget;
  const { cases, slowestMs, finding } = await fuzz(target, { runs, seed });
  const report = finding && { report: formatFinding(finding) };
  return { reader, runs: cases, slowestMs, heapBytes: await heapBytes(), ...report };
}

async function heapBytes(): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

/** What a reader has kept: the heap of each process after its first batches and after its last ones. */
class Levels {
  readonly #levels = new Map<number, number[]>();
  cases = 0;
  slowestMs = 0;

  add({ runs, slowestMs, heapBytes: bytes }: Done, worker: number): void {
    this.cases += runs;
    this.slowestMs = Math.max(this.slowestMs, slowestMs);
    this.#levels.set(worker, [...(this.#levels.get(worker) ?? []), bytes]);
  }

  /** The least of a few batches each, since what is compiled and cached comes and goes. */
  get heap(): { firstBytes: number; lastBytes: number } {
    const least = (take: (levels: number[]) => number[]) =>
      Math.max(...[...this.#levels.values()].map((levels) => Math.min(...take(levels))));
    return { firstBytes: least((levels) => levels.slice(0, 5)), lastBytes: least((levels) => levels.slice(-5)) };
  }
}

/** Compiled code and caches grow for a while; what is kept of every case is more than this after some thousands. */
const mostGrowthBytes = 16 * 1024 * 1024;

async function main(): Promise<void> {
  const { runs, jobs, reader, again, seed = randomInt(2 ** 31) } = readOptions();
  const script = fileURLToPath(import.meta.url);
  if (again !== undefined) {
    const { report } = await perform({ reader: reader[0] as string, seed: again[0], runs: again[1] });
    console.log(report ?? 'Nothing breaks a rule.');
    if (report !== undefined) process.exitCode = 1;
    return;
  }
  console.log(`${runs} cases for each of ${reader.join(', ')}; seed ${seed}`);
  const progress = createProgress(runs * reader.length, 'cases', performance.now());
  const table = new Table({ head: ['reader', 'cases', 'seconds', 'slowest case', 'heap first', 'heap last', ''] });
  for (const name of reader) {
    const startedAt = performance.now();
    const levels = new Levels();
    const found = await shareOut<Batch, Done>({
      ...{ script, jobs, batches: toBatches(name, runs, seed), nodeArguments: ['--expose-gc'] },
      onDone(done, worker) {
        progress.add(done.runs);
        levels.add(done, worker);
      },
    });
    const { firstBytes, lastBytes } = levels.heap;
    const grown = lastBytes - firstBytes > mostGrowthBytes;
    const verdict = found !== undefined ? 'breaks a rule' : grown ? 'keeps what it has read' : 'breaks no rule';
    if (verdict !== 'breaks no rule') process.exitCode = 1;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    const slowest = `${levels.slowestMs.toFixed(0)} ms`;
    table.push([name, levels.cases, seconds, slowest, mebibytes(firstBytes), mebibytes(lastBytes), verdict]);
    if (found !== undefined) console.log(`\n${found}\n`);
  }
  progress.end();
  console.log(table.toString());
}

const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

if (isWorker) workOnBatches(perform);
else await main();
