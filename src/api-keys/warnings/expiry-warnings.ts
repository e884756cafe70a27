import { type Clock, singleFlight, sleep, systemClock, type Timer } from '../../internal/index.js';
import { hasApiKeys } from '../access/edition.js';
import type { Context } from '../context.js';
import { toApiKey } from '../keys/presentation.js';
import type { ApiKey } from '../keys/types.js';
import { claimWarning, type ExpiringRow, finishWarning, listExpiring } from '../store/index.js';

/** What `onExpiring` gets. */
export interface ExpiryWarning {
  /** Active, and about to expire. */
  readonly apiKey: ApiKey;
  /** Which of `expiryWarningDays` has been reached. */
  readonly days: number;
}

const dayMs = 86_400_000;
const checkEveryMs = 3_600_000;
/** How long a process has for one warning before it goes on to the next key, and another one may give it. */
const claimMs = 600_000;
const rowsPerQuery = 1000;
const closeWithinMs = 5000;

/**
 * Calls the host's hook for keys that are about to expire, once for each key and threshold, whichever process gets to it
 * (rule K23). Checks at once and then every hour; what failed is repeated by the next check.
 */
export class ExpiryWarnings {
  #timer: Timer | undefined;
  #closed = false;
  readonly #context: Context;
  readonly #clock: Pick<Clock, 'setTimer'>;
  readonly #hook: (warning: ExpiryWarning) => unknown;
  /** Ascending: a key that has passed several gets one warning, the latest. */
  readonly #days: readonly number[];

  constructor(
    context: Context,
    clock: Pick<Clock, 'setTimer'>,
    hook: (warning: ExpiryWarning) => unknown,
    days: readonly number[],
  ) {
    this.#context = context;
    this.#clock = clock;
    this.#hook = hook;
    this.#days = [...days].sort((one, other) => one - other);
  }

  check = singleFlight(async (): Promise<void> => {
    try {
      await this.#warnAll();
    } catch (error) {
      this.#context.onError(error);
    }
    if (this.#closed) return;
    this.#timer = this.#clock.setTimer(checkEveryMs, () => void this.check());
    this.#timer.hold(false);
  });

  /** Begins no further warning; waits a few seconds for the one that is being given. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    const given = new AbortController();
    await Promise.race([
      this.check().finally(() => given.abort()),
      sleep(systemClock, closeWithinMs, given.signal).catch(() => {}),
    ]);
  }

  async #warnAll(): Promise<void> {
    const { edition, newLookups, now, store } = this.#context;
    if (this.#closed || !hasApiKeys(await newLookups().findEdition(edition))) return;
    let after = { expiresOn: now(), id: '' };
    const until = after.expiresOn + (this.#days.at(-1) ?? 0) * dayMs;
    for (;;) {
      const rows = await listExpiring(store.kysely, { after, until }, rowsPerQuery);
      for (const row of rows) {
        if (this.#closed) return;
        await this.#warn(row);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsPerQuery) return;
      after = { expiresOn: last.expires_on, id: last.id };
    }
  }

  async #warn({ id, expires_on: expiresOn, warned_ms: warnedMs, warning_until: until }: ExpiringRow): Promise<void> {
    const { marks, now, onError, store } = this.#context;
    const nowMs = now();
    const days = this.#days.find((threshold) => expiresOn - nowMs <= threshold * dayMs);
    if (days === undefined || days * dayMs >= warnedMs || until > nowMs) return;
    const warning = { id, expiresOn, thresholdMs: days * dayMs };
    const unwritten = marks.view();
    const row = await claimWarning(store.kysely, warning, { nowMs, until: nowMs + claimMs });
    if (row === undefined) return;
    let timer: Timer | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = this.#clock.setTimer(claimMs, () => reject(new Error(`\`onExpiring\` took longer than ${claimMs} ms.`)));
      timer.hold(false);
    });
    try {
      await Promise.race([this.#hook({ apiKey: toApiKey(row, unwritten(id), nowMs), days }), late]);
    } catch (error) {
      onError(error);
      return;
    } finally {
      timer?.cancel();
    }
    await finishWarning(store.kysely, warning);
  }
}
