import { type Kysely, sql, type Transaction } from 'kysely';
import {
  auditTable,
  type Dialect,
  endedSessionTable,
  keyTable,
  pepperTable,
  schemaTable,
  searchTable,
  type Tables,
  uniqueName,
} from './schema.js';
import { createSearchIndex } from './search-index.js';

// Any constant will do: the lock that processes share while one of them creates the tables.
const advisoryLock = 4_951_003_122;

/** Versions 1 to 3 were never released. */
const firstVersion = 4;

/** What leads from one version to the next; the first step starts in an empty database. */
const steps: readonly ((dialect: Dialect) => readonly string[])[] = [
  (dialect) => [...keyTableStatements(dialect), ...auditTableStatements(dialect), ...endedSessionStatements(dialect)],
  textsAndUses,
];

/**
 * Creates the tables in an empty database, and brings those of an earlier version up to date. Safe when several
 * processes open one database at once: SQLite's immediate transaction or PostgreSQL's advisory lock lets one go first,
 * and the others find the tables there.
 *
 * @returns whether searches have an index of trigrams
 * @throws Error when the tables are of a version that this release does not know, or the encoding lacks characters
 */
export async function createTables(kysely: Kysely<Tables>, dialect: Dialect): Promise<boolean> {
  const latest = firstVersion + steps.length - 1;
  return await kysely.transaction().execute(async (transaction) => {
    // On PostgreSQL, `if not exists` needs the right to create even where it exists.
    if (dialect === 'sqlite' || !(await findOnPostgres(transaction))) {
      await sql.raw(`create table if not exists ${schemaTable} (version integer not null)`).execute(transaction);
    }
    const row = await transaction.selectFrom(schemaTable).select('version').executeTakeFirst();
    const version = row?.version ?? firstVersion - 1;
    if (version > latest || (row !== undefined && version < firstVersion)) {
      throw new Error(`The database has API key tables of version ${version}; this release needs ${latest}.`);
    }
    for (const step of steps.slice(version - firstVersion + 1)) {
      for (const statement of step(dialect)) await sql.raw(statement).execute(transaction);
    }
    if (row === undefined) await transaction.insertInto(schemaTable).values({ version: latest }).execute();
    else if (version < latest) await transaction.updateTable(schemaTable).set({ version: latest }).execute();
    return await createSearchIndex(transaction, dialect);
  });
}

/**
 * Lets one process go on at a time, and finds the tables as every query does: along the search path, which may begin
 * with a schema of the role's own. What this transaction adds then comes beside them.
 *
 * @returns whether there are tables
 */
async function findOnPostgres(transaction: Transaction<Tables>): Promise<boolean> {
  const { rows } = await sql<{ encoding: string }>`select current_setting('server_encoding') as encoding,
    pg_advisory_xact_lock(${advisoryLock})`.execute(transaction);
  const encoding = rows[0]?.encoding ?? '';
  // One client with other characters would keep the uses of all keys from being written. SQL_ASCII takes any bytes.
  if (!['UTF8', 'SQL_ASCII'].includes(encoding)) {
    throw new Error(`The encoding of the database is ${encoding}, which lacks characters; API keys need UTF8.`);
  }
  const found = await sql`select set_config('search_path', quote_ident(nspname), true) from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace
    where pg_class.oid = to_regclass(${schemaTable}::text)`.execute(transaction);
  return found.rows.length > 0;
}

const endedRefusal = 'An API key that is revoked or expired stays so.';

const sqliteEndedStays = [
  `create trigger ${keyTable}_ended_stays before update of revoked_on, expired_on on ${keyTable}
     when (old.revoked_on is not null and new.revoked_on is not old.revoked_on)
       or (old.expired_on is not null and new.expired_on is not old.expired_on)
     begin select raise(abort, '${endedRefusal}'); end`,
];

const postgresEndedStays = [
  `create function ${keyTable}_refuse() returns trigger language plpgsql
     as $$ begin raise exception '${endedRefusal}'; end $$`,
  `create trigger ${keyTable}_ended_stays before update of revoked_on, expired_on on ${keyTable} for each row
     when ((old.revoked_on is not null and new.revoked_on is distinct from old.revoked_on)
       or (old.expired_on is not null and new.expired_on is distinct from old.expired_on))
     execute function ${keyTable}_refuse()`,
];

