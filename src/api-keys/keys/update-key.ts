import { foldForSearch } from '../../internal/index.js';
import { type Principal, resolvePrincipal } from '../access/actor.js';
import { requireApiKeys } from '../access/edition.js';
import type { ActorLike } from '../access/types.js';
import { ApiKeyError, validationError } from '../api-key-error.js';
import type { Context } from '../context.js';
import { type KeyRow, updateActiveKey } from '../store/index.js';
import { changesBetween, type Edited, recordChanges } from './audit-trail.js';
import { readFields } from './fields.js';
import { changedMeanwhileError, findVisibleKey, refuseChange, requireActive } from './find-key.js';
import { nameNotUnique } from './key-texts.js';
import { toApiKey } from './presentation.js';
import type { ApiKey, FieldChange } from './types.js';

/** Edits an Active key (rules K3, K4, K12, K13, K17). An edit that changes nothing is neither written nor audited. */
export async function updateKey(
  context: Context,
  actor: ActorLike,
  apiKeyId: string,
  changes: { name?: unknown; description?: unknown; expiresOn?: unknown; version?: unknown },
): Promise<ApiKey> {
  const { version, ...input } = changes ?? {};
  const principal = await resolvePrincipal(actor, context);
  if (input.name === undefined && input.description === undefined && input.expiresOn === undefined) {
    throw new ApiKeyError('validation', 'Give `name`, `description` or `expiresOn`: there is nothing to change.');
  }
  if (version !== undefined && typeof version !== 'number') throw new TypeError('`version` must be a number.');
  const unwritten = context.marks.view();
  const nowMs = context.now();
  const before = await findVisibleKey(context, principal, apiKeyId, nowMs);
  requireApiKeys(await context.edition(principal.lookups));
  requireActive(before, nowMs, 'edited');
  if (version !== undefined && version !== before.version) throw changedMeanwhileError();
  const fields = await readFields(context, input, { required: false, nowMs: context.now(), keyId: before.id });
  const edited: Edited = {
    name: fields.name ?? before.name,
    description: fields.description ?? before.description,
    expires_on: fields.expiresOnMs ?? before.expires_on,
  };
  const audited = changesBetween(before, edited);
  if (audited.length === 0) return toApiKey(before, unwritten(before.id), nowMs);
  const after = await writeUpdate(context, principal, before, edited, audited);
  if (after === undefined) return await refuseChange(context, principal, before.id, 'edited');
  return toApiKey(after, unwritten(after.id), nowMs);
}

/** `undefined` when the key has changed since it was read. */
async function writeUpdate(
  context: Context,
  principal: Principal,
  before: KeyRow,
  edited: Edited,
  changes: readonly FieldChange[],
): Promise<KeyRow | undefined> {
  try {
    return await context.store.kysely.transaction().execute(async (transaction) => {
      const nowMs = context.now();
      const guard = { id: before.id, version: before.version, nowMs };
      const values = {
        ...edited,
        name_search: foldForSearch(edited.name),
        // A new expiry starts its warnings anew (rule K23); otherwise another process may just be giving one.
        ...(edited.expires_on !== before.expires_on && { warned_ms: edited.expires_on - nowMs, warning_until: 0 }),
      };
      const row = await updateActiveKey(transaction, guard, values);
      if (row !== undefined) await recordChanges(transaction, principal, 'Update', nowMs, [{ row, changes }]);
      return row;
    });
  } catch (error) {
    if (context.store.isDuplicate(error, 'name')) throw validationError([nameNotUnique]);
    throw error;
  }
}
