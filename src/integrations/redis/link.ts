import type { Redis } from 'ioredis';

/** How often to retry while redis is connected but fails. */
const retryMs = 1000;

/**
 * Runs commands on redis with a timeout. After a failure further commands fail at once until redis is back, so that an outage
 * costs a caller the timeout only once.
 */
export class Link {
  readonly #redis: Redis;
  readonly #timeoutMs: number;
  readonly #listeners = new Set<(error: Error) => void>();
  readonly #onRedisError = () => {}; // commands report failures; without a listener ioredis prints them
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

  /** Called once per outage, and at once during one. */
  onOutage(listener: (error: Error) => void): () => void {
    this.#listeners.add(listener);
    if (this.#outage !== undefined) listener(this.#outage);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** @throws Error when redis is not available or too slow. */
  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    const failing = this.#outage !== undefined;
    const tooSoon = this.#redis.status !== 'ready' || performance.now() - this.#triedAt < retryMs;
    if (this.#closed || (failing && tooSoon)) throw this.#outage ?? new Error('This state is closed.');
    this.#triedAt = performance.now();
    try {
      // Waits for the connection, because ioredis would otherwise queue the command and run it too late.
      const result = await this.#inTime(this.#ready().then(() => command(this.#redis)));
      this.#outage = undefined;
      return result;
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  /** Redis is back: lets the next command through. */
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
      const late = () => reject(new Error(`no response within ${this.#timeoutMs} ms`));
      const timer = setTimeout(late, this.#timeoutMs);
      running.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  #failed(cause: unknown): void {
    if (this.#outage !== undefined || this.#closed) return;
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#outage = new Error(`redis: ${why}. Until it is back, this process uses a session and pauses of its own.`, {
      cause,
    });
    for (const listener of [...this.#listeners]) listener(this.#outage);
  }
}
