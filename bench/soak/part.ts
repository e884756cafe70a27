import { setTimeout as pause } from 'node:timers/promises';
import type { Reading } from '../reading.js';
import { startWorker, type Worker } from '../worker.js';
import { Wire } from './wire.js';

/** One process of the loop, and the line to it. */
export class Part {
  readonly wire = new Wire();
  /** How it was when it had started last and nobody had asked it anything yet. */
  atRest: Reading | undefined;
  #worker: Worker | undefined;

  constructor(
    readonly name: string,
    /** The program, without the number that the name ends with. */
    readonly program = name.replace(/-\d$/, ''),
  ) {}

  #parameters: readonly string[] = [];

  async start(...parameters: readonly string[]): Promise<void> {
    this.#parameters = parameters;
    this.#worker = startWorker(this.program, parameters);
    this.atRest = await this.call<Reading>('read');
    const port = await this.call<number | undefined>('start');
    if (port !== undefined) this.wire.target = port;
  }

  /** Ends it with `kill -9`, and starts it again a moment later. */
  async kill(): Promise<void> {
    await this.#worker?.kill();
    await pause(300);
    await this.start(...this.#parameters);
  }

  /** @throws Error that names the part. */
  async call<Result>(command: string, input?: unknown): Promise<Result> {
    const late = new AbortController();
    const inTime = async () => {
      await pause(patienceMs, undefined, { signal: late.signal });
      throw new Error(`does not answer "${command}" within ${patienceMs / 1000} s`);
    };
    try {
      return await Promise.race([this.#worker!.call<Result>(command, input), inTime()]);
    } catch (error) {
      throw new Error(`${this.name}: ${(error as Error).message}`, { cause: error });
    } finally {
      late.abort();
    }
  }

  /** What is still open although nobody uses it any more; `undefined` when everything is closed. */
  async leftOpen(): Promise<string | undefined> {
    const most = (this.atRest?.descriptors ?? 0) + restSlack;
    for (let seconds = 0; ; seconds++) {
      const { sockets, descriptors } = await this.call<Reading>('read');
      if (sockets === 0 && descriptors <= most) return undefined;
      if (seconds === 60)
        return `${sockets} sockets and ${descriptors} descriptors are open at rest, of ${this.atRest?.descriptors} at the start`;
      await pause(1000);
    }
  }

  async stop(): Promise<void> {
    await this.#worker?.kill();
    this.wire.close();
  }
}

/** What is opened once and stays: the port it listens at, what Node loads later. */
const restSlack = 4;

/** Far beyond what a busy machine needs. */
const patienceMs = 180_000;
