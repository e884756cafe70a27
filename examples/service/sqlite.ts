import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';

export type { DatabaseSyncInstance } from '@photostructure/sqlite';

/**
 * Opens a SQLite file, which only its owner can read, and sets it up.
 *
 * @throws Error that names the file and says what to do when it cannot be used.
 */
export async function openSqlite(file: string, setUp: string): Promise<DatabaseSyncInstance> {
  const DatabaseSync = await loadDriver();
  try {
    keepToOwner(file);
    const database = new DatabaseSync(file);
    database.exec(setUp);
    return database;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${file} cannot be used (${reason}). It must be a SQLite file that this user may write: ` +
        'correct that, or move it away to begin with an empty one.',
      { cause: error },
    );
  }
}

/** Made before the rest, and with nothing in it yet. Not opened when it is there: closing it would drop SQLite's locks. */
function keepToOwner(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  for (const one of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(one)) chmodSync(one, 0o600);
}

/** Closes it with everything in its one file, so that this file can be copied. */
export function closeSqlite(database: DatabaseSyncInstance): void {
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
}

/** All of it or nothing, and nobody else's writes in between. */
export function inTransaction<Result>(database: DatabaseSyncInstance, work: () => Result): Result {
  database.exec('begin immediate');
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
}

/** Node's own SQLite where it has one (not in version 20), else the package with the same interface. */
async function loadDriver() {
  const builtin = process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown;
  const driver = (builtin ?? (await import('@photostructure/sqlite'))) as typeof import('@photostructure/sqlite');
  return driver.DatabaseSync;
}
