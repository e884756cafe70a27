import { type Principal, resolvePrincipal } from '../access/actor.js';
import type { ActorLike } from '../access/types.js';
import { ApiKeyError, notFoundError } from '../api-key-error.js';
import type { Context } from '../context.js';
import { findKey, type KeyRow } from '../store/index.js';
import { isApiKeyId } from './key-format.js';
import { toApiKey } from './presentation.js';
import { endsOf, recordExpiredKeys, statusOf } from './status.js';
import type { ApiKey } from './types.js';

export async function getKey(context: Context, actor: ActorLike, apiKeyId: string): Promise<ApiKey> {
  const principal = await resolvePrincipal(actor, context);
  const unwritten = context.marks.view();
  const nowMs = context.now();
  const row = await findVisibleKey(context, principal, apiKeyId, nowMs);
  return toApiKey(row, unwritten(row.id), nowMs);
}

/** With its status at `nowMs` recorded. @throws ApiKeyError `not-found`, also for another user's key (rule K7) */
export async function findVisibleKey(
  context: Context,
  principal: Principal,
  apiKeyId: unknown,
  nowMs: number,
): Promise<KeyRow> {
  const row = isApiKeyId(apiKeyId) ? await findKey(context.store.kysely, apiKeyId) : undefined;
  if (row === undefined || !(principal.mayManageAll || row.owner_id === principal.userId)) throw notFoundError();
  await recordExpiredKeys(context, [endsOf(row)], nowMs);
  return row;
}

/** @throws ApiKeyError that says why a guarded statement changed nothing (rule K17) */
export async function refuseChange(
  context: Context,
  principal: Principal,
  apiKeyId: string,
  verb: 'edited' | 'revoked',
): Promise<never> {
  const nowMs = context.now();
  requireActive(await findVisibleKey(context, principal, apiKeyId, nowMs), nowMs, verb);
  throw changedMeanwhileError();
}

export function requireActive(row: KeyRow, nowMs: number, verb: 'edited' | 'revoked'): void {
  const status = statusOf(endsOf(row), nowMs);
  if (status === 'Active') return;
  throw new ApiKeyError('conflict', `Only an Active API key can be ${verb}; this one is ${status}.`);
}

export function changedMeanwhileError(): ApiKeyError {
  return new ApiKeyError(
    'conflict',
    'The API key has been changed in the meantime. Load it again and repeat the edit.',
  );
}
