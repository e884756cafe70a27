import { requireEdition } from '../access/edition.js';
import { type ActorIdentity, type Principal, readActor, readUserId, resolvePrincipal } from '../access/rights.js';
import { ApiKeyError, type FieldError, notFoundError, validationError } from '../api-key-error.js';
import type { Context } from '../context.js';
import {
  findKey,
  insertAudits,
  insertKey,
  isNameTaken,
  type KeyRow,
  type NewAuditRecord,
  type Queries,
  revokeActiveKeys,
  updateActiveKey,
} from '../store/index.js';
import type { ActorLike, ApiKey, CreatedApiKey, FieldChange, NewApiKey, RevisionType } from '../types.js';
import { noteExpired } from './expired-keys.js';
import { readExpiry } from './expiry.js';
import { generateKey, isApiKeyId } from './key-format.js';
import { foldForSearch, nameNotUnique, readName } from './key-name.js';
import { toApiKey, toIso } from './presentation.js';
import { endsOf, statusOf } from './status.js';

/** Makes a key for the actor (rules K2-K4, K12, K16). */
export async function createKey(context: Context, actor: ActorLike, input: NewApiKey): Promise<CreatedApiKey> {
  const principal = await resolvePrincipal(actor, context.users);
  await requireEdition(context.edition);
  const nowMs = context.now();
  const { name, expiresOnMs } = await readFields(context, input ?? {}, { required: true, nowMs, keyId: undefined });
  const created = await insertNewKey(context, principal, {
    name: name as string,
    expires_on: expiresOnMs as number,
    created_on: nowMs,
  });
  await revokeIfOwnerIsGone(context, principal);
  return created;
}

async function insertNewKey(
  context: Context,
  principal: Principal,
  fields: Pick<KeyRow, 'name' | 'expires_on' | 'created_on'>,
): Promise<CreatedApiKey> {
  const { id, secret, key } = generateKey();
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
  };
  const changes: FieldChange[] = [
    { field: 'name', from: null, to: row.name },
    { field: 'expiresOn', from: null, to: toIso(row.expires_on) },
  ];
  try {
    await context.store.kysely.transaction().execute(async (transaction) => {
      await insertKey(transaction, row);
      await audit(transaction, principal, 'Create', row.created_on, [{ row, changes }]);
    });
  } catch (error) {
    if (context.store.isDuplicate(error, 'name')) throw validationError([nameNotUnique]);
    if (context.store.isDuplicate(error, 'id')) return await insertNewKey(context, principal, fields);
    throw error;
  }
  return { apiKey: toApiKey(row, context.marks.view()(id), fields.created_on), key };
}

/**
 * A user who was deleted while the key was made has no key left Active: `userDeleted` either sees the key, or had run
 * before, and then the directory no longer knows the user here.
 */
async function revokeIfOwnerIsGone(context: Context, principal: Principal): Promise<void> {
  if (context.users === undefined || (await context.users.findById(principal.userId)) !== undefined) return;
  await userDeleted(context, { userId: principal.userId, username: principal.username }, principal.userId);
  throw new ApiKeyError('forbidden', 'Your user account is not active.');
}

/** Edits an Active key (rules K3, K4, K12, K17). Without a difference nothing is written, and nothing audited. */
export async function updateKey(
  context: Context,
  actor: ActorLike,
  apiKeyId: string,
  input: { name?: unknown; expiresOn?: unknown; version?: unknown },
): Promise<ApiKey> {
  const principal = await resolvePrincipal(actor, context.users);
  const unwritten = context.marks.view();
  const nowMs = context.now();
  const before = await findVisibleKey(context, principal, apiKeyId, nowMs);
  await requireEdition(context.edition);
  requireActive(before, nowMs, 'edited');
  const { version } = input ?? {};
  if (version !== undefined && version !== before.version) throw changedMeanwhile();
  const fields = await readFields(context, input ?? {}, { required: false, nowMs: context.now(), keyId: before.id });
  const name = fields.name ?? before.name;
  const expiresOnMs = fields.expiresOnMs ?? before.expires_on;
  const changes = differences(before, name, expiresOnMs);
  if (changes.length === 0) return toApiKey(before, unwritten(before.id), nowMs);
  const after = await writeUpdate(context, principal, before, { name, expiresOnMs, changes });
  if (after === undefined) return await refuseChange(context, principal, before.id, 'edited');
  return toApiKey(after, unwritten(after.id), nowMs);
}

/** `undefined` when the key is not as it was any more. */
async function writeUpdate(
  context: Context,
  principal: Principal,
  before: KeyRow,
  { name, expiresOnMs, changes }: { name: string; expiresOnMs: number; changes: readonly FieldChange[] },
): Promise<KeyRow | undefined> {
  try {
    return await context.store.kysely.transaction().execute(async (transaction) => {
      const nowMs = context.now();
      const guard = { id: before.id, version: before.version, nowMs };
      const values = { name, name_search: foldForSearch(name), expires_on: expiresOnMs };
      const row = await updateActiveKey(transaction, guard, values);
      if (row !== undefined) await audit(transaction, principal, 'Update', nowMs, [{ row, changes }]);
      return row;
    });
  } catch (error) {
    if (context.store.isDuplicate(error, 'name')) throw validationError([nameNotUnique]);
    throw error;
  }
}

