import { checkNames, isObject } from '../../internal/index.js';
import { hasApiKeys } from '../access/edition.js';
import type { RequestLookups } from '../access/request-lookups.js';
import { isEnabled } from '../access/rights.js';
import type { Context } from '../context.js';
import { isApiKeyId, parseKey } from '../keys/key-format.js';
import { recordExpiredKeys, statusOf } from '../keys/status.js';
import type { StoredSecret } from '../store/index.js';
import { readPresentedKey } from './presented-key.js';
import { useOf } from './recent-uses.js';
import type { RefusalReason, RequestHeaders, RequestSource, Verification } from './types.js';

/** Checks the presented key, its owner and the edition, anew at every request (rules K2, K8, K11, K12). */
export async function verifyHeaders(
  context: Context,
  headers: RequestHeaders,
  lookups = context.newLookups(),
  from: RequestSource = {},
): Promise<Verification> {
  if (typeof lookups?.findUser !== 'function') {
    throw new TypeError('`lookups` must be a RequestLookups; where the request comes from is the third argument.');
  }
  checkSource(from);
  const { value, refusal } = readPresentedKey(headers);
  if (refusal !== undefined) return { outcome: 'refused', reason: refusal };
  if (value === undefined) return { outcome: 'none' };
  const parts = parseKey(value);
  if (parts === undefined) return { outcome: 'refused', reason: 'malformed' };
  const { id: apiKeyId, secret } = parts;
  const stored = await context.store.lookUp(apiKeyId);
  const matches = context.hasher.matches(secret, stored);
  if (stored === undefined || !matches) return { outcome: 'refused', reason: 'unknown', apiKeyId };
  const nowMs = context.now();
  const reason = await refusalOf(context, lookups, { id: apiKeyId, stored, nowMs });
  if (reason === undefined) {
    context.marks.used(apiKeyId, useOf(headers, from.address, nowMs));
    return { outcome: 'authenticated', userId: stored.ownerId, apiKeyId };
  }
  // The value was right: its holder does not know yet that the key has ended.
  if (reason === 'revoked' || reason === 'expired') context.marks.refused(apiKeyId, nowMs);
  return { outcome: 'refused', reason, apiKeyId };
}

/** @throws TypeError for an address that is not in an object, or misspelt: it would be lost */
function checkSource(from: RequestSource): void {
  const isSource =
    isObject(from) && !('findUser' in from) && ['string', 'undefined'].includes(typeof (from.address ?? undefined));
  if (!isSource) {
    throw new TypeError('`from` must be an object such as `{ address: request.socket.remoteAddress }`.');
  }
  // Other facts about a connection, such as its port, may stand beside it.
  if (!('address' in from)) checkNames(['address'], from, 'from');
}

/** Whether a key would authenticate now (rule K11). */
export async function isKeyUsable(
  context: Context,
  apiKeyId: string,
  lookups = context.newLookups(),
): Promise<boolean> {
  const stored = isApiKeyId(apiKeyId) ? await context.store.lookUp(apiKeyId) : undefined;
  if (stored === undefined) return false;
  return (await refusalOf(context, lookups, { id: apiKeyId, stored, nowMs: context.now() })) === undefined;
}

async function refusalOf(
  context: Context,
  lookups: RequestLookups,
  { id, stored, nowMs }: { id: string; stored: StoredSecret; nowMs: number },
): Promise<RefusalReason | undefined> {
  const status = statusOf(stored, nowMs);
  if (status === 'Expired') await recordExpiredKeys(context, [{ id, ...stored }], nowMs);
  if (status !== 'Active') return status === 'Revoked' ? 'revoked' : 'expired';
  if (!hasApiKeys(await context.edition(lookups))) return 'edition';
  if (context.users === undefined) return undefined;
  return isEnabled(await lookups.findUser(context.users, stored.ownerId)) ? undefined : 'owner';
}
