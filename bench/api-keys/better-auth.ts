// better-auth with its API key plugin, on the driver and the settings of the package. Its types are not used: the project
// type-checks without what only bench/ installs.
import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { BenchDatabase, SqliteConnection } from './databases.js';
import { type FilledKey, owners } from './rows.js';

interface Auth {
  readonly api: {
    verifyApiKey(input: { body: { key: string } }): Promise<{ valid: boolean }>;
    createApiKey(input: { body: { name: string; userId: string; expiresIn: number } }): Promise<{ key: string }>;
  };
}

export interface BetterAuth {
  readonly version: string;
  readonly api: Auth['api'];
  /** Switches whether commits wait for the disk. SQLite only. */
  setSynchronous(level: 'full' | 'normal'): void;
  close(): Promise<void>;
}

const load = async <Module>(specifier: string): Promise<Module> => (await import(specifier)) as Module;

export async function openBetterAuth(database: BenchDatabase): Promise<BetterAuth> {
  const { betterAuth } = await load<{ betterAuth(options: object): Auth }>('better-auth');
  const { apiKey } = await load<{ apiKey(options: object): object }>('@better-auth/api-key');
  const { getMigrations } = await load<{
    getMigrations(options: object): Promise<{ runMigrations(): Promise<void> }>;
  }>('better-auth/db/migration');
  const { default: manifest } = (await import('../package.json', { with: { type: 'json' } })) as {
    default: { dependencies: Record<string, string> };
  };
  const connection = database.connect();
  const options = {
    database:
      database.kind === 'postgres' ? connection : { dialect: await sqliteDialect(connection), type: 'sqlite' as const },
    secret: randomBytes(32).toString('hex'),
    baseURL: 'http://127.0.0.1',
    logger: { disabled: true },
    telemetry: { enabled: false },
    // Its default allows ten requests a day for each key.
    plugins: [apiKey({ rateLimit: { enabled: false } })],
  };
  await (await getMigrations(options)).runMigrations();
  return {
    version: manifest.dependencies['@better-auth/api-key'] ?? 'unknown',
    api: betterAuth(options).api,
    setSynchronous(level) {
      (connection as SqliteConnection).exec(`pragma synchronous = ${level}`);
    },
    async close() {
      if (database.kind === 'postgres') await (connection as pg.Pool).end();
      else (connection as SqliteConnection).close();
    },
  };
}

/** better-auth knows `node:sqlite` by its class, but not the package that stands in for it on Node 20: its dialect is named. */
async function sqliteDialect(database: unknown): Promise<object> {
  const { NodeSqliteDialect } = await load<{ NodeSqliteDialect: new (config: object) => object }>(
    '@better-auth/kysely-adapter/node-sqlite-dialect',
  );
  return new NodeSqliteDialect({ database });
}

/**
 * The same keys in better-auth's table, as its `createApiKey` would have stored them. All of them enabled and in date: it
 * deletes expired ones when it next creates a key.
 */
export async function fillBetterAuth(database: BenchDatabase, keys: readonly FilledKey[], nowMs: number) {
  const time = (ms: number) => new Date(ms).toISOString();
  const flag = (value: boolean) => (database.kind === 'postgres' ? value : Number(value));
  await database.insert(
    '"user"',
    owners.map(({ id, username }) => ({
      id,
      name: username,
      email: `${username}@example.com`,
      emailVerified: flag(true),
      createdAt: time(nowMs),
      updatedAt: time(nowMs),
    })),
  );
  await database.withoutIndexes(['apikey'], () => database.insert('apikey', rows(keys, nowMs, time, flag)));
}

function* rows(
  keys: readonly FilledKey[],
  nowMs: number,
  time: (ms: number) => string,
  flag: (value: boolean) => boolean | number,
) {
  for (const { id, key, name, owner, createdOnMs, lastAccessedMs } of keys) {
    yield {
      id,
      configId: 'default',
      name,
      start: key.slice(0, 6),
      referenceId: owner.id,
      prefix: null,
      key: createHash('sha256').update(key).digest('base64url'),
      refillInterval: null,
      refillAmount: null,
      lastRefillAt: null,
      enabled: flag(true),
      rateLimitEnabled: flag(false),
      rateLimitTimeWindow: 86_400_000,
      rateLimitMax: 10,
      requestCount: 0,
      remaining: null,
      lastRequest: lastAccessedMs === 0 ? null : time(lastAccessedMs),
      expiresAt: time(nowMs + 300 * 86_400_000),
      createdAt: time(createdOnMs),
      updatedAt: time(createdOnMs),
      permissions: null,
      metadata: null,
    };
  }
}
