// Shared by the long runs: batches of work for one process per processor, and a progress line.
import { type ChildProcess, fork } from 'node:child_process';
import { InvalidArgumentError } from 'commander';

export interface Result {
  /** How many runs the batch was. */
  readonly runs: number;
  /** What was found; ends all. */
  readonly report?: string;
}

interface Work<Batch, Done extends Result> {
  /** The module that calls {@link workOnBatches} in its processes. */
  readonly script: string;
  readonly batches: readonly Batch[];
  readonly jobs: number;
  /** Arguments for Node, beside those of this process. */
  readonly nodeArguments?: readonly string[];
  /** Told of every batch that is done, with the number of the process that did it. */
  onDone(done: Done, worker: number): void;
}

const workerVariable = 'CONCORDAT_WORKER';

/** Whether this process works on batches for another one. */
export const isWorker = process.env[workerVariable] === '1';

/** Gives each process its next batch as soon as it has done the last. @returns the first report, if there is one. */
export function shareOut<Batch, Done extends Result>(work: Work<Batch, Done>): Promise<string | undefined> {
  const { script, batches, jobs, nodeArguments = [], onDone } = work;
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
      if (batch !== undefined) worker.send(batch as object);
      else if (--working === 0) stop(() => resolve(undefined));
    };
    for (let index = 0; index < Math.min(jobs, batches.length); index++) {
      const execArgv = [...process.execArgv, ...nodeArguments];
      const worker = fork(script, { env: { ...process.env, [workerVariable]: '1' }, execArgv });
      workers.push(worker);
      working++;
      worker.on('message', (done: Done) => {
        onDone(done, index);
        if (done.report !== undefined) stop(() => resolve(done.report));
        else give(worker);
      });
      worker.on('exit', (code) => {
        if (code) stop(() => reject(new Error(`A process of the run ended with code ${code}.`)));
      });
      give(worker);
    }
  });
}

/** In a process that {@link shareOut} has started: does batch after batch until there are no more. */
export function workOnBatches<Batch>(perform: (batch: Batch) => Promise<Result>): void {
  process.on('message', async (batch: Batch) => process.send?.(await perform(batch)));
  // Ends with its parent.
  process.on('disconnect', () => process.exit());
}

/** One line that is written over on a terminal, and now and then elsewhere. */
export function createProgress(total: number, what: string, startedAt: number) {
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
      const line = `${done} of ${total} ${what}, about ${leftMinutes.toFixed(1)} minutes left`;
      process.stdout.write(isTerminal ? `\r${line}   ` : `${line}\n`);
    },
    end: () => void (isTerminal && process.stdout.write('\n')),
  };
}

/** The seeds of batches: they only depend on the run's, and runs of neighboring seeds share no batch. */
export function seedOf(seed: number, batch: number): number {
  // fast-check's seeds are 32-bit integers.
  return (Math.imul(seed, 0x9e3779b1) + batch) | 0;
}

export function toCount(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return value;
}

export function toSeed(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value)) throw new InvalidArgumentError('It must be a whole number.');
  return value | 0;
}
