import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiKeys, type OpenApiKeysOptions, openApiKeys } from 'concordat/api-keys';
import pg from 'pg';
import { onTestFinished } from 'vitest';

/** One empty database of a test. */
export interface TestDatabase {
  /** What `openApiKeys` takes; may be opened several times, also by other processes. */
  readonly url: string;
  /** Runs statements past the package. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Everything that is stored, as text. */
  dump(): Promise<string>;
  remove(): Promise<void>;
}

export interface DatabaseKind {
  readonly name: string;
  create(): Promise<TestDatabase>;
}

/**
 * Opens a SQLite file past the package, with the library that the package uses: a second one in the same process would
 * not see the locks of the first.
 */
export async function openSqliteFile(path: string) {
  const builtin = process.getBuiltinModule?.('node:sqlite' as 'node:fs') as unknown;
  const { DatabaseSync } = (builtin ??
    (await import('@photostructure/sqlite'))) as typeof import('@photostructure/sqlite');
  return new DatabaseSync(path);
}

export const sqlite: DatabaseKind = {
  name: 'SQLite',
  async create() {
    const directory = mkdtempSync(join(tmpdir(), 'concordat-api-keys-'));
    const url = join(directory, 'keys.db');
    return {
      url,
      async query(statement) {
        const database = await openSqliteFile(url);
        try {
          database.exec('pragma busy_timeout = 5000');
          return database.prepare(statement).all() as Record<string, unknown>[];
        } finally {
          database.close();
        }
      },
      async dump() {
        return readdirSync(directory)
          .map((file) => readFileSync(join(directory, file)).toString('latin1'))
          .join('\n');
      },
      async remove() {
        rmSync(directory, { recursive: true, force: true });
      },
    };
  },
};

const tables = [
  'concordat_api_key',
  'concordat_api_key_audit',
  'concordat_api_key_pepper',
  'concordat_api_key_schema',
  'concordat_api_key_search',
  'concordat_ended_session',
];

/** Runs a statement on PostgreSQL, past the package. */
export async function runOnPostgres(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

function postgres(serverUrl: string): DatabaseKind {
  return {
    name: 'PostgreSQL',
    async create() {
      // A schema of its own is as good as a database, and much sooner made.
      const schema = `test_${randomBytes(8).toString('hex')}`;
      await runOnPostgres(serverUrl, `create schema ${schema}`);
      const url = `${serverUrl}?options=-c%20search_path%3D${schema}`;
      return {
        url,
        query: (statement) => runOnPostgres(url, statement),
        async dump() {
          const rows = await Promise.all(
            tables.map((table) => runOnPostgres(url, `select t::text as text from ${table} t`)),
          );
          return rows
            .flat()
            .map(({ text }) => text)
            .join('\n');
        },
        async remove() {
          await runOnPostgres(serverUrl, `drop schema ${schema} cascade`);
        },
      };
    },
  };
}

const serverUrl = process.env.CONCORDAT_POSTGRES_URL;

/** SQLite; or PostgreSQL, if `CONCORDAT_POSTGRES_URL` names a server (scripts/with-postgres.sh). */
export const databaseKinds: readonly DatabaseKind[] = [serverUrl ? postgres(serverUrl) : sqlite];

/** An empty database that goes away after the test. */
export async function emptyDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  const database = await kind.create();
  onTestFinished(() => database.remove());
  return database;
}

/** Opens API keys that are closed after the test. */
export async function openForTest(options: OpenApiKeysOptions): Promise<ApiKeys> {
  const apiKeys = await openApiKeys(options);
  onTestFinished(() => apiKeys.close());
  return apiKeys;
}
