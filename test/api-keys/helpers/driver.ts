import { vi } from 'vitest';
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
