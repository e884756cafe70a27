import type { Actor, DirectoryUser, Origin, RefusalReason } from '../../api-keys/index.js';
import type { AdminContext, AuthenticationFailure } from '../context.js';
import { AdminHttpError, authenticationFailedError } from '../http/errors.js';
import { arrivedHeaders, authorizationOf } from '../http/node-request.js';
import { readBasic } from './basic-credentials.js';
import { checkPassword, findUnchanged, refuseWhenThrottled } from './check-password.js';

/** Who sent a request, as the host's directory knows them at this moment. */
export interface Principal {
  readonly user: DirectoryUser;
  readonly authenticatedBy: 'basic' | 'api-key';
  /** The public id of the key that was presented. */
  readonly apiKeyId?: string;
  /** Of Basic: the stored hash that the password was right for. */
  readonly passwordHash?: string | undefined;
}

/** The right key was presented, only too late: that is no guessing, so it slows nobody down. */
const noGuess: readonly RefusalReason[] = ['revoked', 'expired', 'edition', 'owner'];

/**
 * Authenticates a request by API key, else by Basic (rules K8, K9, K11, K14). A presented key decides: a bad one never
 * falls through to Basic. A good one is served whatever others at its source do.
 *
 * @throws AdminHttpError 401, always the same; for a failed attempt 429 when the source has failed too often; 503 when too
 *   many passwords are being checked
 */
export async function authenticate(context: AdminContext, request: Request, env: unknown): Promise<Principal> {
  const source = context.clientAddress(request, env);
  try {
    const headers = arrivedHeaders(request, env);
    const verification = await context.apiKeys.verify(headers);
    if (verification.outcome === 'authenticated') return await ownerOf(context, verification);
    if (verification.outcome === 'refused') {
      if (!noGuess.includes(verification.reason)) countGuess(context, source);
      throw new Refusal(verification);
    }
    return await authenticateBasic(context, source, authorizationOf(headers));
  } catch (error) {
    if (error instanceof Refusal) {
      context.authenticationFailed(error.failure);
      throw authenticationFailedError();
    }
    if (error instanceof AdminHttpError) {
      context.authenticationFailed({ reason: error.status === 429 ? 'throttled' : 'busy' });
    }
    throw error;
  }
}

/** @throws AdminHttpError 429 when the source has guessed too often; the guess is then not counted, so that waiting helps */
function countGuess(context: AdminContext, source: string): void {
  refuseWhenThrottled(context, source);
  context.throttle.failed(source);
}

/**
 * Asks once more, after a body that may have been long on its way: what was revoked meanwhile acts no more (rule K11).
 *
 * @throws AdminHttpError 401
 */
export async function requireStillGood(context: AdminContext, principal: Principal): Promise<void> {
  if (await isStillGood(context, principal)) return;
  const { apiKeyId } = principal;
  context.authenticationFailed(apiKeyId === undefined ? { reason: 'password' } : { reason: 'revoked', apiKeyId });
  throw authenticationFailedError();
}

/** Whether the credentials would still authenticate: the key, or the user with the password that was checked. */
export async function isStillGood(context: AdminContext, principal: Principal): Promise<boolean> {
  const { user, apiKeyId, passwordHash } = principal;
  if (apiKeyId === undefined) return (await findUnchanged(context, user.id, passwordHash)) !== undefined;
  const owner = (await context.users.findById(user.id)) ?? undefined;
  if (owner === undefined || owner.enabled === false || !(await context.isAvailable())) return false;
  return await context.apiKeys.isUsable(apiKeyId);
}

/** The actor for calls on API keys: the principal, and never a field of the request (rule K16). */
export function actorOf({ user, authenticatedBy, apiKeyId }: Principal, origin: Origin): Actor {
  return {
    userId: user.id,
    username: user.username,
    origin,
    authenticatedBy,
    apiKeyId,
    // Count only where the host opened the API keys without its directory.
    superAdmin: user.superAdmin,
    permissions: user.permissions,
  };
}

/** Looked up here as well: the host may have opened the API keys without its directory, or with another edition. */
async function ownerOf(
  context: AdminContext,
  { userId, apiKeyId }: { userId: string; apiKeyId: string },
): Promise<Principal> {
  if (!(await context.isAvailable())) throw new Refusal({ reason: 'edition', apiKeyId });
  const user = (await context.users.findById(userId)) ?? undefined;
  if (user === undefined || user.enabled === false) throw new Refusal({ reason: 'owner', apiKeyId });
  return { user, authenticatedBy: 'api-key', apiKeyId };
}

async function authenticateBasic(
  context: AdminContext,
  source: string,
  authorization: string | undefined,
): Promise<Principal> {
  const credentials = readBasic(authorization);
  // Without any credentials nothing was guessed.
  if (credentials === undefined) throw new Refusal({ reason: 'missing' });
  if (credentials === 'malformed') {
    countGuess(context, source);
    throw new Refusal({ reason: 'malformed-basic' });
  }
  const user = await checkPassword(context, source, credentials);
  if (user === undefined) throw new Refusal({ reason: 'password' });
  return { user, authenticatedBy: 'basic', passwordHash: user.passwordHash };
}

class Refusal extends Error {
  readonly failure: AuthenticationFailure;

  constructor({ reason, apiKeyId }: AuthenticationFailure) {
    super(reason);
    this.failure = { reason, ...(apiKeyId !== undefined && { apiKeyId }) };
  }
}
