import { hasApiKeys } from '../access/edition.js';
import { isEnabled } from '../access/rights.js';
import type { Context } from '../context.js';
import { noteExpired } from '../keys/expired-keys.js';
import { isApiKeyId, parseKey } from '../keys/key-format.js';
import { statusOf } from '../keys/status.js';
import type { StoredSecret } from '../store/index.js';
import type { RefusalReason, RequestHeaders, Verification } from '../types.js';
import { readPresentedKey } from './presented-key.js';

/**
 * Checks what a request presents, against the database, the owner and the edition as they are now: nothing is cached
 * (rules K2, K8, K11, K12).
 */
export async function verifyHeaders(context: Context, headers: RequestHeaders): Promise<Verification> {
  const presented = readPresentedKey(headers);
  if (presented.kind === 'none') return { outcome: 'none' };
  if (presented.kind === 'refused') return { outcome: 'refused', reason: presented.reason };
  const parts = parseKey(presented.value);
  if (parts === undefined) return { outcome: 'refused', reason: 'malformed' };
  const { id: apiKeyId, secret } = parts;
  const stored = await context.store.lookUp(apiKeyId);
  const matches = context.hasher.matches(secret, stored);
  if (stored === undefined || !matches) return { outcome: 'refused', reason: 'unknown', apiKeyId };
  const nowMs = context.now();
  const reason = await refusalOf(context, apiKeyId, stored, nowMs);
  if (reason === undefined) {
    context.marks.used(apiKeyId, nowMs);
    return { outcome: 'authenticated', userId: stored.ownerId, apiKeyId };
  }
  // The secret was right: whoever holds it does not know yet that the key is over.
  if (reason === 'revoked' || reason === 'expired') context.marks.refused(apiKeyId, nowMs);
  return { outcome: 'refused', reason, apiKeyId };
}

/** Whether a key would authenticate now (rule K11). */
export async function isKeyUsable(context: Context, apiKeyId: string): Promise<boolean> {
  const stored = isApiKeyId(apiKeyId) ? await context.store.lookUp(apiKeyId) : undefined;
  return stored !== undefined && (await refusalOf(context, apiKeyId, stored, context.now())) === undefined;
}

async function refusalOf(
  context: Context,
  id: string,
  key: StoredSecret,
  nowMs: number,
): Promise<RefusalReason | undefined> {
  const status = statusOf(key, nowMs);
  if (status === 'Expired') await noteExpired(context, [{ id, ends: key }], nowMs);
  if (status !== 'Active') return status === 'Revoked' ? 'revoked' : 'expired';
  if (!(await hasApiKeys(context.edition))) return 'edition';
  if (context.users !== undefined && !isEnabled(await context.users.findById(key.ownerId))) return 'owner';
  return undefined;
}
