import {
  type Actor,
  type DirectoryUser,
  isApiKeyError,
  isEnabled,
  type Origin,
  type RefusalReason,
  type RequestLookups,
  toActor,
} from '../../api-keys/index.js';
import type { AdminContext, AuthenticationFailure } from '../context.js';
import { AdminHttpError, authenticationFailedError } from '../http/errors.js';
import { arrivedHeaders, authorizationOf } from '../http/request.js';
import { readBasic } from './basic-credentials.js';
import { checkPassword, findUnchanged, passwordHashOf, refuseWhenThrottled } from './check-password.js';

/** Who sent a request, as in the host's directory at this request (rule K11). */
export interface Caller {
  readonly user: DirectoryUser;
  readonly authenticatedBy: 'basic' | 'api-key';
  /** Of `context.clientAddress`. */
  readonly address: string;
  /** The public id of the presented key. */
  readonly apiKeyId?: string;
  /** For Basic: the stored hash that the password matched. */
  readonly passwordHash?: string | undefined;
  /** What this request has looked up. */
  readonly lookups: RequestLookups;
}

/** The key's value was right, so nobody is guessing: these refusals are not counted as failures. */
const notGuesses: readonly RefusalReason[] = ['revoked', 'expired', 'edition', 'owner'];

/**
 * Authenticates a request by API key, otherwise by Basic (rules K8, K9, K11, K14). A presented key decides: an invalid
 * one never falls through to Basic. A valid one is accepted whatever others at its source do.
 *
 * @throws AdminHttpError 401, always the same; 429 for a failed attempt after too many others from its source; 503 when
 *   too many passwords are being checked
 */
export async function authenticate(context: AdminContext, request: Request, env: unknown): Promise<Caller> {
  const address = context.clientAddress(request, env);
  const found = await identify(context, address, arrivedHeaders(request, env)).catch((error) => {
    if (error instanceof AdminHttpError) {
      context.authenticationFailed({ reason: error.status === 429 ? 'throttled' : 'busy' }, address);
    }
    throw error;
  });
  return orRefuse(context, found, address);
}

async function identify(
  context: AdminContext,
  source: string,
  headers: Headers | readonly string[],
): Promise<Caller | AuthenticationFailure> {
  const lookups = context.newLookups();
  const verification = await context.apiKeys.verify(headers, lookups, { address: source });
  if (verification.outcome === 'authenticated') {
    const { userId, apiKeyId } = verification;
    const user = await findOwner(context, lookups, userId);
    if (typeof user === 'string') return { reason: user, apiKeyId };
    return { user, authenticatedBy: 'api-key', address: source, apiKeyId, lookups };
  }
  if (verification.outcome === 'refused') {
    const { reason, apiKeyId } = verification;
    if (!notGuesses.includes(reason)) countGuess(context, source);
    return { reason, ...(apiKeyId !== undefined && { apiKeyId }) };
  }
  return await identifyByPassword(context, lookups, source, authorizationOf(headers));
}

/** @throws AdminHttpError 401 for a failure, which is reported */
function orRefuse(context: AdminContext, found: Caller | AuthenticationFailure, address: string): Caller {
  if ('user' in found) return found;
  context.authenticationFailed(found, address);
  throw authenticationFailedError();
}

/** @throws AdminHttpError 429 after too many failures; this attempt is then not counted, so that waiting helps */
function countGuess(context: AdminContext, source: string): void {
  refuseWhenThrottled(context, source);
  context.throttle.failed(source);
}

/** For use after a body, which may have been slow: credentials that were revoked meanwhile do nothing (rule K11). */
export async function authenticateAgain(context: AdminContext, caller: Caller): Promise<Caller> {
  return orRefuse(context, await lookAgain(context, caller), caller.address);
}

/** The caller looked up afresh, or why the key, or the password that was checked, no longer authenticates. */
export async function lookAgain(context: AdminContext, caller: Caller): Promise<Caller | AuthenticationFailure> {
  const lookups = context.newLookups();
  const { user: before, apiKeyId, passwordHash } = caller;
  if (apiKeyId === undefined) {
    const user = await findUnchanged(context, lookups, { id: before.id, passwordHash });
    return user === undefined ? { reason: 'password' } : { ...caller, user, lookups };
  }
  const isUsable = await context.apiKeys.isUsable(apiKeyId, lookups);
  const owner = await findOwner(context, lookups, before.id);
  if (typeof owner === 'string') return { reason: owner, apiKeyId };
  if (isUsable) return { ...caller, user: owner, lookups };
  return { reason: await whyUnusable(context, lookups, owner, apiKeyId), apiKeyId };
}

async function whyUnusable(
  { apiKeys }: AdminContext,
  lookups: RequestLookups,
  owner: DirectoryUser,
  apiKeyId: string,
): Promise<RefusalReason> {
  try {
    const { status } = await apiKeys.get(toActor(owner, { lookups }), apiKeyId);
    return status === 'Expired' ? 'expired' : 'revoked';
  } catch (error) {
    // The host has opened the API keys with another directory, where the owner is gone or disabled.
    if (isApiKeyError(error, 'forbidden')) return 'owner';
    throw error;
  }
}

/** The actor for calls on API keys: the caller, and never a field of the request (rule K16). */
export function actorOf({ user, authenticatedBy, apiKeyId, lookups }: Caller, origin: Origin): Actor {
  return toActor(user, { origin, authenticatedBy, apiKeyId, lookups });
}

/** `verify` has checked this, but the host may have opened the API keys with another edition or no directory. */
async function findOwner(
  context: AdminContext,
  lookups: RequestLookups,
  userId: string,
): Promise<DirectoryUser | 'edition' | 'owner'> {
  if (!(await context.isAvailable(lookups))) return 'edition';
  const user = await lookups.findUser(context.users, userId);
  return isEnabled(user) ? user : 'owner';
}

async function identifyByPassword(
  context: AdminContext,
  lookups: RequestLookups,
  source: string,
  authorization: string | undefined,
): Promise<Caller | AuthenticationFailure> {
  const credentials = readBasic(authorization);
  // A request without credentials guesses nothing.
  if (credentials === undefined) {
    const apiKeyId = keyValue.exec(authorization ?? '')?.[1];
    return apiKeyId === undefined ? { reason: 'missing' } : { reason: 'wrong-scheme', apiKeyId };
  }
  if (credentials === 'malformed') {
    countGuess(context, source);
    return { reason: 'malformed-basic' };
  }
  const user = await checkPassword(context, lookups, source, credentials);
  if (user === undefined) return { reason: 'password' };
  return { user, authenticatedBy: 'basic', address: source, passwordHash: passwordHashOf(user), lookups };
}

/** A key of any prefix, with its public id. */
const keyValue = /_([0-9A-Za-z]{12})_[0-9A-Za-z]{49}(?![0-9A-Za-z])/;
