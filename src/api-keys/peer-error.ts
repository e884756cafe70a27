import { isPostgresUrl } from './store/database-name.js';

/**
 * What to throw where an optional peer dependency cannot be imported: what to install, with what is needed `alongWith` it.
 * The `import` itself has to be awaited in a `try`: by that, bundlers know that it may fail.
 */
export function peerError(cause: unknown, name: string, purpose: string, alongWith: readonly string[] = []): unknown {
  if (!isMissing(name, cause)) return cause;
  const packages = [name, ...alongWith].join(' ');
  return new Error(`API keys need the package \`${name}\` for ${purpose}: npm install ${packages}`, { cause });
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
