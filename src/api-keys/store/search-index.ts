import { type Kysely, sql, type Transaction } from 'kysely';
import { type Dialect, keyTable, searchTable, type Tables } from './schema.js';

/** Finds part of a text without reading all texts: FTS5 on SQLite, a GIN index on PostgreSQL. */
export const trigramIndex = `${searchTable}_trigrams`;

/** The texts of so many keys are read in a few milliseconds. */
const fewKeys = 1000;

const withoutTrigrams: Readonly<Record<Dialect, string>> = {
  sqlite: 'This SQLite has no FTS5 with trigrams: a search for a rare word reads the texts of all API keys.',
  postgres:
    'The database has no index of trigrams: a search for a rare word reads the texts of all API keys. Run `create extension pg_trgm` in the database, and open the API keys once as the owner of the tables.',
};

/** @returns why a database without trigrams searches slowly, and what helps; nothing while it has few keys */
export async function adviseOnSearches(kysely: Kysely<Tables>, dialect: Dialect): Promise<string | undefined> {
  const { rows } = await sql`select 1 from ${sql.table(keyTable)} limit 1 offset ${fewKeys}`.execute(kysely);
  return rows.length === 0 ? undefined : withoutTrigrams[dialect];
}

/** Creates the index of trigrams, at any opening: extensions come and go. @returns whether the database has one now */
export async function createSearchIndex(transaction: Transaction<Tables>, dialect: Dialect): Promise<boolean> {
  return await (dialect === 'sqlite' ? createForSqlite(transaction) : createForPostgres(transaction));
}

async function createForSqlite(transaction: Transaction<Tables>): Promise<boolean> {
  const run = (statement: string) => sql.raw(statement).execute(transaction);
  const dropTriggers = async () => {
    for (const name of triggers.keys()) await run(`drop trigger if exists ${name}`);
  };
  if (!(await canHaveTrigrams(transaction))) {
    // In a file from a SQLite that had them, they would fail. The next one that has trigrams starts anew.
    await dropTriggers();
    return false;
  }
  const { rows } =
    await sql`select 1 from sqlite_master where name in (${sql.join([trigramIndex, ...triggers.keys()])})`.execute(
      transaction,
    );
  if (rows.length === 1 + triggers.size) return true;
  await dropTriggers();
  await run(`drop table if exists ${trigramIndex}`);
  await run(`create virtual table ${trigramIndex} using fts5 (text, content = '${searchTable}', content_rowid = 'number',
    ${tokens}, detail = 'none', columnsize = 0)`);
  await run(`insert into ${trigramIndex} (${trigramIndex}) values ('rebuild')`);
  for (const [name, statement] of triggers) await run(`create trigger ${name} ${statement}`);
  return true;
}

/** The texts are in lower case already. */
const tokens = "tokenize = 'trigram case_sensitive 1'";

const add = `insert into ${trigramIndex} (rowid, text) values (new.number, new.text);`;
const remove = `insert into ${trigramIndex} (${trigramIndex}, rowid, text) values ('delete', old.number, old.text);`;

/** They keep the index up to date. Texts are never deleted. */
const triggers: ReadonlyMap<string, string> = new Map([
  [`${searchTable}_inserted`, `after insert on ${searchTable} begin ${add} end`],
  [`${searchTable}_updated`, `after update of text on ${searchTable} begin ${remove} ${add} end`],
]);

async function canHaveTrigrams(transaction: Transaction<Tables>): Promise<boolean> {
  const probe = `temp.${trigramIndex}_probe`;
  try {
    await sql.raw(`create virtual table ${probe} using fts5 (text, ${tokens})`).execute(transaction);
  } catch {
    return false;
  }
  await sql.raw(`drop table ${probe}`).execute(transaction);
  return true;
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const insufficientPrivilege = '42501';

async function createForPostgres(transaction: Transaction<Tables>): Promise<boolean> {
  const { rows } = await sql<{ schema: string; hasIndex: boolean }>`select quote_ident(nspname) as schema,
    to_regclass(${trigramIndex}::text) is not null as "hasIndex" from pg_extension
    join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm'`.execute(transaction);
  const [extension] = rows;
  if (extension === undefined) return false;
  // Even with `if not exists`, creating it would need the right to.
  if (extension.hasIndex) return true;
  // The extension may be in a schema that is not on the search path.
  const operators = `${extension.schema}.gin_trgm_ops`;
  const run = (statement: string) => sql.raw(statement).execute(transaction);
  await run('savepoint no_index');
  try {
    await run(`create index if not exists ${trigramIndex} on ${searchTable} using gin (text ${operators})`);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code !== insufficientPrivilege) throw error;
    // The extension came after the tables, and only their owner may add an index.
    await run('rollback to savepoint no_index');
    return false;
  }
}
