import { foldForSearch } from '../../internal/index.js';
import { inactiveUserError, type Principal, resolvePrincipal } from '../access/actor.js';
import { requireApiKeys } from '../access/edition.js';
import type { ActorLike } from '../access/types.js';
import { ApiKeyError, validationError } from '../api-key-error.js';
import type { Context } from '../context.js';
import { insertKey, type KeyRow } from '../store/index.js';
import { changesBetween, recordChanges } from './audit-trail.js';
import { readFields } from './fields.js';
import { generateKey } from './key-format.js';
import { nameNotUnique } from './key-texts.js';
import { toApiKey } from './presentation.js';
import { revoke } from './revoke-keys.js';
import { type CreatedApiKey, maxUserIdCharacters, type NewApiKey } from './types.js';

/** Creates a key for the actor (rules K2-K4, K12, K16). */
export async function createKey(context: Context, actor: ActorLike, input: NewApiKey): Promise<CreatedApiKey> {
  const principal = await resolvePrincipal(actor, context);
  requireIndexable(principal);
  requireApiKeys(await context.edition(principal.lookups));
  const nowMs = context.now();
  const fields = await readFields(context, input ?? {}, { required: true, nowMs, keyId: undefined });
  const created = await insertNewKey(context, principal, {
    name: fields.name as string,
    description: fields.description as string,
    expires_on: fields.expiresOnMs as number,
    created_on: nowMs,
  });
  await revokeIfOwnerIsGone(context, principal, created.apiKey.id);
  return created;
}

/** An entry of an index of PostgreSQL has room for 2,704 bytes, and one has both the id and the name of an author. */
function requireIndexable({ userId, username }: Principal): void {
  if (![userId, username, foldForSearch(username)].some((text) => Buffer.byteLength(text) > maxUserIdCharacters))
    return;
  throw new ApiKeyError(
    'validation',
    `A user whose id or name has more than ${maxUserIdCharacters} bytes cannot have API keys.`,
  );
}

async function insertNewKey(
  context: Context,
  principal: Principal,
  fields: Pick<KeyRow, 'name' | 'description' | 'expires_on' | 'created_on'>,
): Promise<CreatedApiKey> {
  const { id, secret, key } = generateKey(context.keyPrefix);
  const row: KeyRow = {
    ...fields,
    id,
    name_search: foldForSearch(fields.name),
    owner_id: principal.userId,
    owner_username: principal.username,
    owner_search: foldForSearch(principal.username),
    secret_hash: context.hasher.hash(secret),
    pepper_version: context.hasher.version,
    revoked_on: null,
    expired_on: null,
    last_accessed: 0,
    refused_uses: 0,
    last_refused_on: 0,
    version: 1,
    recent_uses: '[]',
    warned_ms: fields.expires_on - fields.created_on,
    warning_until: 0,
  };
  const changes = changesBetween(undefined, row);
  try {
    await context.store.kysely.transaction().execute(async (transaction) => {
      await insertKey(transaction, row);
      await recordChanges(transaction, principal, 'Create', row.created_on, [{ row, changes }]);
    });
  } catch (error) {
    if (context.store.isDuplicate(error, 'name')) throw validationError([nameNotUnique]);
    if (context.store.isDuplicate(error, 'id')) return await insertNewKey(context, principal, fields);
    throw error;
  }
  return { apiKey: toApiKey(row, context.marks.view()(id), fields.created_on), key };
}

/**
 * Revokes the new key if its owner has been deleted meanwhile: `userDeleted` either saw the key, or ran before the key
 * was written, and then the directory no longer has the user. If the directory cannot be asked, the key is returned: its
 * value cannot be had again, and without an owner it does not authenticate (rules K11, K19).
 */
async function revokeIfOwnerIsGone(context: Context, principal: Principal, id: string): Promise<void> {
  if (context.users === undefined) return;
  try {
    // Not from `principal.lookups`: the look-up must come after the write.
    if ((await context.newLookups().findUser(context.users, principal.userId)) !== undefined) return;
  } catch (error) {
    context.onError(error);
    return;
  }
  // Only this key: a directory that is late may not know its user yet.
  await revoke(context, { ...principal, origin: 'System', apiKeyId: undefined }, { id });
  throw inactiveUserError();
}
