import { type Clock, dayMs, singleFlight, systemClock, type Timer, within } from '../../internal/index.js';
import { hasApiKeys } from '../access/edition.js';
import { isEnabled } from '../access/rights.js';
import type { Context } from '../context.js';
import { toApiKey } from '../keys/presentation.js';
import type { ApiKey } from '../keys/types.js';
import { claimWarning, type ExpiringRow, finishWarning, listExpiring } from '../store/index.js';

/** What `onExpiring` gets. */
export interface ExpiryWarning {
  /** Active, of an enabled user, and about to expire. */
  readonly apiKey: ApiKey;
  /** Which of `expiryWarningDays` has been reached. */
  readonly days: number;
}

const checkEveryMs = 3_600_000;
/** How long a process has for one warning before it goes on to the next key, and another one may give it. */
const claimMs = 600_000;
const rowsPerQuery = 1000;
const closeWithinMs = 5000;

/**
 * Calls the host's hook for keys that are about to expire, once for each key and threshold, whichever process gets to it
 * (rule K23). Checks at once and then every hour; what failed is repeated by the next check.
 *
 * @returns a function that begins no further warning, and waits a few seconds for the one that is being given
 */
export function startExpiryWarnings(
  context: Context,
  clock: Pick<Clock, 'setTimer'>,
  hook: (warning: ExpiryWarning) => unknown,
  warningDays: readonly number[],
): () => Promise<void> {
  const { edition, marks, newLookups, now, onError, store, users } = context;
  // Ascending: a key that has passed several gets one warning, the latest.
  const ascending = [...warningDays].sort((one, other) => one - other);
  let timer: Timer | undefined;
  let isClosed = false;

  const isOwnerEnabled = async (ownerId: string) =>
    users === undefined || isEnabled(await newLookups().findUser(users, ownerId));

  const warn = async ({
    id,
    owner_id,
    expires_on: expiresOn,
    warned_ms: warnedMs,
    warning_until: until,
  }: ExpiringRow) => {
    const nowMs = now();
    const days = ascending.find((threshold) => expiresOn - nowMs <= threshold * dayMs);
    if (days === undefined || days * dayMs >= warnedMs || until > nowMs) return;
    if (!(await isOwnerEnabled(owner_id).catch(onError))) return;
    const warning = { id, expiresOn, thresholdMs: days * dayMs };
    const unwritten = marks.view();
    const row = await claimWarning(store.kysely, warning, { nowMs, until: nowMs + claimMs });
    if (row === undefined) return;
    try {
      const given = async () => await hook({ apiKey: toApiKey(row, unwritten(id), nowMs), days });
      await within(claimMs, '`onExpiring`', clock, given(), { holdsProcess: false });
    } catch (error) {
      onError(error);
      return;
    }
    await finishWarning(store.kysely, warning);
  };

  const warnAll = async () => {
    if (isClosed || !hasApiKeys(await edition(newLookups()))) return;
    let after = { expiresOn: now(), id: '' };
    const until = after.expiresOn + (ascending.at(-1) ?? 0) * dayMs;
    for (;;) {
      const rows = await listExpiring(store.kysely, { after, until }, rowsPerQuery);
      for (const row of rows) {
        if (isClosed) return;
        await warn(row);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsPerQuery) return;
      after = { expiresOn: last.expires_on, id: last.id };
    }
  };

  const check = singleFlight(async (): Promise<void> => {
    await warnAll().catch(onError);
    if (isClosed) return;
    timer = clock.setTimer(checkEveryMs, () => void check());
    timer.hold(false);
  });

  void check();
  return async () => {
    isClosed = true;
    timer?.cancel();
    await within(closeWithinMs, 'The last warning', systemClock, check()).catch(() => {});
  };
}
