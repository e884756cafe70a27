import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';

export type SqliteConnection = InstanceType<typeof DatabaseSync>;

/** A database that is filled past the package that reads it. */
export interface BenchDatabase {
  readonly kind: 'sqlite' | 'postgres';
  /** What `openApiKeys` takes. */
  readonly url: string;
  /** The driver's object, with the settings of the package, as better-auth takes it. */
  connect(): SqliteConnection | pg.Pool;
  /** Inserts rows of one shape. */
  insert(table: string, rows: Iterable<object>): Promise<void>;
  /** Runs a job without the indexes of a table, and makes them again from their own definitions. */
  withoutIndexes(tables: readonly string[], job: () => Promise<void>): Promise<void>;
  /** What autovacuum does within minutes of many changes. */
  settle(table: string): Promise<void>;
  remove(): Promise<void>;
}

const rowsPerBatch = 10_000;

export function sqliteDatabase(): BenchDatabase {
  const directory = mkdtempSync(join(process.env.CONCORDAT_BENCH_DIRECTORY ?? tmpdir(), 'concordat-bench-'));
  const url = join(directory, 'keys.db');
  const connect = () => {
    const database = new DatabaseSync(url);
    // As the package sets them: durable commits, and the same cache.
    for (const pragma of ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on', 'cache_size = -65536']) {
      database.exec(`pragma ${pragma}`);
    }
    return database;
  };
  const use = <Result>(job: (database: SqliteConnection) => Result): Result => {
    const database = connect();
    try {
      return job(database);
    } finally {
      database.close();
    }
  };
  return {
    kind: 'sqlite',
    url,
    connect,
    async insert(table, rows) {
      use((database) => {
        database.exec('begin immediate');
        let statement: ReturnType<SqliteConnection['prepare']> | undefined;
        for (const row of rows) {
          const names = Object.keys(row).map((name) => `"${name}"`);
          statement ??= database.prepare(`insert into ${table} (${names}) values (${names.map(() => '?')})`);
          statement.run(...(Object.values(row) as (string | number | null)[]));
        }
        database.exec('commit');
      });
    },
    async withoutIndexes(tables, job) {
      const isOf = `type = 'index' and sql is not null and tbl_name in (${tables.map((table) => `'${table}'`)})`;
      const indexes = use((database) => {
        const found = database.prepare(`select name, sql from sqlite_master where ${isOf}`).all();
        for (const { name } of found) database.exec(`drop index "${name}"`);
        return found;
      });
      await job();
      use((database) => {
        for (const { sql } of indexes) database.exec(String(sql));
        database.exec('pragma wal_checkpoint(truncate)');
      });
    },
    async settle() {},
    async remove() {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A schema of its own on the server that `CONCORDAT_POSTGRES_URL` names. */
export async function postgresDatabase(serverUrl: string, schema: string): Promise<BenchDatabase> {
  const url = `${serverUrl}?options=-c%20search_path%3D${schema}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  // With the index of trigrams, as docs/api-keys.md recommends.
  await admin.query('create extension if not exists pg_trgm schema public');
  await admin.query(`drop schema if exists ${schema} cascade; create schema ${schema}`);
  const insertBatch = async (table: string, batch: readonly object[]) => {
    const first = batch[0];
    if (first === undefined) return;
    const names = Object.keys(first).map((name) => `"${name}"`);
    // PostgreSQL reads the JSON as rows of the table itself, whatever its types.
    await admin.query(
      `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(batch, (_, value) => (value?.type === 'Buffer' ? bytea(value.data) : value))],
    );
  };
  return {
    kind: 'postgres',
    url,
    connect: () => new pg.Pool({ connectionString: url }),
    async insert(table, rows) {
      let batch: object[] = [];
      for (const row of rows) {
        batch.push(row);
        if (batch.length === rowsPerBatch) {
          await insertBatch(table, batch);
          batch = [];
        }
      }
      await insertBatch(table, batch);
    },
    async withoutIndexes(tables, job) {
      const { rows } = await admin.query(
        `select indexname, indexdef from pg_indexes where schemaname = $1 and tablename = any($2)
          and indexname not in (select conname from pg_constraint)`,
        [schema, tables],
      );
      for (const { indexname } of rows) await admin.query(`drop index "${indexname}"`);
      await job();
      for (const { indexdef } of rows) await admin.query(indexdef);
      for (const table of tables) await vacuum(admin, table);
      await admin.query('checkpoint');
    },
    settle: (table) => vacuum(admin, table),
    async remove() {
      await admin.query(`drop schema ${schema} cascade`);
      await admin.end();
    },
  };
}

/** Until every page is marked as visible to all: a snapshot that autovacuum holds at that moment would leave some out. */
async function vacuum(admin: pg.Client, table: string): Promise<void> {
  for (;;) {
    await admin.query(`vacuum analyze ${table}`);
    const { rows } = await admin.query(
      'select relallvisible < relpages as hidden from pg_class where oid = $1::regclass',
      [table],
    );
    if (!rows[0].hidden) return;
  }
}

function bytea(bytes: readonly number[]): string {
  return `\\x${Buffer.from(bytes).toString('hex')}`;
}
