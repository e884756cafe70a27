// A database file that had been made before with 644, by another umask or a restored backup, stayed readable for everybody
// on the machine: the mode was only given to new files. A security review found it with a `users.db` full of password hashes.
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openApiKeys } from 'concordat/api-keys';
import { expect, it, onTestFinished } from 'vitest';
import { UserStore } from '../../examples/service/administration/user-store.js';
import { openForTest } from '../api-keys/helpers/databases.js';
import { ada } from '../api-keys/helpers/people.js';

const endings = ['', '-wal', '-shm'];
const modesOf = (file: string) => endings.map((ending) => (statSync(file + ending).mode & 0o777).toString(8));

function databaseFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-modes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return path.join(folder, 'keys.db');
}

it('a database file that others may read becomes its owner’s alone when it is opened', async () => {
  const database = databaseFile();
  await (await openApiKeys({ database, edition: 'Professional' })).close();
  chmodSync(database, 0o644);
  const apiKeys = await openForTest({ database, edition: 'Professional' });
  await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
  expect(modesOf(database)).toEqual(['600', '600', '600']);
});

it('so do the files that another process has left beside it', async () => {
  const database = databaseFile();
  const first = await openForTest({ database, edition: 'Professional' });
  await first.create(ada, { name: 'CI', expiresOn: first.maxExpiresOn() });
  for (const ending of endings) chmodSync(database + ending, 0o644);
  expect(modesOf(database)).toEqual(['644', '644', '644']);
  await openForTest({ database, edition: 'Professional' });
  expect(modesOf(database)).toEqual(['600', '600', '600']);
});

it('a mode that is stricter already stays', async () => {
  const database = databaseFile();
  writeFileSync(database, '', { mode: 0o200 });
  await openForTest({ database, edition: 'Professional' }).catch(() => {});
  expect((statSync(database).mode & 0o777).toString(8)).toBe('200');
});

it('the users of the reference service likewise', async () => {
  const file = databaseFile();
  const first = await UserStore.open(file);
  onTestFinished(() => first.close());
  for (const ending of endings) chmodSync(file + ending, 0o644);
  const users = await UserStore.open(file);
  onTestFinished(() => users.close());
  expect(modesOf(file)).toEqual(['600', '600', '600']);
});
