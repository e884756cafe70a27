import { setTimeout as pause } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { ApiKeyError } from '../api-key-error.js';

/** The part of `node:sqlite` used here; `@photostructure/sqlite` has the same interface. */
export interface DatabaseSync {
  exec(sql: string): void;
  prepare(sql: string): StatementSync;
  close(): void;
}

export interface StatementSync {
  get(...parameters: unknown[]): unknown;
  all(...parameters: unknown[]): unknown[];
}

/** @throws ApiKeyError `unavailable` if the file is no longer the one that was opened. */
export type CheckFile = (purpose: 'read' | 'write') => void;

const lockTimeoutMs = 10_000;
const busyMessage = 'Another program is writing to the database. Try again in a few seconds.';
/** For the rare moments when even a reader waits: another process recovers or closes the database. */
export const busyTimeoutMs = 5000;

export function isLocked(error: unknown): boolean {
  return error instanceof Error && /database (?:table )?is locked/.test(error.message);
}

/** Kysely on a synchronous SQLite connection. Transactions are immediate, so none fails half-way because of a lock. */
export function databaseSyncDialect(database: DatabaseSync, checkFile: CheckFile): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DatabaseSyncDriver(database, checkFile),
    createIntrospector: (kysely: Kysely<unknown>) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** There is one connection: callers wait until it is free, for a whole transaction from the moment that it may write. */
class DatabaseSyncDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #checkFile: CheckFile;
  readonly #connection: DatabaseConnection;
  #last: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  constructor(database: DatabaseSync, checkFile: CheckFile) {
    this.#database = database;
    this.#checkFile = checkFile;
    this.#connection = {
      executeQuery: async <Row>({ sql, parameters }: CompiledQuery) => {
        checkFile('read');
        return { rows: database.prepare(sql).all(...parameters) as Row[] };
      },
      // biome-ignore lint/correctness/useYield: nothing here streams, and the interface asks for it.
      async *streamQuery() {
        throw new Error('Streaming is not supported.');
      },
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#last;
    let release = () => {};
    this.#last = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    this.#release = release;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  /**
   * Waits for other writers without blocking the event loop. SQLite's own busy handler blocks it, and the writer may be
   * another connection of this process, which could then never finish. Readers have the connection meanwhile.
   *
   * @throws ApiKeyError `unavailable` after ten seconds.
   */
  async beginTransaction(): Promise<void> {
    const giveUpAt = performance.now() + lockTimeoutMs;
    for (;;) {
      this.#database.exec('pragma busy_timeout = 0');
      try {
        this.#database.exec('begin immediate');
        break;
      } catch (error) {
        if (!isLocked(error)) throw error;
        if (performance.now() > giveUpAt) throw new ApiKeyError('unavailable', busyMessage, { cause: error });
      } finally {
        this.#database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
      }
      this.#release();
      // A random wait keeps writers from meeting again and again.
      await pause(1 + Math.random() * 4);
      await this.acquireConnection();
    }
    try {
      this.#checkFile('write'); // after the wait, during which a backup may have been restored
    } catch (error) {
      this.#database.exec('rollback');
      throw error;
    }
  }

  async commitTransaction(): Promise<void> {
    this.#database.exec('commit');
  }

  async rollbackTransaction(): Promise<void> {
    try {
      this.#database.exec('rollback');
    } catch (error) {
      // SQLite has rolled back already, for example because the disk is full: the first error says more.
      if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw error;
    }
  }

  /**
   * Closes the database with everything in its one file, so that the file is a complete copy. Closing alone is not
   * enough: `@photostructure/sqlite` leaves its statements, and with them the connection and the log, to the garbage
   * collector.
   */
  async destroy(): Promise<void> {
    await this.acquireConnection();
    try {
      this.#checkFile('write'); // the log beside it is that of another file by now
      this.#database.exec('pragma busy_timeout = 0; pragma wal_checkpoint(truncate); pragma journal_mode = delete');
    } catch {
      // Another connection is open, the disk is full, or the file is another: the log stays, and the next open reads it.
    } finally {
      this.#database.close();
      await this.releaseConnection();
    }
  }
}
