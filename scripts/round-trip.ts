// The long run of random bodies: `npm run round-trip -- --runs 1000000 --seed 1`. See docs/data.md.
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { roundTrips } from '../test/round-trip/round-trip.js';
import { createProgress, isWorker, seedOf, shareOut, toCount, toSeed, workOnBatches } from './share-out.js';

/** One worker's share. */
const batchSize = 1000;

interface Batch {
  readonly seed: number;
  readonly runs: number;
}

interface Done {
  readonly runs: number;
  readonly report?: string;
}

async function perform({ seed, runs }: Batch): Promise<Done> {
  const finding = await roundTrips({ seed, runs });
  return finding === undefined ? { runs } : { runs, report: finding };
}

async function main(): Promise<void> {
  const { runs, jobs, seed, again } = new Command('npm run round-trip --')
    .description('Sends random bodies through a client and a socket: bytes, charsets, lengths, chunks, compressions.')
    .option('--runs <number>', 'how many bodies', toCount, 1_000_000)
    .option('--seed <number>', 'where the random numbers start', toSeed, randomInt(2 ** 31))
    .option('--jobs <number>', 'how many processes', toCount, availableParallelism())
    .option('--again <seed>', 'sends the body of a finding again', toSeed)
    .parse()
    .opts<{ runs: number; jobs: number; seed: number; again?: number }>();
  if (again !== undefined) {
    const { report } = await perform({ seed: again, runs: 1 });
    console.log(report ?? 'It arrives as it was sent.');
    process.exitCode = report === undefined ? 0 : 1;
    return;
  }
  console.log(`${runs} bodies; seed ${seed}`);
  const batches = Array.from({ length: Math.ceil(runs / batchSize) }, (_, index) => ({
    seed: seedOf(seed, index * batchSize),
    runs: Math.min(batchSize, runs - index * batchSize),
  }));
  const progress = createProgress(runs, 'bodies', performance.now());
  const found = await shareOut<Batch, Done>({
    script: fileURLToPath(import.meta.url),
    jobs,
    batches,
    onDone: (done) => progress.add(done.runs),
  });
  progress.end();
  console.log(found ?? 'All arrived as they were sent.');
  process.exitCode = found === undefined ? 0 : 1;
}

if (isWorker) workOnBatches(perform);
else await main();
