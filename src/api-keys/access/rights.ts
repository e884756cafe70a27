import { ApiKeyError } from '../api-key-error.js';
import type { ActorLike, DirectoryUser, Origin, UserDirectory } from '../types.js';

/** The permission that lets manage the keys of all users (specification 5.3). */
export const userManagementWrite = 'User Management – Write';

const origins: readonly Origin[] = ['UI', 'API', 'MCP', 'System'];

/** An actor as it was handed in, read and checked. */
export interface ActorIdentity {
  readonly userId: string;
  readonly username: string;
  readonly origin: Origin;
  readonly apiKeyId: string | undefined;
}

/** An actor with the rights it has at this moment. */
export interface Principal extends ActorIdentity {
  readonly mayManageAll: boolean;
}

/** @throws TypeError when the actor names no user: the host must authenticate before it calls. */
export function readActor(actor: ActorLike): ActorIdentity {
  if (typeof actor !== 'object' || actor === null) throw new TypeError('`actor` must be an object.');
  const { id, userId = id, username, origin, apiKeyId } = actor as Partial<Record<string, unknown>>;
  const checkedId = readUserId('actor.userId', userId);
  if (username !== undefined && !isText(username)) throw new TypeError('`actor.username` must be a string.');
  if (origin !== undefined && !origins.includes(origin as Origin)) {
    throw new TypeError(`\`actor.origin\` must be one of ${origins.join(', ')}.`);
  }
  if (apiKeyId !== undefined && !isText(apiKeyId)) throw new TypeError('`actor.apiKeyId` must be a string.');
  return {
    userId: checkedId,
    username: username === undefined || username === '' ? checkedId : username,
    origin: (origin as Origin | undefined) ?? 'API',
    apiKeyId,
  };
}

/** @throws TypeError naming `option` when the value can be no user's id. */
export function readUserId(option: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (!isText(text) || text === '') throw new TypeError(`\`${option}\` must be a non-empty string.`);
  return text;
}

/** PostgreSQL text holds no NUL. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

/**
 * The actor with its rights: the directory's, asked now; the actor's own where there is no directory (rules K7, K11).
 *
 * @throws ApiKeyError `forbidden` when the directory knows no such user, or a disabled one.
 */
export async function resolvePrincipal(actor: ActorLike, users: UserDirectory | undefined): Promise<Principal> {
  const identity = readActor(actor);
  if (users === undefined) return { ...identity, mayManageAll: mayManageAll(actor) };
  const user = await users.findById(identity.userId);
  if (!isEnabled(user)) throw new ApiKeyError('forbidden', 'Your user account is not active.');
  return { ...identity, username: user.username, mayManageAll: mayManageAll(user) };
}

export function isEnabled(user: DirectoryUser | undefined | null): user is DirectoryUser {
  return user !== undefined && user !== null && user.enabled !== false;
}

function mayManageAll(holder: Pick<DirectoryUser, 'superAdmin' | 'roles' | 'permissions'>): boolean {
  const { superAdmin, roles = [], permissions = [] } = holder;
  return superAdmin === true || roles.includes('Super Admin') || permissions.some(isUserManagementWrite);
}

/** Hosts write the dash of the permission's name in several ways. */
function isUserManagementWrite(permission: string): boolean {
  return /^user management\s*[-–—:]\s*write$/i.test(permission);
}