function keyTableStatements(dialect: Dialect): string[] {
  const sqlite = dialect === 'sqlite';
  // Compared as bytes: the order of pages must not depend on the server's locale.
  const text = sqlite ? 'text' : 'text collate "C"';
  const milliseconds = sqlite ? 'integer' : 'bigint';
  return [
    `create table ${keyTable} (
      id ${text} primary key,
      name ${text} not null,
      name_search ${text} not null,
      owner_id ${text} not null,
      owner_username text not null,
      owner_search ${text} not null,
      secret_hash ${sqlite ? 'blob' : 'bytea'} not null,
      pepper_version integer not null,
      created_on ${milliseconds} not null,
      expires_on ${milliseconds} not null,
      revoked_on ${milliseconds},
      last_accessed ${milliseconds} not null default 0,
      refused_uses ${milliseconds} not null default 0,
      last_refused_on ${milliseconds} not null default 0,
      version integer not null default 1,
      expired_on ${milliseconds}
    )${sqlite ? ' strict, without rowid' : ''}`,
    `create unique index ${uniqueName} on ${keyTable} (name)`,
    // One for each sort column: a page starts where the last one ended. The times tell Active from Expired and Revoked
    // without reading the row.
    ...['created_on', 'last_accessed', 'name_search', 'owner_search'].map(
      (column) =>
        `create index ${keyTable}_by_${column} on ${keyTable} (${column}, id, expires_on, expired_on, revoked_on)`,
    ),
    `create index ${keyTable}_by_expires_on on ${keyTable} (expires_on, id, expired_on, revoked_on)`,
    // Few keys are revoked: without these indexes, each page of them would scan all keys.
    ...['created_on', 'expires_on', 'last_accessed', 'name_search', 'owner_search'].map(
      (column) => `create index ${keyTable}_revoked_by_${column} on ${keyTable} (${column}, id)
        where revoked_on is not null`,
    ),
    `create index ${keyTable}_by_owner on ${keyTable} (owner_id, created_on, id)`,
    ...(sqlite ? sqliteEndedStays : postgresEndedStays),
    `create table ${pepperTable} (version integer primary key, fingerprint text not null)`,
  ];
}

function auditTableStatements(dialect: Dialect): string[] {
  const sqlite = dialect === 'sqlite';
  const text = sqlite ? 'text' : 'text collate "C"';
  return [
    `create table ${auditTable} (
      id ${sqlite ? 'integer primary key autoincrement' : 'bigint generated always as identity primary key'},
      api_key_id ${text} not null references ${keyTable} (id),
      owner_id ${text} not null,
      name text not null,
      author_id text not null,
      author_username text not null,
      acting_key_id text,
      acting_key_name text,
      change_time ${sqlite ? 'integer' : 'bigint'} not null,
      revision_type text not null,
      changes text not null,
      origin text not null
    )${sqlite ? ' strict' : ''}`,
    `create index ${auditTable}_by_key on ${auditTable} (api_key_id, id)`,
    `create index ${auditTable}_by_owner on ${auditTable} (owner_id, id)`,
    ...(sqlite ? sqliteAppendOnly : postgresAppendOnly),
  ];
}

function endedSessionStatements(dialect: Dialect): string[] {
  const sqlite = dialect === 'sqlite';
  return [
    `create table ${endedSessionTable} (id text primary key, ends_on ${sqlite ? 'integer' : 'bigint'} not null)
      ${sqlite ? 'strict, without rowid' : ''}`,
    `create index ${endedSessionTable}_by_ends_on on ${endedSessionTable} (ends_on)`,
  ];
}

/** Version 5: descriptions, the last uses, warnings before expiry, and indexes for searches and audit filters. */
function textsAndUses(dialect: Dialect): string[] {
  const sqlite = dialect === 'sqlite';
  const milliseconds = sqlite ? 'integer' : 'bigint';
  const column = (definition: string) => `alter table ${keyTable} add column ${definition}`;
  return [
    column("description text not null default ''"),
    column("recent_uses text not null default '[]'"),
    column(`warned_ms ${milliseconds} not null default ${Number.MAX_SAFE_INTEGER}`),
    column(`warning_until ${milliseconds} not null default 0`),
    // A table of its own: a row of keys is written at every use, and an index of trigrams has dozens of entries a row.
    sqlite
      ? `create table ${searchTable} (number integer primary key, id text not null unique references ${keyTable} (id),
          text text not null) strict`
      : `create table ${searchTable} (id text collate "C" primary key references ${keyTable} (id), text text not null)`,
    `insert into ${searchTable} (id, text) select id, name_search || ${sqlite ? 'char(10)' : 'chr(10)'} || owner_search from ${keyTable}`,
    // Every filter of the audit trail, in the order of its pages: among a million entries, the few of one author are
    // found without reading the rows.
    `create index ${auditTable}_by_filter on ${auditTable}
      (id, change_time, author_id, author_username, origin, revision_type)`,
  ];
}

const refusal = 'The audit trail is append-only.';

// The third trigger stops "insert or replace", which deletes without firing the second.
const sqliteAppendOnly = [
  `create trigger ${auditTable}_no_update before update on ${auditTable} begin select raise(abort, '${refusal}'); end`,
  `create trigger ${auditTable}_no_delete before delete on ${auditTable} begin select raise(abort, '${refusal}'); end`,
  `create trigger ${auditTable}_no_replace before insert on ${auditTable}
     when exists (select 1 from ${auditTable} where id = new.id) begin select raise(abort, '${refusal}'); end`,
];

const postgresAppendOnly = [
  `create function ${auditTable}_refuse() returns trigger language plpgsql
     as $$ begin raise exception '${refusal}'; end $$`,
  `create trigger ${auditTable}_append_only before update or delete or truncate on ${auditTable}
     for each statement execute function ${auditTable}_refuse()`,
];
