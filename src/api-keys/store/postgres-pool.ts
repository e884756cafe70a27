import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool } from 'pg';
import { ApiKeyError } from '../api-key-error.js';
import { withDatabaseName } from './database-name.js';

/** A connection is lost or refused, the server stops or starts, or has too many connections; of SQLSTATEs these alone. */
const lostState = /^(?:08|57P0|53300)/;
const sqlState = /^[0-9A-Z]{5}$/;

/**
 * The pool for Kysely. What cannot be reached or does not answer is `unavailable` (rule K19), and a connection that was lost in
 * the middle of something is not used again; other errors name the database (rule K18).
 */
export function toNamedPool(pool: Pool, name: string): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw namedError(error, name);
      });
      let isLost = false;
      const query = (...parameters: [sql: string, values: unknown[]]) =>
        client.query(...parameters).catch((error: unknown) => {
          const named = namedError(error, name);
          isLost ||= named !== error;
          throw named;
        });
      return { query, release: () => client.release(isLost) } as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
  };
}

/** @returns an ApiKeyError for a database that does not answer; otherwise the same error, whose SQLSTATE others look at. */
export function namedError(error: unknown, name: string): unknown {
  const { code } = (error ?? {}) as { code?: unknown };
  const state = typeof code === 'string' && sqlState.test(code) ? code : undefined;
  if (state === undefined || lostState.test(state)) {
    const cause = withDatabaseName(error, name);
    return new ApiKeyError('unavailable', 'The database cannot be reached right now. Try again in a few seconds.', {
      cause,
    });
  }
  const { message } = error as Error;
  if (!message.startsWith(`${name}: `)) (error as Error).message = `${name}: ${message}`;
  return error;
}
