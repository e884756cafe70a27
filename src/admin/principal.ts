import type { Actor, DirectoryUser, Origin, RefusalReason } from '../api-keys/index.js';
import { readBasic } from './basic-credentials.js';
import type { AdminContext, AuthenticationFailure } from './context.js';
import { checkPassword, refuseWhenThrottled } from './credentials.js';
import { AdminHttpError, authenticationFailedError } from './http-errors.js';
import { arrivedHeaders, authorizationOf } from './node-request.js';

/** Who sent a request, as the host's directory knows them at this moment. */
export interface Principal {
  readonly user: DirectoryUser;
  readonly authenticatedBy: 'basic' | 'api-key';
  /** The public id of the key that was presented. */
  readonly apiKeyId?: string;
}

/** The right key was presented, only too late: that is no guessing, so it slows nobody down. */
const noGuess: readonly RefusalReason[] = ['revoked', 'expired', 'edition', 'owner'];

/**
 * Authenticates a request by API key, else by Basic (rules K8, K9, K11, K14). A presented key decides: a bad one never
 * falls through to Basic.
 *
 * @throws AdminHttpError 401, always the same; 429 when the source has failed too often
 */
export async function authenticate(context: AdminContext, request: Request, env: unknown): Promise<Principal> {
  const source = context.clientAddress(request, env);
  try {
    refuseWhenThrottled(context, source);
    const headers = arrivedHeaders(request, env);
    const verification = await context.apiKeys.verify(headers);
    if (verification.outcome === 'authenticated') return await ownerOf(context, verification);
    if (verification.outcome === 'refused') {
      if (!noGuess.includes(verification.reason)) context.throttle.failed(source);
      throw new Refusal(verification);
    }
    return await authenticateBasic(context, source, authorizationOf(headers));
  } catch (error) {
    if (error instanceof Refusal) {
      context.authenticationFailed(error.failure);
      throw authenticationFailedError();
    }
    if (error instanceof AdminHttpError && error.status === 429) context.authenticationFailed({ reason: 'throttled' });
    throw error;
  }
}

/**
 * Asks once more, after a body that may have been long on its way: what was revoked meanwhile acts no more (rule K11).
 *
 * @throws AdminHttpError 401
 */
export async function requireStillGood(context: AdminContext, { apiKeyId }: Principal): Promise<void> {
  if (apiKeyId === undefined || (await context.apiKeys.isUsable(apiKeyId))) return;
  context.authenticationFailed({ reason: 'revoked', apiKeyId });
  throw authenticationFailedError();
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
    context.throttle.failed(source);
    throw new Refusal({ reason: 'malformed-basic' });
  }
  const user = await checkPassword(context, source, credentials);
  if (user === undefined) throw new Refusal({ reason: 'password' });
  return { user, authenticatedBy: 'basic' };
}

class Refusal extends Error {
  readonly failure: AuthenticationFailure;

  constructor({ reason, apiKeyId }: AuthenticationFailure) {
    super(reason);
    this.failure = { reason, ...(apiKeyId !== undefined && { apiKeyId }) };
  }
}
