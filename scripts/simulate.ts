// The long run of the simulation: `npm run simulate -- --runs 1000000 --seed 1`. See docs/simulation.md.
import { type ChildProcess, fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve as resolvePath } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import * as ownClient from 'concordat/client';
import {
  examine,
  explore,
  formatCounterexample,
  formatTrace,
  formatViolations,
  type Subject,
  type Theme,
  themes,
} from '../test/simulation/index.js';

/** One worker's share: small, so that the line of progress moves. */
const batchSize = 500;

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

function toCount(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return value;
}

function toSeed(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value)) throw new InvalidArgumentError('It must be a whole number.');
  return value | 0;
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

/** The batches of a run only depend on its seed and length, not on how many processes share them. */
function toBatches({ runs, seed, theme, client }: Options): Batch[] {
  const count = Math.ceil(runs / batchSize);
  return Array.from({ length: count }, (_, index) => ({
    client,
    theme: theme[index % theme.length] as Theme,
    // fast-check's seeds are 32-bit integers. Runs of neighbouring seeds share no batch.
    seed: (Math.imul(seed, 0x9e3779b1) + index) | 0,
    runs: Math.min(batchSize, runs - index * batchSize),
  }));
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
  const progress = createProgress(options.runs, startedAt);
  const found = await shareOut(batches, options.jobs, progress.add);
  progress.end();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  if (found === undefined) {
    console.log(`${options.runs} schedules in ${seconds} s: every rule holds (seed ${options.seed}).`);
    return;
  }
  console.log(`\n${found}`);
  process.exitCode = 1;
}

/** Gives each process its next batch as soon as it has done the last. @returns the report of the first broken rule. */
function shareOut(batches: Batch[], jobs: number, add: (runs: number) => void): Promise<string | undefined> {
  const script = fileURLToPath(import.meta.url);
  const workers: ChildProcess[] = [];
  let next = 0;
  return new Promise((resolve, reject) => {
    const stop = (settle: () => void) => {
      for (const worker of workers) worker.kill();
      settle();
    };
    let working = 0;
    const give = (worker: ChildProcess) => {
      const batch = batches[next++];
      if (batch !== undefined) worker.send(batch);
      else if (--working === 0) stop(() => resolve(undefined));
    };
    for (let index = 0; index < Math.min(jobs, batches.length); index++) {
      const worker = fork(script, { env: { ...process.env, [workerVariable]: '1' } });
      workers.push(worker);
      working++;
      worker.on('message', ({ runs, report }: { runs: number; report?: string }) => {
        add(runs);
        if (report !== undefined) stop(() => resolve(report));
        else give(worker);
      });
      worker.on('exit', (code) => {
        if (code) stop(() => reject(new Error(`A process of the simulation ended with code ${code}.`)));
      });
      give(worker);
    }
  });
}

/** One line that is written over on a terminal, and now and then elsewhere. */
function createProgress(total: number, startedAt: number) {
  let done = 0;
  let told = startedAt;
  const isTerminal = process.stdout.isTTY;
  return {
    add(runs: number): void {
      done += runs;
      const now = performance.now();
      if (now - told < (isTerminal ? 500 : 30_000)) return;
      told = now;
      const leftMinutes = (((now - startedAt) / done) * (total - done)) / 60_000;
      const line = `${done} of ${total} schedules, about ${leftMinutes.toFixed(1)} minutes left`;
      process.stdout.write(isTerminal ? `\r${line}   ` : `${line}\n`);
    },
    end: () => void (isTerminal && process.stdout.write('\n')),
  };
}

const workerVariable = 'CONCORDAT_SIMULATION_WORKER';

function work(): void {
  process.on('message', async (batch: Batch) => {
    const found = await explore(await loadClient(batch.client), batch);
    process.send?.({ runs: batch.runs, ...(found === undefined ? {} : { report: formatCounterexample(found) }) });
  });
  // Without the parent there is nobody to work for.
  process.on('disconnect', () => process.exit());
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options.schedule !== undefined) return runOne(options.schedule, await loadClient(options.client));
  await runAll({ ...options, seed: options.seed ?? randomInt(2 ** 31) });
}

if (process.env[workerVariable] === '1') work();
else await main();
