import type { Redis } from 'ioredis';

/** While redis fails although it is connected, it is tried again this often. */
const retryMs = 1000;

/**
 * The way to redis. Every command is bounded in time; once one has failed, the next ones fail at once until redis is back, so that
 * an outage costs a caller its time-out once and not at every step.
 */
export class Link {
  readonly #redis: Redis;
  readonly #timeoutMs: number;
  readonly #listeners = new Set<(error: Error) => void>();
  readonly #onRedisError = () => {}; // the commands tell; without a listener ioredis prints
  #outage: Error | undefined;
  #triedAt = 0;
  #closed = false;

  constructor(redis: Redis, timeoutMs: number) {
    this.#redis = redis;
    this.#timeoutMs = timeoutMs;
    redis.on('error', this.#onRedisError);
  }

  get up(): boolean {
    return this.#outage === undefined;
  }

  /** Called once an outage, and at once for one that is on. */
  onOutage(listener: (error: Error) => void): () => void {
    this.#listeners.add(listener);
    if (this.#outage !== undefined) listener(this.#outage);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** @throws Error when redis cannot do it now. */
  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    const failing = this.#outage !== undefined;
    const tooSoon = this.#redis.status !== 'ready' || performance.now() - this.#triedAt < retryMs;
    if (this.#closed || (failing && tooSoon)) throw this.#outage ?? new Error('This state is closed.');
    this.#triedAt = performance.now();
    try {
      // Commands that wait in a queue would be done when nobody wants them any more.
      const answer = await this.#inTime(this.#ready().then(() => command(this.#redis)));
      this.#outage = undefined;
      return answer;
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  /** Redis has been seen alive: the next command is tried. */
  revive(): void {
    this.#triedAt = Number.NEGATIVE_INFINITY;
  }

  close(): void {
    this.#closed = true;
    this.#redis.off('error', this.#onRedisError);
  }

  #ready(): Promise<void> {
    const redis = this.#redis;
    if (redis.status === 'ready') return Promise.resolve();
    if (redis.status === 'wait') redis.connect().catch(() => {});
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        redis.off('ready', onReady);
        reject(new Error(`not connected within ${this.#timeoutMs} ms`));
      }, this.#timeoutMs);
      const onReady = () => {
        clearTimeout(timer);
        resolve();
      };
      redis.once('ready', onReady);
    });
  }

  #inTime<T>(running: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`no answer within ${this.#timeoutMs} ms`));
      const timer = setTimeout(late, this.#timeoutMs);
      running.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  #failed(cause: unknown): void {
    if (this.#outage !== undefined || this.#closed) return;
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#outage = new Error(`redis: ${why}. This process goes on with a session and pauses of its own.`, { cause });
    for (const listener of [...this.#listeners]) listener(this.#outage);
  }
}
