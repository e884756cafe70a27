import { type ActorIdentity, readActor, readUserId, resolvePrincipal } from '../access/actor.js';
import type { ActorLike } from '../access/types.js';
import { ApiKeyError } from '../api-key-error.js';
import type { Context } from '../context.js';
import { recordExpiredOf, revokeActiveKeys } from '../store/index.js';
import { recordChanges } from './audit-trail.js';
import { findVisibleKey, refuseChange } from './find-key.js';
import { toApiKey } from './presentation.js';
import type { ApiKey, FieldChange } from './types.js';

/** Revokes an Active key immediately and irreversibly, in every edition (rules K5, K12, K17). */
export async function revokeKey(context: Context, actor: ActorLike, apiKeyId: string): Promise<ApiKey> {
  const principal = await resolvePrincipal(actor, context);
  const unwritten = context.marks.view();
  const nowMs = context.now();
  const before = await findVisibleKey(context, principal, apiKeyId, nowMs);
  const [row] = await revoke(context, principal, { id: before.id });
  if (row === undefined) return await refuseChange(context, principal, before.id, 'revoked');
  return toApiKey(row, unwritten(row.id), nowMs);
}

/** Revokes all Active keys of a user who keeps their account, in one transaction and in every edition (rules K7, K12). */
export async function revokeKeysOf(context: Context, actor: ActorLike, userId: string): Promise<{ revoked: number }> {
  const principal = await resolvePrincipal(actor, context);
  const ownerId = readUserId('userId', userId);
  if (ownerId !== principal.userId && !principal.mayManageAll) {
    throw new ApiKeyError('forbidden', 'You may revoke only your own API keys.');
  }
  const rows = await revoke(context, principal, { ownerId });
  return { revoked: rows.length };
}

/** Revokes all Active keys of a deleted user (specification 3, rule K6). */
export async function userDeleted(context: Context, actor: ActorLike, userId: string): Promise<{ revoked: number }> {
  const author: ActorIdentity = { ...readActor(actor), origin: 'System' };
  const rows = await revoke(context, author, { ownerId: readUserId('userId', userId) });
  return { revoked: rows.length };
}

export async function revoke(context: Context, author: ActorIdentity, which: { id: string } | { ownerId: string }) {
  const changes: FieldChange[] = [{ field: 'status', from: 'Active', to: 'Revoked' }];
  const { dialect, kysely } = context.store;
  const rows = await kysely.transaction().execute(async (transaction) => {
    const nowMs = context.now();
    // As the caller is told that none is left, a clock that is behind must revive none (rule K5).
    if ('ownerId' in which) await recordExpiredOf(transaction, dialect, which.ownerId, nowMs);
    const revoked = await revokeActiveKeys(transaction, dialect, which, nowMs);
    const revisions = revoked.map((row) => ({ row, changes }));
    await recordChanges(transaction, author, 'Revoke', nowMs, revisions);
    return revoked;
  });
  context.invalidated(rows.map(({ id, owner_id }) => ({ apiKeyId: id, userId: owner_id })));
  return rows;
}
