import type { Kysely } from 'kysely';
import { endedSessionTable, type Tables } from './schema.js';

/** Adds a session, and deletes those that have ended anyway. */
export async function addEndedSession(
  kysely: Kysely<Tables>,
  session: { id: string; endsOn: number },
  nowMs: number,
): Promise<void> {
  await kysely.transaction().execute(async (transaction) => {
    await transaction.deleteFrom(endedSessionTable).where('ends_on', '<=', nowMs).execute();
    await transaction
      .insertInto(endedSessionTable)
      .values({ id: session.id, ends_on: session.endsOn })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

export async function isEndedSession(kysely: Kysely<Tables>, id: string): Promise<boolean> {
  const row = await kysely.selectFrom(endedSessionTable).select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}
