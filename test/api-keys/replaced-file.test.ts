// What happens to a database file behind the back of the process that has it open, as while a backup is restored.
import { copyFileSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openForTest, openSqliteFile } from './helpers/databases.js';
import { ada } from './helpers/people.js';
import { refusalOf } from './helpers/rejections.js';

async function openFile() {
  const folder = mkdtempSync(join(tmpdir(), 'concordat-replaced-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const database = join(folder, 'keys.db');
  const apiKeys = await openForTest({ database, edition: 'Professional' });
  const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
  return { apiKeys, database, id: apiKey.id, headers: { 'x-api-key': key } };
}

const changes: [string, (database: string) => void][] = [
  ['deleted', (database) => rmSync(database)],
  ['moved away', (database) => renameSync(database, `${database}.old`)],
  [
    'replaced by a copy',
    (database) => {
      copyFileSync(database, `${database}.copy`);
      renameSync(`${database}.copy`, database);
    },
  ],
];

it.each(changes)(
  'a file that is %s: no change is confirmed, and soon no key is accepted (K11, K18)',
  async (_, change) => {
    const { apiKeys, database, id, headers } = await openFile();
    change(database);
    const error = await refusalOf(apiKeys.revoke(ada, id));
    expect(error).toMatchObject({
      kind: 'unavailable',
      message: 'The database has been replaced or deleted. Restart the service.',
      cause: new Error(`${database}: the file has been replaced or deleted since it was opened`),
    });
    await pause(1100);
    for (const call of [() => apiKeys.verify(headers), () => apiKeys.list(ada), () => apiKeys.isUsable(id)]) {
      expect((await refusalOf(call())).kind).toBe('unavailable');
    }
  },
);

it('a process that closes leaves the files of the other alone, which has the new one open', async () => {
  const { apiKeys, database } = await openFile();
  copyFileSync(database, `${database}.copy`);
  renameSync(`${database}.copy`, database);
  for (const file of [`${database}-wal`, `${database}-shm`]) rmSync(file, { force: true });
  const other = await openForTest({ database, edition: 'Professional' });
  const { apiKey } = await other.create(ada, { name: 'Later', expiresOn: other.maxExpiresOn() });
  const files = readdirSync(dirname(database)).sort();
  await apiKeys.close();
  expect(readdirSync(dirname(database)).sort()).toEqual(files);
  expect(files).toContain('keys.db-wal'); // control: it was there to be deleted
  expect(await other.get(ada, apiKey.id)).toMatchObject({ status: 'Active' });
});

it('a change that waits while the file is replaced is not confirmed', async () => {
  const { apiKeys, database, id } = await openFile();
  const other = await openSqliteFile(database);
  other.exec('begin immediate');
  const revoked = refusalOf(apiKeys.revoke(ada, id));
  await pause(50);
  renameSync(database, `${database}.old`);
  other.exec('rollback');
  other.close();
  expect((await revoked).kind).toBe('unavailable');
  renameSync(`${database}.old`, database);
  expect(await apiKeys.get(ada, id)).toMatchObject({ status: 'Active', version: 1 });
  await apiKeys.revoke(ada, id); // the connection is not left in a transaction
});

it('one that is back is used again', async () => {
  const { apiKeys, database, id, headers } = await openFile();
  renameSync(database, `${database}.old`);
  await refusalOf(apiKeys.revoke(ada, id));
  renameSync(`${database}.old`, database);
  await apiKeys.revoke(ada, id);
  expect(await apiKeys.verify(headers)).toMatchObject({ reason: 'revoked' });
});

it.each<[string, (database: string) => string]>([
  [
    'a link',
    (database) => {
      symlinkSync(database, `${database}.link`);
      return `${database}.link`;
    },
  ],
  ['a relative path', (database) => relative(process.cwd(), database)],
])('one that is opened by %s is the same file (control)', async (_, pathOf) => {
  const { database } = await openFile();
  const apiKeys = await openForTest({ database: pathOf(database), edition: 'Professional' });
  await pause(1100);
  expect((await apiKeys.list(ada)).items).toHaveLength(1);
  await apiKeys.create(ada, { name: 'CI 2', expiresOn: apiKeys.maxExpiresOn() });
});
