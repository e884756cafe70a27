import type { Socket } from 'node:net';
import {
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { systemClock, within } from '../../internal/index.js';
import { ApiKeyError } from '../api-key-error.js';
import { peerError } from '../peer-error.js';
import { addMarks, lookUpColumns, type StoreConnection, type StoredSecret, type StoredUses } from './connection.js';
import { nameOfDatabase, withDatabaseName } from './database-name.js';
import { keyTable, type Tables, uniqueName } from './schema.js';

const bigintType = 20;
const uniqueViolation = '23505';

/** As long as the directory of users may take by default: whoever presents a key waits for it. */
const lookUpTimeoutMs = 5000;

/** The driver reads `max` of its options only, not of the URL. */
function mostConnections(url: string): number {
  const max = new URLSearchParams(url.split('?')[1]).get('max') ?? '10';
  if (!/^[1-9]\d{0,5}$/.test(max))
    throw new TypeError('`database`: `max` in the URL must be a whole number, 1 or more.');
  return Number(max);
}

/** What the driver reads of the URL, and the least of each: a 0 is no end for the server, and no time for the driver. */
const timeouts = {
  query_timeout: 1,
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 0,
};

/** The driver would take 30s for 30 ms, and other text for 1 ms. */
function checkTimeouts(url: string): void {
  const parameters = new URLSearchParams(url.split('?')[1]);
  for (const [name, least] of Object.entries(timeouts)) {
    const isValid = (value: string) => /^\d{1,9}$/.test(value) && Number(value) >= least;
    if (parameters.getAll(name).every(isValid)) continue;
    throw new TypeError(
      `\`database\`: \`${name}\` in the URL must be a whole number of milliseconds, from ${least} to 999999999.`,
    );
  }
}

async function importDriver() {
  try {
    return (await import('pg')).default;
  } catch (error) {
    throw peerError(error, 'pg', 'PostgreSQL');
  }
}

/** Opens a PostgreSQL database by its URL. */
export async function openPostgres(url: string): Promise<StoreConnection> {
  checkTimeouts(url);
  const pg = await importDriver();
  const pool = new pg.Pool({
    connectionString: url,
    max: mostConnections(url),
    application_name: 'concordat',
    connectionTimeoutMillis: 10_000,
    // Milliseconds and counts fit a double; the driver would return strings.
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === bigintType ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
  });
  const name = nameOfDatabase(url);
  // A connection that breaks fails its query, or is replaced; without listeners the process would end, too. The pool
  // hears only idle connections.
  pool.on('error', () => {});
  const clients = new Set<PoolClient>();
  pool.on('connect', (client) => {
    clients.add(client);
    client.on('error', () => {});
  });
  pool.on('remove', (client) => clients.delete(client));
  const config = { pool: toNamedPool(pool, name) };
  const createDriver = () => new ReadCommittedDriver(config);
  const kysely = new Kysely<Tables>({ dialect: Object.assign(new PostgresDialect(config), { createDriver }) });
  return {
    dialect: 'postgres',
    kysely,
    async lookUp(id) {
      const query = {
        name: 'concordat_api_key_look_up',
        text: `select ${lookUpColumns} from ${keyTable} where id = $1`,
        values: [id],
        query_timeout: lookUpTimeoutMs,
      };
      try {
        // Waiting for a connection counts: whatever else is done may keep all of them busy.
        const found = within(lookUpTimeoutMs, 'A look-up', systemClock, pool.query<StoredSecret>(query));
        return (await found).rows[0];
      } catch (error) {
        throw namedError(error, name);
      }
    },
    async writeMarks(marks, keptUses) {
      await kysely.transaction().execute(async (transaction) => {
        // Rows are locked in the order of their ids, so that two processes never wait for each other.
        const { rows } = await sql<StoredUses>`select id, recent_uses as "recentUses" from concordat_api_key
          where id = any(${[...marks.keys()]}::text[]) order by id for update`.execute(transaction);
        await sql`update concordat_api_key as key set
            last_accessed = greatest(key.last_accessed, mark."lastAccessedMs"),
            refused_uses = key.refused_uses + mark."refusedUses",
            last_refused_on = greatest(key.last_refused_on, mark."lastRefusedMs"),
            recent_uses = mark."recentUses"
          from json_to_recordset(${JSON.stringify(addMarks(rows, marks, keptUses))}::json) as mark (id text,
            "lastAccessedMs" bigint, "refusedUses" bigint, "lastRefusedMs" bigint, "recentUses" text)
          where key.id = mark.id`.execute(transaction);
      });
    },
    isDuplicate(error, what) {
      const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
      return code === uniqueViolation && constraint === (what === 'name' ? uniqueName : `${keyTable}_pkey`);
    },
    async close() {
      await kysely.destroy();
      // They have said goodbye. A server that does not answer it must not keep the process alive.
      for (const { connection } of clients) (connection.stream as Socket).unref();
    },
  };
}

/**
 * Sets the level of each transaction, whatever the database's default is: a stricter one would fail, instead of letting
 * the loser of two changes see what the winner wrote (rule K17).
 */
class ReadCommittedDriver extends PostgresDriver {
  override beginTransaction(connection: DatabaseConnection): Promise<void> {
    return super.beginTransaction(connection, { isolationLevel: 'read committed' });
  }
}

/**
 * SQLSTATEs of what may succeed in a moment: a connection is lost or refused, the server stops, starts or lacks resources, a
 * timeout of the server ran out, others write the same rows, or the server has become a replica.
 */
const temporaryState = /^(?:08|53|57|40001|40P01|55P03|25006|25P0[34])/;
const sqlState = /^[0-9A-Z]{5}$/;

/** A prepared statement is unknown, or exists already: another server connection than the one that prepared it got the next query. */
const lostStatements = new Set(['26000', '42P05']);
const poolerAdvice = ' Behind PgBouncer in transaction mode, set its `max_prepared_statements` above 0 (from 1.21 on).';

/**
 * The pool for Kysely. What cannot be reached or does not answer now is `unavailable` (rule K19), and its connection is not used
 * again, not even to roll back: it may be lost, or lead to what has become a replica. Other errors name the database (rule K18).
 */
function toNamedPool(pool: Pool, name: string): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw namedError(error, name);
      });
      let lost: unknown;
      const query = async (...parameters: [sql: string, values: unknown[]]) => {
        if (lost !== undefined) throw lost;
        return await client.query(...parameters).catch((error: unknown) => {
          const named = namedError(error, name);
          if (named !== error) lost = named;
          throw named;
        });
      };
      return { query, release: () => client.release(lost !== undefined) } as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
  };
}

/** @returns an ApiKeyError for a database that does not answer, or not now; otherwise the same error, whose SQLSTATE others look at. */
function namedError(error: unknown, name: string): unknown {
  const { code } = (error ?? {}) as { code?: unknown };
  const state = typeof code === 'string' && sqlState.test(code) ? code : undefined;
  if (state === undefined || temporaryState.test(state)) {
    const cause = withDatabaseName(error, name);
    return new ApiKeyError('unavailable', 'The database cannot be used right now. Try again in a few seconds.', {
      cause,
    });
  }
  const message = (error as Error).message + (lostStatements.has(state) ? `.${poolerAdvice}` : '');
  if (!message.startsWith(`${name}: `)) (error as Error).message = `${name}: ${message}`;
  return error;
}
