import { isPostgresUrl } from './store/database-name.js';

/** Imports an optional peer dependency. @throws Error that says what to install, with what is needed `alongWith` it */
export async function importPeer<T>(
  name: string,
  purpose: string,
  load: () => Promise<T>,
  alongWith: readonly string[] = [],
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(name, error)) throw error;
    const packages = [name, ...alongWith].join(' ');
    throw new Error(`API keys need the package \`${name}\` for ${purpose}: npm install ${packages}`, { cause: error });
  }
}

function isMissing(name: string, error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && String(message).includes(name);
}

/** Node's built-in SQLite; `undefined` where there is none. */
export function builtInSqlite(): unknown {
  // Not `import('node:sqlite')`: Node 20 has none, and bundlers strip the prefix, which is part of its name.
  return process.getBuiltinModule?.('node:sqlite' as 'node:fs');
}

/** The packages of a database's driver. */
export function driversOf(database: string): string[] {
  if (isPostgresUrl(database)) return ['pg'];
  return builtInSqlite() === undefined ? ['@photostructure/sqlite'] : [];
}