/** Revokes an Active key at once and for good, in every edition (rules K5, K12, K17). */
export async function revokeKey(context: Context, actor: ActorLike, apiKeyId: string): Promise<ApiKey> {
  const principal = await resolvePrincipal(actor, context.users);
  const unwritten = context.marks.view();
  const nowMs = context.now();
  const before = await findVisibleKey(context, principal, apiKeyId, nowMs);
  const [row] = await revoke(context, principal, { id: before.id });
  if (row === undefined) return await refuseChange(context, principal, before.id, 'revoked');
  return toApiKey(row, unwritten(row.id), nowMs);
}

/** Revokes all Active keys of a deleted user (specification 3, rule K6). */
export async function userDeleted(context: Context, actor: ActorLike, userId: string): Promise<{ revoked: number }> {
  const author: ActorIdentity = { ...readActor(actor), origin: 'System' };
  const rows = await revoke(context, author, { ownerId: readUserId('userId', userId) });
  return { revoked: rows.length };
}

async function revoke(context: Context, author: ActorIdentity, which: { id: string } | { ownerId: string }) {
  const changes: FieldChange[] = [{ field: 'status', from: 'Active', to: 'Revoked' }];
  const rows = await context.store.kysely.transaction().execute(async (transaction) => {
    const nowMs = context.now();
    const revoked = await revokeActiveKeys(transaction, which, nowMs);
    await audit(
      transaction,
      author,
      'Revoke',
      nowMs,
      revoked.map((row) => ({ row, changes })),
    );
    return revoked;
  });
  context.invalidated(rows.map(({ id, owner_id }) => ({ apiKeyId: id, userId: owner_id })));
  return rows;
}

/**
 * A key whose state at `nowMs` may be told from now on.
 *
 * @throws ApiKeyError `not-found` for somebody else's key, too (rule K7)
 */
export async function findVisibleKey(
  context: Context,
  principal: Principal,
  apiKeyId: unknown,
  nowMs: number,
): Promise<KeyRow> {
  const row = isApiKeyId(apiKeyId) ? await findKey(context.store.kysely, apiKeyId) : undefined;
  if (row === undefined || !(principal.mayManageAll || row.owner_id === principal.userId)) throw notFoundError();
  await noteExpired(context, [{ id: row.id, ends: endsOf(row) }], nowMs);
  return row;
}

/** @throws ApiKeyError that says why a statement with a guard found nothing to change (rule K17) */
async function refuseChange(
  context: Context,
  principal: Principal,
  apiKeyId: string,
  verb: 'edited' | 'revoked',
): Promise<never> {
  const nowMs = context.now();
  requireActive(await findVisibleKey(context, principal, apiKeyId, nowMs), nowMs, verb);
  throw changedMeanwhile();
}

async function readFields(
  context: Context,
  input: { name?: unknown; expiresOn?: unknown },
  { required, nowMs, keyId }: { required: boolean; nowMs: number; keyId: string | undefined },
): Promise<{ name: string | undefined; expiresOnMs: number | undefined }> {
  const name = required || input.name !== undefined ? readName(input.name) : undefined;
  const expiry = required || input.expiresOn !== undefined ? readExpiry(input.expiresOn, nowMs) : undefined;
  const errors: FieldError[] = [];
  if (name?.error !== undefined) errors.push(name.error);
  if (expiry?.error !== undefined) {
    // The database decides on uniqueness; asked here as well, so that a form shows both messages at once.
    const known = name?.value !== undefined && (await isNameTaken(context.store.kysely, name.value, keyId));
    if (known) errors.push(nameNotUnique);
    errors.push(expiry.error);
  }
  if (errors.length > 0) throw validationError(errors);
  return { name: name?.value, expiresOnMs: expiry?.value };
}

function differences(before: KeyRow, name: string, expiresOnMs: number): FieldChange[] {
  const changes: FieldChange[] = [];
  if (name !== before.name) changes.push({ field: 'name', from: before.name, to: name });
  if (expiresOnMs !== before.expires_on) {
    changes.push({ field: 'expiresOn', from: toIso(before.expires_on), to: toIso(expiresOnMs) });
  }
  return changes;
}

function requireActive(row: KeyRow, nowMs: number, verb: 'edited' | 'revoked'): void {
  const status = statusOf(endsOf(row), nowMs);
  if (status === 'Active') return;
  throw new ApiKeyError('conflict', `Only an Active API key can be ${verb}; this one is ${status}.`);
}

function changedMeanwhile(): ApiKeyError {
  return new ApiKeyError(
    'conflict',
    'The API key has been changed in the meantime. Load it again and repeat the edit.',
  );
}

/** Writes the entries in the transaction of the change itself (rule K6), with the acting key, if any (rule K15). */
async function audit(
  queries: Queries,
  author: ActorIdentity,
  revisionType: RevisionType,
  changeTimeMs: number,
  revisions: readonly { row: KeyRow; changes: readonly FieldChange[] }[],
): Promise<void> {
  const actingKey = author.apiKeyId === undefined ? undefined : await findKey(queries, author.apiKeyId);
  await insertAudits(
    queries,
    revisions.map(
      ({ row, changes }): NewAuditRecord => ({
        api_key_id: row.id,
        owner_id: row.owner_id,
        name: row.name,
        author_id: author.userId,
        author_username: author.username,
        acting_key_id: author.apiKeyId ?? null,
        acting_key_name: actingKey?.name ?? null,
        change_time: changeTimeMs,
        revision_type: revisionType,
        changes: JSON.stringify(changes),
        origin: author.origin,
      }),
    ),
  );
}
