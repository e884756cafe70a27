import { systemClock, within } from '../../internal/index.js';
import type { Context } from '../context.js';
import { type KeyRow, recordExpired, type StoredSecret } from '../store/index.js';
import type { ApiKeyStatus } from './types.js';

/** The times that decide a key's status, in epoch milliseconds. */
type Ends = Pick<StoredSecret, 'expiresOn' | 'expiredOn' | 'revokedOn'>;
type EndsOfKey = Ends & { readonly id: string };

export function endsOf({ id, expires_on, expired_on, revoked_on }: KeyRow): EndsOfKey {
  return { id, expiresOn: expires_on, expiredOn: expired_on, revokedOn: revoked_on };
}

/** The status at `nowMs`. A key is Expired from the very millisecond of its expiry; no job runs for that (rule K5). */
export function statusOf({ expiresOn, expiredOn, revokedOn }: Ends, nowMs: number): ApiKeyStatus {
  if (revokedOn !== null) return 'Revoked';
  return expiredOn !== null || nowMs >= expiresOn ? 'Expired' : 'Active';
}

/** A reader waits no longer for a write, in milliseconds: another program may be writing (rule K18). */
const mostWritingMs = 500;

/** Waits for a write before reading, but not long. A failed one is reported to `onError`. */
export async function writeBeforeReading({ onError }: Context, write: Promise<unknown>): Promise<void> {
  await within(mostWritingMs, 'The write', systemClock, write.catch(onError)).catch(() => {});
}

/**
 * Records which of these keys have expired, once for each. Call it before reporting their status: a key that was once
 * reported as Expired stays Expired when the clock is set back, and in processes whose clock is behind (rule K5). A
 * failed write is reported to `onError`; the next read repeats it.
 */
export async function recordExpiredKeys(context: Context, keys: readonly EndsOfKey[], nowMs: number): Promise<void> {
  const expired = keys.filter((key) => key.expiredOn === null && statusOf(key, nowMs) === 'Expired');
  if (expired.length === 0) return;
  const ids = expired.map(({ id }) => id);
  await writeBeforeReading(context, recordExpired(context.store, ids, nowMs));
}
