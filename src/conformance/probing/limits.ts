import { parseWait } from '../../contract/index.js';
import { sleep, systemClock } from '../../internal/index.js';
import type { Settings } from '../options.js';
import type { Exchange, ReceivedResponse } from './exchange.js';

/** The case cannot be judged because something fails that another case judges. */
export class CannotCheck extends Error {
  constructor(why: string) {
    super(`could not be checked: ${why}`);
  }
}

/** There is nothing that the case could check. */
export class NothingToCheck extends CannotCheck {}

/** For a promise whose result is `undefined` where it cannot be checked. */
export function ignoreCannotCheck(error: unknown): undefined {
  if (!(error instanceof CannotCheck)) throw error;
}

/** Calls a function of the probes. @throws CannotCheck when it fails: the other cases can still be judged. */
export async function callProbe(name: string, call: () => unknown): Promise<void> {
  try {
    await call();
  } catch (error) {
    throw new CannotCheck(`\`probes.${name}\` failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Added to every wait, because the connector's clock may be a little behind. */
const clockToleranceMs = 10;

export type Completed = Exchange & { readonly response: ReceivedResponse };

export function hasResponse(seen: Exchange): seen is Completed {
  return seen.response !== undefined;
}

/** Recognizes rate limits as the service does, and waits until the last of them has ended. */
export class Limits {
  #pausedUntil = 0;

  constructor(readonly settings: Pick<Settings, 'rateLimit' | 'maxWaitMs'>) {}

  /** Reads the wait from a response as the service would. */
  waitOf({ response, startedAt }: Completed) {
    const { header, format } = this.settings.rateLimit;
    return parseWait(response.headers.get(header), {
      format,
      now: startedAt,
      date: response.headers.get('date'),
      age: response.headers.get('age'),
    });
  }

  /** Holds further requests back for this long. */
  pause(waitMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + waitMs);
  }

  /** Whether the service treats a response as a rate limit (rules W2, W3). */
  isLimit({ response }: Completed): boolean {
    const { status, headers } = response;
    return status === 429 || ((status === 403 || status === 503) && headers.has(this.settings.rateLimit.header));
  }

  /** Waits for the end of the pause. @throws CannotCheck when that takes longer than `maxWaitMs`. */
  async waitOut(): Promise<void> {
    const waitMs = this.#pausedUntil - performance.now();
    if (waitMs <= 0) return;
    if (waitMs > this.settings.maxWaitMs) throw this.tooLong(waitMs);
    await sleep(systemClock, waitMs + clockToleranceMs);
  }

  /** The reason of a wait that is not waited for. */
  tooLong(waitMs: number): CannotCheck {
    const { maxWaitMs } = this.settings;
    return new CannotCheck(
      `the rate limit lasts ${Math.ceil(waitMs / 1000)} s, longer than \`maxWaitMs\` (${maxWaitMs} ms)`,
    );
  }
}
