import { chmodSync, closeSync, lstatSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { ApiKeyError } from '../api-key-error.js';
import { builtInSqlite, peerError } from '../peer-error.js';
import { addMarks, lookUpColumns, type StoreConnection, type StoredSecret, type StoredUses } from './connection.js';
import { nameErrors, withDatabaseName } from './database-name.js';
import {
  busyTimeoutMs,
  type CheckFile,
  type DatabaseSync,
  databaseSyncDialect,
  isLocked,
} from './database-sync-dialect.js';
import { keyTable, type Tables } from './schema.js';

const pragmas = [
  // A commit that was reported is on the disk (rule K18).
  'journal_mode = wal',
  'synchronous = full',
  'foreign_keys = on',
  // Without it, "insert or replace" deletes rows without firing the triggers.
  'recursive_triggers = on',
  'trusted_schema = off',
  'cache_size = -65536',
];

const checkIntervalMs = 1000;

/** Opens a SQLite file, readable by its owner only, or `:memory:`. Errors name the file. */
export async function openSqlite(path: string): Promise<StoreConnection> {
  const { DatabaseSync } = await importDriver();
  const file = path === ':memory:' ? undefined : targetOf(path);
  if (file !== undefined) createForOwner(file);
  const database = openNamed(DatabaseSync, path);
  try {
    database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    // Reads the file's beginning: what is no database is refused, and stays as it is.
    await setPragma(database, 'schema_version');
    if (file !== undefined) keepToOwner(file);
    for (const pragma of pragmas) await setPragma(database, pragma);
  } catch (error) {
    database.close();
    throw error;
  }
  const checkFile = fileCheck(path);
  const kysely = new Kysely<Tables>({ dialect: databaseSyncDialect(database, checkFile) });
  // Prepared on first use, when the tables exist. Every request runs it.
  let lookUp: ReturnType<DatabaseSync['prepare']> | undefined;
  return {
    dialect: 'sqlite',
    kysely,
    lookUp(id) {
      checkFile('read');
      lookUp ??= database.prepare(`select ${lookUpColumns} from ${keyTable} where id = ?`);
      return lookUp.get(id) as StoredSecret | undefined;
    },
    async writeMarks(marks, keptUses) {
      // A transaction waits for other writers without blocking the process; a bare statement would block it.
      await kysely.transaction().execute(async (transaction) => {
        const ids = JSON.stringify([...marks.keys()]);
        const { rows } = await sql<StoredUses>`select id, recent_uses as "recentUses" from concordat_api_key
          where id in (select value from json_each(${ids}))`.execute(transaction);
        await sql`update concordat_api_key set
            last_accessed = max(last_accessed, mark.value ->> 'lastAccessedMs'),
            refused_uses = refused_uses + (mark.value ->> 'refusedUses'),
            last_refused_on = max(last_refused_on, mark.value ->> 'lastRefusedMs'),
            recent_uses = mark.value ->> 'recentUses'
          from json_each(${JSON.stringify(addMarks(rows, marks, keptUses))}) as mark
          where concordat_api_key.id = mark.value ->> 'id'`.execute(transaction);
      });
    },
    isDuplicate(error, what) {
      const message = error instanceof Error ? error.message : '';
      return message.includes(`UNIQUE constraint failed: ${keyTable}.${what}`);
    },
    async close() {
      lookUp = undefined;
      await kysely.destroy();
    },
  };
}

function openNamed(DatabaseSync: new (path: string) => DatabaseSync, path: string): DatabaseSync {
  try {
    return nameErrors(new DatabaseSync(path), path);
  } catch (error) {
    throw withDatabaseName(error, path);
  }
}

/**
 * Notices that the file has been replaced or deleted, as by a restored backup: what this process then writes is lost, and
 * what others write, revocations included, it does not see (rules K11, K18). Looks before each change, and once a second.
 */
function fileCheck(path: string): CheckFile {
  if (path === ':memory:') return () => {};
  const file = resolve(path);
  const identify = () => {
    try {
      const { dev, ino } = statSync(file, { bigint: true });
      return `${dev} ${ino}`;
    } catch {
      return undefined; // not there, or not to be seen
    }
  };
  const opened = identify();
  let checkedAt = performance.now();
  return (purpose) => {
    if (purpose === 'read' && performance.now() - checkedAt < checkIntervalMs) return;
    if (identify() !== opened) {
      const cause = new Error(`${path}: the file has been replaced or deleted since it was opened`);
      throw new ApiKeyError('unavailable', 'The database has been replaced or deleted. Restart the service.', {
        cause,
      });
    }
    checkedAt = performance.now();
  };
}

/** Where a link leads, even to nothing yet: there SQLite creates the file, and its others beside it. */
function targetOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return realpathSync(path);
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
  return targetOf(resolve(realpathSync(dirname(path)), readlinkSync(path)));
}

/** Creates the file, if there is none, readable by its owner only. */
function createForOwner(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Restricts the file and SQLite's files beside it to their owner. An existing file must not be opened for this: closing it
 * would drop the locks that SQLite holds on it in this process.
 */
function keepToOwner(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile() || (found.mode & 0o077) === 0) continue;
    try {
      chmodSync(file, found.mode & 0o700);
    } catch (error) {
      // Deleted meanwhile, or owned by another user.
      if (!['ENOENT', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

/**
 * Node's built-in SQLite where there is one, otherwise the package with the same interface. Never both: file locks
 * belong to the process, so two libraries would not lock each other out.
 */
async function importDriver(): Promise<{ DatabaseSync: new (path: string) => DatabaseSync }> {
  const builtin = builtInSqlite();
  if (builtin !== undefined) return builtin as { DatabaseSync: new (path: string) => DatabaseSync };
  try {
    const driver = await import('@photostructure/sqlite');
    return driver as unknown as { DatabaseSync: new (path: string) => DatabaseSync };
  } catch (error) {
    throw peerError(error, '@photostructure/sqlite', 'SQLite on this version of Node');
  }
}

async function setPragma(database: DatabaseSync, pragma: string): Promise<void> {
  // Changing the journal mode does not wait for another process that changes it too.
  for (let attemptsLeft = 100; ; attemptsLeft--) {
    try {
      return database.exec(`pragma ${pragma}`);
    } catch (error) {
      if (attemptsLeft === 0 || !isLocked(error)) throw error;
      await pause(20);
    }
  }
}
