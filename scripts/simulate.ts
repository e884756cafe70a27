// The long run of the simulation: `npm run simulate -- --runs 1000000 --seed 1`. See docs/proofs.md.
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve as resolvePath } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Command, Option } from 'commander';
import * as ownClient from 'concordat/client';
import {
  examine,
  explore,
  formatCounterexample,
  formatTrace,
  formatViolations,
  isCrowd,
  type Subject,
  type Theme,
  themes,
} from '../test/simulation/index.js';
import { createProgress, isWorker, seedOf, shareOut, toCount, toSeed, workOnBatches } from './share-out.js';

/** One worker's share: small, so that the line of progress moves. A schedule with a crowd is as long as ten or twenty others. */
const batchSize = (theme: Theme) => (isCrowd(theme) ? 100 : 500);

interface Batch {
  /** File of the client to test; this project's source when it is missing. */
  client: string | undefined;
  theme: Theme;
  seed: number;
  runs: number;
}

interface Options {
  runs: number;
  seed: number;
  jobs: number;
  theme: Theme[];
  client?: string;
  schedule?: string;
}

function readOptions(): Options {
  return new Command('npm run simulate --')
    .description(
      'Runs random schedules of calls, limits, logins and faults on a virtual clock until one breaks a rule.',
    )
    .option('--runs <number>', 'how many schedules', toCount, 100_000)
    .option('--seed <number>', 'where the random numbers start (default: another one each time)', toSeed)
    .option('--jobs <number>', 'how many processes', toCount, availableParallelism())
    .addOption(
      new Option('--theme <names...>', 'what the schedules dwell on').choices([...themes]).default([...themes]),
    )
    .option('--client <file>', 'another client to test: a module that exports createConnectorClient')
    .option('--schedule <file>', 'runs the one schedule of this JSON file and shows everything that happens')
    .parse()
    .opts<Options>();
}

/** The themes take turns. The batches of a run only depend on its seed and length, not on how many processes share them. */
function toBatches({ runs, seed, theme: chosen, client }: Options): Batch[] {
  const batches: Batch[] = [];
  for (let left = runs; left > 0; ) {
    const index = batches.length;
    const theme = chosen[index % chosen.length] as Theme;
    const size = Math.min(batchSize(theme), left);
    batches.push({ client, theme, seed: seedOf(seed, index), runs: size });
    left -= size;
  }
  return batches;
}

async function loadClient(file: string | undefined): Promise<Subject> {
  return file === undefined ? ownClient : ((await import(pathToFileURL(resolvePath(file)).href)) as Subject);
}

async function runOne(file: string, client: Subject): Promise<void> {
  const { trace, violations } = await examine(JSON.parse(readFileSync(file, 'utf8')), client);
  console.log(formatTrace(trace));
  console.log(violations.length === 0 ? '\nEvery rule holds.' : `\n${formatViolations(violations)}`);
  if (violations.length > 0) process.exitCode = 1;
}

async function runAll(options: Options): Promise<void> {
  const batches = toBatches(options);
  console.log(`${options.runs} schedules, seed ${options.seed}, ${Math.min(options.jobs, batches.length)} processes`);
  const startedAt = performance.now();
  const progress = createProgress(options.runs, 'schedules', startedAt);
  const found = await shareOut({
    script: fileURLToPath(import.meta.url),
    batches,
    jobs: options.jobs,
    onDone: ({ runs }) => progress.add(runs),
  });
  progress.end();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  if (found === undefined) {
    console.log(`${options.runs} schedules in ${seconds} s: every rule holds (seed ${options.seed}).`);
    return;
  }
  console.log(`\n${found}`);
  process.exitCode = 1;
}

async function perform(batch: Batch) {
  const found = await explore(await loadClient(batch.client), batch);
  return { runs: batch.runs, ...(found && { report: formatCounterexample(found) }) };
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options.schedule !== undefined) return runOne(options.schedule, await loadClient(options.client));
  await runAll({ ...options, seed: options.seed ?? randomInt(2 ** 31) });
}

if (isWorker) workOnBatches(perform);
else await main();
