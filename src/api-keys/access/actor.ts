import { ApiKeyError } from '../api-key-error.js';
import { RequestLookups } from './request-lookups.js';
import { isEnabled, rightsOf } from './rights.js';
import {
  type Actor,
  type ActorLike,
  auditOrigins,
  type DirectoryUser,
  type Origin,
  type UserDirectory,
} from './types.js';

/** An actor whose fields have been checked. */
export interface ActorIdentity {
  readonly userId: string;
  readonly username: string;
  readonly origin: Origin;
  readonly apiKeyId: string | undefined;
}

/** An actor with the rights it has for this request. */
export interface Principal extends ActorIdentity {
  readonly mayManageAll: boolean;
  /** What has been looked up for the request so far. */
  readonly lookups: RequestLookups;
}

/**
 * The actor for calls on API keys: a user from the host's directory, and how their request came in.
 *
 * @example
 * const actor = toActor(user, { origin: 'UI', authenticatedBy: 'session' })
 * await apiKeys.list(actor, { scope: 'my' })
 */
export function toActor(
  { id, username, superAdmin, roles, permissions }: DirectoryUser,
  how: Pick<Actor, 'origin' | 'authenticatedBy' | 'apiKeyId' | 'lookups'> = {},
): Actor {
  return { userId: id, username, superAdmin, roles, permissions, ...how };
}

/** @throws TypeError when the actor names no user: the host must authenticate before it calls. */
export function readActor(actor: ActorLike): ActorIdentity {
  if (typeof actor !== 'object' || actor === null) throw new TypeError('`actor` must be an object.');
  const { id, userId = id, username, origin = 'API', apiKeyId } = actor as Partial<Record<string, unknown>>;
  const checkedId = readUserId('actor.userId', userId);
  if (username !== undefined) checkStorable('actor.username', username, 'a string');
  if (!auditOrigins.includes(origin as Origin)) {
    throw new TypeError(`\`actor.origin\` must be one of ${auditOrigins.join(', ')}.`);
  }
  if (apiKeyId !== undefined) checkStorable('actor.apiKeyId', apiKeyId, 'a string');
  return { userId: checkedId, username: username || checkedId, origin: origin as Origin, apiKeyId };
}

/** @throws TypeError naming `option` when the value cannot be a user's id. */
export function readUserId(option: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value || undefined;
  checkStorable(option, text, 'a non-empty string');
  return text;
}

function checkStorable(option: string, value: unknown, must: string): asserts value is string {
  if (typeof value !== 'string') throw new TypeError(`\`${option}\` must be ${must}.`);
  // PostgreSQL text holds none.
  if (value.includes('\0')) throw new TypeError(`\`${option}\` must not contain a NUL character.`);
}

/** With the directory's rights, or the actor's own without one (rules K7, K11). @throws ApiKeyError `forbidden` */
export async function resolvePrincipal(
  actor: ActorLike,
  { users, newLookups }: { users?: UserDirectory | undefined; newLookups(): RequestLookups },
): Promise<Principal> {
  const identity = readActor(actor);
  const lookups = actor.lookups instanceof RequestLookups ? actor.lookups : newLookups();
  if (users === undefined) return { ...identity, mayManageAll: rightsOf(actor).manageAllApiKeys, lookups };
  const user = await lookups.findUser(users, identity.userId);
  if (!isEnabled(user)) throw inactiveUserError();
  return { ...identity, username: user.username, mayManageAll: rightsOf(user).manageAllApiKeys, lookups };
}

export function inactiveUserError(): ApiKeyError {
  return new ApiKeyError('forbidden', 'Your user account is not active.');
}
