import { ApiKeyError } from '../api-key-error.js';
import type { DatabaseSync } from './database-sync-dialect.js';

/** Whether it is the URL of a PostgreSQL database; otherwise it is the path of a file. */
export function isPostgresUrl(database: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(database);
}

/** How errors name a database: the file path, or the server's address without user and password. */
export function nameOfDatabase(database: string): string {
  if (!isPostgresUrl(database)) return database;
  if (!URL.canParse(database)) return 'PostgreSQL';
  const { host, pathname, search, hash } = new URL(database);
  // A password that is not percent-encoded: what comes before its `/`, `?` or `#` would pass for the host.
  if (`${pathname}${search}${hash}`.includes('@')) return 'PostgreSQL';
  return `postgres://${host}${pathname}`;
}

/** The same error with the database's name before its message, unless it is there already. */
export function withDatabaseName(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || error.message.startsWith(`${name}: `)) return error;
  const { code } = error as { code?: unknown };
  return Object.assign(new Error(`${name}: ${reasonOf(error)}`, { cause: error }), code !== undefined && { code });
}

/** After several attempts, such as over IPv4 and IPv6, an AggregateError has no message of its own. */
function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return error.message === '' && first instanceof Error ? first.message : error.message;
}

/** The same for an error of SQLite, with what to do. */
function explained(error: unknown, name: string): unknown {
  const named = withDatabaseName(error, name);
  const message = named instanceof Error ? named.message : '';
  if (message.endsWith('database or disk is full')) {
    return new ApiKeyError('unavailable', 'The disk of the database is full: nothing can be changed.', {
      cause: named,
    });
  }
  if (!message.endsWith('attempt to write a readonly database')) return named;
  const hint = 'this process must be able to write the file, and to create files in its folder';
  return Object.assign(named as Error, { message: `${message}: ${hint}` });
}

/** Wraps a database so that its errors name it. */
export function nameErrors(database: DatabaseSync, name: string): DatabaseSync {
  const named =
    <Arguments extends unknown[], Result>(work: (...rest: Arguments) => Result) =>
    (...rest: Arguments): Result => {
      try {
        return work(...rest);
      } catch (error) {
        throw explained(error, name);
      }
    };
  return {
    exec: named((sql: string) => database.exec(sql)),
    prepare: named((sql: string) => {
      const statement = database.prepare(sql);
      return {
        get: named((...parameters: unknown[]) => statement.get(...parameters)),
        all: named((...parameters: unknown[]) => statement.all(...parameters)),
      };
    }),
    close: () => database.close(),
  };
}
