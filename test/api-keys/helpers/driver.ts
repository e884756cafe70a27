import { onTestFinished, vi } from 'vitest';
import { openSqliteFile } from './databases.js';

type Database = Awaited<ReturnType<typeof openSqliteFile>>;
type DatabaseClass = new (file: string) => Database;

/**
 * From now on the package opens SQLite files with a subclass of the class that it would take.
 *
 * @returns how to end that.
 */
export async function extendSqlite(extend: (DatabaseSync: DatabaseClass) => DatabaseClass): Promise<() => void> {
  const probe = await openSqliteFile(':memory:');
  const DatabaseSync = extend(probe.constructor as DatabaseClass);
  probe.close();
  const { getBuiltinModule } = process;
  const spy = vi.spyOn(process, 'getBuiltinModule');
  spy.mockImplementation(((name: string) =>
    name === 'node:sqlite' ? { DatabaseSync } : getBuiltinModule(name as 'node:fs')) as never);
  return () => spy.mockRestore();
}

/** Databases that this test opens from now on have room for so many pages of 4 KiB, as if the disk ended there. */
export async function limitDatabases(pages: number): Promise<void> {
  const restore = await extendSqlite(
    (DatabaseSync) =>
      class extends DatabaseSync {
        constructor(file: string) {
          super(file);
          this.exec(`pragma max_page_count = ${pages}`);
        }
      },
  );
  onTestFinished(restore);
}
