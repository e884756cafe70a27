import type { ApiKey } from '../../../api-keys/index.js';
import { dayMs } from '../../../internal/index.js';

export const expiryWarningDays = 14;

/** Active keys that expire by this time get a warning. */
export function expiryWarningEndMs(nowMs: number): number {
  return nowMs + expiryWarningDays * dayMs;
}

/** Whether an Active key expires so soon that its user should act. */
export function expiresSoon(apiKey: ApiKey, nowMs: number): boolean {
  return apiKey.status === 'Active' && Date.parse(apiKey.expiresOn) <= expiryWarningEndMs(nowMs);
}

/** Whether something still uses a key that has expired or been revoked. */
export function isUsedInVain(apiKey: ApiKey): boolean {
  return apiKey.status !== 'Active' && apiKey.refusedUses > 0;
}
