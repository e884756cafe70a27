import type { ApiKeyStatus } from './types.js';

/** The state at `nowMs`. At the instant of expiry a key is Expired; nothing has to run for that (rule K5). */
export function statusOf(key: { expiresOn: number; revokedOn: number | null }, nowMs: number): ApiKeyStatus {
  if (key.revokedOn !== null) return 'Revoked';
  return nowMs >= key.expiresOn ? 'Expired' : 'Active';
}
