import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import type { AccessMark } from '../authentication/access-marks.js';
import { lookUpColumns, type StoreConnection, type StoredSecret } from './connection.js';
import { nameErrors, withDatabaseName } from './database-name.js';
import { busyTimeoutMs, type DatabaseSync, databaseSyncDialect, isLocked } from './database-sync-dialect.js';
import { importPeer } from './import-peer.js';
import { keyTable, type Tables } from './schema.js';

const pragmas = [
  // A commit that was answered is on the disk (rule K18).
  'journal_mode = wal',
  'synchronous = full',
  'foreign_keys = on',
  // Without it "insert or replace" deletes rows behind the triggers' back.
  'recursive_triggers = on',
  'trusted_schema = off',
  'cache_size = -65536',
];

/** Opens a SQLite file (made readable for its owner only) or `:memory:`. Errors say which file. */
export async function openSqlite(path: string): Promise<StoreConnection> {
  const { DatabaseSync } = await importDriver();
  if (path !== ':memory:') keepToOwner(path);
  const database = openNamed(DatabaseSync, path);
  try {
    await configure(database);
  } catch (error) {
    database.close();
    throw error;
  }
  const kysely = new Kysely<Tables>({ dialect: databaseSyncDialect(database) });
  // Prepared once, on first use: the tables do not exist yet, and this is the one query of every request.
  let lookUp: ReturnType<DatabaseSync['prepare']> | undefined;
  return {
    dialect: 'sqlite',
    kysely,
    lookUp(id) {
      lookUp ??= database.prepare(`select ${lookUpColumns} from ${keyTable} where id = ?`);
      return lookUp.get(id) as StoredSecret | undefined;
    },
    async writeMarks(marks) {
      const statement = sql`update concordat_api_key set
          last_accessed = max(last_accessed, mark.value ->> 1),
          refused_uses = refused_uses + (mark.value ->> 2),
          last_refused_on = max(last_refused_on, mark.value ->> 3)
        from json_each(${marksAsJson(marks)}) as mark
        where concordat_api_key.id = mark.value ->> 0`;
      // A transaction waits for other writers without blocking this process; a bare statement would not.
      await kysely.transaction().execute((transaction) => statement.execute(transaction));
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
 * Makes the file, or takes it and what SQLite has put beside it from everybody but its owner. A file that is there must not
 * be opened for that: closing it again would drop the locks that SQLite holds on it in this process.
 */
function keepToOwner(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile() || (found.mode & 0o077) === 0) continue;
    try {
      chmodSync(file, found.mode & 0o700);
    } catch (error) {
      // Gone since, or another user's, who alone may do this.
      if (!['ENOENT', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

/**
 * Node's own SQLite where there is one, else the package with the same interface. Always the same one of the two: file
 * locks belong to the process, so two libraries on one file would not keep each other out.
 */
async function importDriver(): Promise<{ DatabaseSync: new (path: string) => DatabaseSync }> {
  // Not `import('node:sqlite')`: Node 20 has none, and bundlers strip the prefix that is part of its name.
  const builtin = process.getBuiltinModule?.('node:sqlite' as 'node:fs') as unknown;
  if (builtin !== undefined) return builtin as { DatabaseSync: new (path: string) => DatabaseSync };
  return await importPeer('@photostructure/sqlite', 'SQLite on this version of Node', async () => {
    const driver = await import('@photostructure/sqlite');
    return driver as unknown as { DatabaseSync: new (path: string) => DatabaseSync };
  });
}

async function configure(database: DatabaseSync): Promise<void> {
  database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  for (const pragma of pragmas) {
    // Changing the journal mode does not wait for another process that does the same.
    for (let attemptsLeft = 100; ; attemptsLeft--) {
      try {
        database.exec(`pragma ${pragma}`);
        break;
      } catch (error) {
        if (attemptsLeft === 0 || !isLocked(error)) throw error;
        await pause(20);
      }
    }
  }
}

function marksAsJson(marks: ReadonlyMap<string, AccessMark>): string {
  return JSON.stringify(
    Array.from(marks, ([id, { lastAccessedMs, refusedUses, lastRefusedMs }]) => [
      id,
      lastAccessedMs,
      refusedUses,
      lastRefusedMs,
    ]),
  );
}
