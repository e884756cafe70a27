import type { KeyRow } from '../store/index.js';
import type { ApiKeyStatus } from '../types.js';

/** What a key's state is told by. */
export interface Ends {
  readonly expiresOn: number;
  /** When somebody was first told that it is Expired. */
  readonly expiredOn: number | null;
  readonly revokedOn: number | null;
}

export function endsOf(row: KeyRow): Ends {
  return { expiresOn: row.expires_on, expiredOn: row.expired_on, revokedOn: row.revoked_on };
}

/** The state at `nowMs`. At the instant of expiry a key is Expired; nothing has to run for that (rule K5). */
export function statusOf({ expiresOn, expiredOn, revokedOn }: Ends, nowMs: number): ApiKeyStatus {
  if (revokedOn !== null) return 'Revoked';
  return expiredOn !== null || nowMs >= expiresOn ? 'Expired' : 'Active';
}
