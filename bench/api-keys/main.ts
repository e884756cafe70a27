// Figures of concordat/api-keys at a million keys. Started by bench/run.ts, see docs/performance.md.
import { parseArgs } from 'node:util';
import type { ApiKeys } from 'concordat/api-keys';
import { describeLoad, describeMachine } from '../machine.js';
import { benchAudits } from './audits.js';
import { benchAuthenticate } from './authenticate.js';
import { benchBare } from './bare.js';
import { type BetterAuth, fillBetterAuth, openBetterAuth } from './better-auth.js';
import { benchCreate } from './create.js';
import { type BenchDatabase, postgresDatabase, sqliteDatabase } from './databases.js';
import { benchList } from './list.js';
import { openApiKeys } from './package-under-test.js';
import { auditRows, directory, type FilledKey, isActive, keyRow, makeKeys, owners, searchRow } from './rows.js';

/** What every figure is measured on. */
export interface Setting {
  readonly databaseKind: BenchDatabase['kind'];
  readonly database: BenchDatabase;
  readonly apiKeys: ApiKeys;
  /** With as many keys, made when the first figure asks for it. */
  peer(): Promise<BetterAuth>;
  readonly keys: readonly FilledKey[];
  /** Keys that authenticate, at random. */
  readonly activeKeys: readonly FilledKey[];
}

const figures: Readonly<Record<string, (setting: Setting) => Promise<void>>> = {
  authenticate: benchAuthenticate,
  list: benchList,
  audits: benchAudits,
  // These add keys, which the pages above would show.
  create: benchCreate,
  bare: benchBare,
};

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '1000000' },
    database: { type: 'string', default: process.env.CONCORDAT_POSTGRES_URL === undefined ? 'sqlite' : 'postgres' },
    figures: { type: 'string', default: Object.keys(figures).join(',') },
  },
});
const keyCount = Number(values.keys);
if (!Number.isInteger(keyCount) || keyCount < 1000) throw new TypeError('`--keys` must be a whole number from 1000.');
const chosen = values.figures.split(',').map((name) => {
  const figure = figures[name];
  if (figure === undefined) throw new TypeError(`\`--figures\` must be some of ${Object.keys(figures).join(', ')}.`);
  return figure;
});

const [database, peerDatabase] = await openDatabases(values.database);
try {
  await benchAll(database, peerDatabase);
} finally {
  await database.remove();
  await peerDatabase.remove();
}

async function openDatabases(kind: string): Promise<[BenchDatabase, BenchDatabase]> {
  if (kind === 'sqlite') return [sqliteDatabase(), sqliteDatabase()];
  const serverUrl = process.env.CONCORDAT_POSTGRES_URL;
  if (kind !== 'postgres' || serverUrl === undefined) {
    throw new TypeError('`--database` must be sqlite, or postgres within scripts/with-postgres.sh.');
  }
  return [await postgresDatabase(serverUrl, 'bench_concordat'), await postgresDatabase(serverUrl, 'bench_better_auth')];
}

async function benchAll(database: BenchDatabase, peerDatabase: BenchDatabase): Promise<void> {
  const nowMs = Date.now();
  const startedAtMs = performance.now();
  const keys = makeKeys(keyCount, nowMs);
  const apiKeys = await openApiKeys({ database: database.url, edition: 'Ultimate', users: directory() });
  await apiKeys.close();
  await fillConcordat(database, keys);
  let betterAuth: Promise<BetterAuth> | undefined;
  const setting: Setting = {
    databaseKind: database.kind,
    database,
    apiKeys: await openApiKeys({ database: database.url, edition: 'Ultimate', users: directory() }),
    peer() {
      betterAuth ??= openFilledPeer(peerDatabase, keys, nowMs);
      return betterAuth;
    },
    keys,
    // Keys stand in the order of their random ids, so every n-th is a random sample.
    activeKeys: keys.filter((key) => isActive(key, nowMs + 3_600_000)),
  };
  console.log(`${describeMachine()}; ${new Date().toISOString()}`);
  console.log(
    `${keyCount} keys on ${database.kind}, ${setting.activeKeys.length} of them Active, ` +
      `in ${owners.length} owners' names, filled in ${Math.round((performance.now() - startedAtMs) / 1000)} s`,
  );
  try {
    for (const figure of chosen) {
      console.log(`\n${describeLoad()}`);
      await figure(setting);
    }
  } finally {
    await setting.apiKeys.close();
    await (await betterAuth)?.close();
  }
}

async function openFilledPeer(database: BenchDatabase, keys: readonly FilledKey[], nowMs: number): Promise<BetterAuth> {
  await (await openBetterAuth(database)).close();
  await fillBetterAuth(database, keys, nowMs);
  // Opened after the load: a connection from before would still have to learn of the new indexes.
  const betterAuth = await openBetterAuth(database);
  console.log(`better-auth ${betterAuth.version} with as many keys`);
  return betterAuth;
}

async function fillConcordat(database: BenchDatabase, keys: readonly FilledKey[]): Promise<void> {
  const tables = ['concordat_api_key', 'concordat_api_key_audit', 'concordat_api_key_search'] as const;
  await database.withoutIndexes(tables, async () => {
    await database.insert(
      tables[0],
      mapped(keys, (key) => [keyRow(key)]),
    );
    // In the order of their times, as they were written.
    await database.insert(
      tables[1],
      keys.flatMap(auditRows).sort((one, other) => one.change_time - other.change_time),
    );
    await database.insert(
      tables[2],
      mapped(keys, (key) => [searchRow(key)]),
    );
  });
}

function* mapped<T>(keys: readonly FilledKey[], toRows: (key: FilledKey) => T[]) {
  for (const key of keys) yield* toRows(key);
}
