import type { Redis } from 'ioredis';
import { abortable, sleep, systemClock } from '../../internal/index.js';

/** How often a connection is tested, and how long after a failure the next one is opened. */
const testMs = 3000;
const retryMs = 500;
/** How long a test waits for its answer, at least: a Redis that is slow for once is not away. */
const patienceMs = 3000;

/** ioredis opens a connection; when and how often is decided here. */
const oneAttempt = { lazyConnect: true, retryStrategy: () => null, sentinelRetryStrategy: () => null };

export interface LineOptions {
  /** How long to wait for a new connection, and for each answer. */
  timeoutMs: number;
  /** Prepares a new connection. */
  open(redis: Redis): Promise<unknown>;
  /** Rejects if the connection is of no use any more. */
  test(redis: Redis): Promise<unknown>;
  /** Must not throw, like `onDown`. */
  onUp(): void;
  onDown(error: Error): void;
}

interface Connection {
  readonly redis: Redis;
  /** Aborted by whoever finds that it has failed. */
  readonly broken: AbortController;
}

/**
 * A connection to Redis that never stays broken (rule G11):
 *
 *     connecting ──▶ up ◀──▶ down
 *
 * One loop opens a connection, tests it every few seconds, and replaces it as soon as anything fails or gets no answer in
 * time. It never ends before `close()`, because a timer ends each of its waits.
 */
export class Line {
  readonly #template: Redis;
  readonly #options: LineOptions;
  readonly #closing = new AbortController();
  #latest: Connection | undefined;
  /** Pending only until the first attempt has ended; then rejected while the line is down. */
  #current: Promise<Connection>;

  /** @param template has the address and all options; it is not used itself. */
  constructor(template: Redis, options: LineOptions) {
    this.#template = template;
    this.#options = options;
    this.#current = this.#open();
    void this.#keep();
  }

  /** Runs a command, or fails: at once while the line is down, otherwise in time. */
  async run<T>(command: (redis: Redis) => Promise<T>, atLeastMs = 0): Promise<T> {
    const { redis, broken } = await this.#current;
    try {
      return await this.#inTime(command(redis), undefined, atLeastMs);
    } catch (error) {
      broken.abort(error);
      throw error;
    }
  }

  /** Tests the connection now. @throws (rejects) if it is down, or turns out to be. */
  test(): Promise<unknown> {
    return this.run(this.#options.test, patienceMs);
  }

  close(): void {
    const reason = new Error('This state is closed.');
    this.#closing.abort(reason);
    this.#latest?.broken.abort(reason);
  }

  async #keep(): Promise<void> {
    const { onUp, onDown } = this.#options;
    let attempt = this.#current;
    while (!this.#closing.signal.aborted) {
      try {
        const connection = await attempt;
        this.#current = attempt;
        onUp();
        await this.#watch(connection);
      } catch (error) {
        this.#current = Promise.reject(error);
        this.#current.catch(() => {});
        if (!this.#closing.signal.aborted) onDown(error as Error);
      }
      this.#latest?.redis.disconnect();
      await sleep(systemClock, retryMs, this.#closing.signal).catch(() => {});
      if (this.#closing.signal.aborted) return;
      attempt = this.#open();
    }
  }

  async #open(): Promise<Connection> {
    const redis = this.#template.duplicate(oneAttempt);
    const broken = new AbortController();
    redis.on('error', (error) => broken.abort(error));
    redis.on('close', () => broken.abort(new Error('the connection was closed')));
    this.#latest = { redis, broken };
    await this.#inTime(
      redis.connect().then(() => this.#options.open(redis)),
      broken.signal,
      0,
      // A Redis without TLS waits for the rest of what it takes for a command.
      () => (redis.options.tls && redis.status === 'connecting' ? 'TLS connection (has this port TLS?)' : 'response'),
    );
    return this.#latest;
  }

  /** @throws (rejects) as soon as the connection is broken. */
  async #watch({ redis, broken }: Connection): Promise<never> {
    for (;;) {
      await sleep(systemClock, testMs, broken.signal);
      await this.#inTime(this.#options.test(redis), broken.signal, patienceMs);
    }
  }

  #inTime<T>(running: Promise<T>, broken?: AbortSignal, atLeastMs = 0, what = () => 'response'): Promise<T> {
    const timeoutMs = Math.max(this.#options.timeoutMs, atLeastMs);
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`no ${what()} within ${timeoutMs} ms`));
      // An answer that has arrived counts, even if this process was too busy to read it: reading comes before `late`.
      const timer = setTimeout(() => setImmediate(late), timeoutMs);
      const settled = abortable(running, broken).then(resolve, reject);
      void settled.then(() => clearTimeout(timer));
    });
  }
}
