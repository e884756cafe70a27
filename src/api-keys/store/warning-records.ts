import type { Kysely } from 'kysely';
import { isActive, type KeyRow, type Queries } from './key-records.js';
import { keyTable, type Tables } from './schema.js';

export type ExpiringRow = Pick<KeyRow, 'id' | 'owner_id' | 'expires_on' | 'warned_ms' | 'warning_until'>;

/** One warning of one key. After an edit of the expiry it is another one. */
export interface WarningId {
  readonly id: string;
  readonly expiresOn: number;
  readonly thresholdMs: number;
}

/** Keys that expire until then and have not ended, in the order of their expiry. */
export async function listExpiring(
  queries: Queries,
  { after, until }: { after: { expiresOn: number; id: string }; until: number },
  limit: number,
): Promise<ExpiringRow[]> {
  return await queries
    .selectFrom(keyTable)
    .select(['id', 'owner_id', 'expires_on', 'warned_ms', 'warning_until'])
    .where((builder) => builder(builder.refTuple('expires_on', 'id'), '>', builder.tuple(after.expiresOn, after.id)))
    .where('expires_on', '<=', until)
    .where('revoked_on', 'is', null)
    .where('expired_on', 'is', null)
    .orderBy('expires_on')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Takes a warning for this process until then; `undefined` when another one has it or has given it, or the key ended. */
export async function claimWarning(
  kysely: Kysely<Tables>,
  warning: WarningId,
  { nowMs, until }: { nowMs: number; until: number },
): Promise<KeyRow | undefined> {
  // A transaction waits for other writers without blocking the process; a bare statement would block it.
  return await kysely.transaction().execute((transaction) =>
    updateDue(transaction, warning)
      .set({ warning_until: until })
      .where('warning_until', '<=', nowMs)
      .where((builder) => isActive(builder, nowMs))
      .returningAll()
      .executeTakeFirst(),
  );
}

export async function finishWarning(kysely: Kysely<Tables>, warning: WarningId): Promise<void> {
  const given = { warned_ms: warning.thresholdMs, warning_until: 0 };
  await kysely.transaction().execute((transaction) => updateDue(transaction, warning).set(given).execute());
}

/** Changes the key if the warning is due. */
function updateDue(queries: Queries, { id, expiresOn, thresholdMs }: WarningId) {
  return queries
    .updateTable(keyTable)
    .where('id', '=', id)
    .where('expires_on', '=', expiresOn)
    .where('warned_ms', '>', thresholdMs);
}
