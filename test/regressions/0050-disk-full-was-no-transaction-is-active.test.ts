// A full disk was reported as "cannot rollback - no transaction is active": SQLite had rolled back by itself, the rollback
// that followed failed, and its error hid the reason. A security review found it with a database on a small tmpfs. No
// error of the store named its file, either.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openApiKeys } from 'concordat/api-keys';
import { expect, it, onTestFinished } from 'vitest';
import { databaseKinds, emptyDatabase, openForTest, openSqliteFile } from '../api-keys/helpers/databases.js';
import { extendSqlite, limitDatabases } from '../api-keys/helpers/driver.js';
import { ada } from '../api-keys/helpers/people.js';

function databaseFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return path.join(folder, 'keys.db');
}

it('a full disk is reported as one, with the name of the file, and what was answered is kept', async () => {
  await limitDatabases(60);
  const database = databaseFile();
  const apiKeys = await openForTest({ database, edition: 'Professional' });
  const create = (index: number) =>
    apiKeys.create(ada, { name: `Key ${index} ${'x'.repeat(80)}`, expiresOn: apiKeys.maxExpiresOn() });
  let made = 0;
  const failure = await (async () => {
    for (; made < 2000; made++) await create(made);
  })().catch((error: Error) => error);
  expect(made).toBeGreaterThan(5);
  const full = { kind: 'unavailable', cause: new Error(`${database}: database or disk is full`) };
  expect(failure).toMatchObject(full);
  // The connection is as good as before: it reads, and fails in the same way again.
  expect((await apiKeys.list(ada, { total: true })).total).toBe(made);
  await expect(create(-1)).rejects.toMatchObject(full);
});

it('a database that cannot be written says what it needs', async () => {
  const restore = await extendSqlite(
    (DatabaseSync) =>
      class extends DatabaseSync {
        constructor(file: string) {
          super(file);
          this.exec('pragma query_only = true');
        }
      },
  );
  onTestFinished(restore);
  const database = databaseFile();
  await expect(openApiKeys({ database, edition: 'Professional' })).rejects.toThrow(
    `${database}: attempt to write a readonly database: this process must be able to write the file, and to create files`,
  );
});

it('a failure that leaves the transaction open is rolled back as before', async () => {
  const database = databaseFile();
  const apiKeys = await openForTest({ database, edition: 'Professional' });
  const key = { name: 'CI', expiresOn: apiKeys.maxExpiresOn() };
  await apiKeys.create(ada, key);
  await expect(apiKeys.create(ada, key)).rejects.toThrow('unique');
  expect((await apiKeys.list(ada, { total: true })).total).toBe(1);
  await apiKeys.create(ada, { ...key, name: 'CI 2' });
});

it.each([
  ['no database at all', () => 'x'.repeat(5000), 'file is not a database'],
  [
    'damaged',
    (whole: Buffer) => Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(whole.length - 4096, 7)]),
    'malformed',
  ],
])('a file that is %s is named when it is opened', async (_, damage, reason) => {
  const database = databaseFile();
  await (await openApiKeys({ database, edition: 'Professional' })).close();
  writeFileSync(database, damage(readFileSync(database)));
  const failure = await openApiKeys({ database, edition: 'Professional' }).catch((error: Error) => error);
  expect((failure as Error).message.startsWith(`${database}: `)).toBe(true);
  expect((failure as Error).message).toContain(reason);
});

it('a file that is damaged while it is open is named to whoever asks', async () => {
  const database = databaseFile();
  const apiKeys = await openForTest({ database, edition: 'Professional' });
  const other = await openSqliteFile(database);
  other.exec('drop table concordat_api_key_audit; alter table concordat_api_key rename to elsewhere');
  other.close();
  for (const call of [() => apiKeys.list(ada), () => apiKeys.isUsable('AAAAAAAAAAAA')]) {
    await expect(call()).rejects.toThrow(`${database}: no such table: concordat_api_key`);
  }
});

it.each(databaseKinds)('a $name database of a newer release is named, and its password is not', async (kind) => {
  const { url, query } = await emptyDatabase(kind);
  await (await openApiKeys({ database: url, edition: 'Professional' })).close();
  await query('update concordat_api_key_schema set version = 99');
  const failure = await openApiKeys({ database: url, edition: 'Professional' }).catch((error: Error) => error);
  const name = kind.name === 'SQLite' ? url : `postgres://${new URL(url).host}/postgres`;
  expect((failure as Error).message).toMatch(
    /: The database has API key tables of version 99; this release needs \d+\.$/,
  );
  expect((failure as Error).message.startsWith(`${name}: `)).toBe(true);
});
