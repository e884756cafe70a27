import type { Context } from '../context.js';
import { type KeyRow, recordExpired } from '../store/index.js';
import type { ApiKeyStatus } from './types.js';

/** The times that decide a key's status, in epoch milliseconds. */
export interface Ends {
  readonly expiresOn: number;
  /** When a response first reported the key as Expired. */
  readonly expiredOn: number | null;
  readonly revokedOn: number | null;
}

export function endsOf(row: KeyRow): Ends {
  return { expiresOn: row.expires_on, expiredOn: row.expired_on, revokedOn: row.revoked_on };
}

/** The status at `nowMs`. A key is Expired from the very millisecond of its expiry; no job runs for that (rule K5). */
export function statusOf({ expiresOn, expiredOn, revokedOn }: Ends, nowMs: number): ApiKeyStatus {
  if (revokedOn !== null) return 'Revoked';
  return expiredOn !== null || nowMs >= expiresOn ? 'Expired' : 'Active';
}

/**
 * Records which of these keys have expired, once for each. Call it before reporting their status: a key that was once
 * reported as Expired stays Expired when the clock is set back, and in processes whose clock is behind (rule K5). A
 * failed write is reported to `onError`; the next read repeats it.
 */
export async function recordExpiredKeys(
  { store, onError }: Context,
  keys: readonly { readonly id: string; readonly ends: Ends }[],
  nowMs: number,
): Promise<void> {
  const expired = keys.filter(({ ends }) => ends.expiredOn === null && statusOf(ends, nowMs) === 'Expired');
  if (expired.length === 0) return;
  try {
    await recordExpired(
      store,
      expired.map(({ id }) => id),
      nowMs,
    );
  } catch (error) {
    onError(error);
  }
}
