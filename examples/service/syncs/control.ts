import type { RunTrigger } from './run.js';
import type { RunEnd } from './store/run-store.js';

/** Why a run begins. */
export interface Cause {
  readonly trigger: RunTrigger;
  readonly startedBy?: string | undefined;
}

/**
 * Starts and stops runs: by its schedule, and by those who ask on the page. A run that somebody stopped stays stopped, until
 * somebody starts one again or the service itself is started again.
 */
export class SyncControl {
  #current: { abort: AbortController; stoppedBy?: string } | undefined;
  #asked: string | undefined;
  #wake: () => void = () => {};
  #isHeld = false;
  #nextRunMs: number | null = null;

  get isRunning(): boolean {
    return this.#current !== undefined;
  }

  /** Whether somebody stopped the last run: none starts by itself. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** When the next run starts by itself. */
  get nextRunMs(): number | null {
    return this.#nextRunMs;
  }

  /** @returns `false` when a run is going on already */
  start(username: string): boolean {
    if (this.isRunning) return false;
    this.#asked ??= username;
    this.#wake();
    return true;
  }

  /** @returns `false` when there is nothing to stop */
  stop(username: string): boolean {
    if (this.#current === undefined || this.#current.stoppedBy !== undefined) return false;
    this.#current.stoppedBy = username;
    this.#isHeld = true;
    this.#current.abort.abort(new Error(`Stopped by ${username}`));
    return true;
  }

  /** A run begins. @returns the signal that ends it: the service's end, or somebody on the page */
  begin(service: AbortSignal): AbortSignal {
    const abort = new AbortController();
    this.#current = { abort };
    this.#isHeld = false;
    this.#asked = undefined;
    this.#nextRunMs = null;
    return AbortSignal.any([service, abort.signal]);
  }

  /** The run is over. @returns who stopped it, where somebody did */
  ended(): Pick<RunEnd, 'stoppedBy'> {
    const stoppedBy = this.#current?.stoppedBy;
    this.#current = undefined;
    return { stoppedBy };
  }

  /** Waits until the next run is due or asked for. @throws the signal's reason */
  async next(intervalMs: number, service: AbortSignal): Promise<Cause> {
    service.throwIfAborted();
    const { promise, resolve } = settle();
    const timer = this.#isHeld ? undefined : setTimeout(resolve, intervalMs);
    this.#nextRunMs = this.#isHeld ? null : Date.now() + intervalMs;
    this.#wake = resolve;
    service.addEventListener('abort', resolve);
    try {
      if (this.#asked === undefined) await promise;
    } finally {
      clearTimeout(timer);
      service.removeEventListener('abort', resolve);
      this.#wake = () => {};
      this.#nextRunMs = null;
    }
    service.throwIfAborted();
    return this.#asked === undefined ? { trigger: 'schedule' } : { trigger: 'user', startedBy: this.#asked };
  }
}

function settle(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settled) => {
    resolve = settled;
  });
  return { promise, resolve };
}
