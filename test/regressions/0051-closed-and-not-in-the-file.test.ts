// On Node 20, close() left a SQLite database in its write-ahead log with three descriptors open: statements that were not
// ended kept the connection. A copy of the `.db` alone, made after a clean stop, had no keys in it. A security review found
// it by counting descriptors and restoring such a copy.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApiKeys } from 'concordat/api-keys';
import { expect, it, onTestFinished } from 'vitest';
import { openForTest, openSqliteFile } from '../api-keys/helpers/databases.js';
import { ada } from '../api-keys/helpers/people.js';
import { compiled } from '../helpers/compiled.js';

function emptyFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-close-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('a copy of the file alone, made after close(), has everything in it', async () => {
  const folder = emptyFolder();
  const database = path.join(folder, 'keys.db');
  const apiKeys = await openApiKeys({ database, edition: 'Professional' });
  const { key } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
  // The control: while it is open, there is more than that file.
  expect(readdirSync(folder).sort()).toEqual(['keys.db', 'keys.db-shm', 'keys.db-wal']);
  await apiKeys.close();
  expect(readdirSync(folder)).toEqual(['keys.db']);

  const copy = path.join(emptyFolder(), 'copy.db');
  copyFileSync(database, copy);
  const restored = await openForTest({ database: copy, edition: 'Professional' });
  expect(await restored.authenticate({ 'x-api-key': key })).toBeDefined();
});

it('so has a copy made after the last of several was closed; those before it disturb nobody', async () => {
  const database = path.join(emptyFolder(), 'keys.db');
  const open = () => openForTest({ database, edition: 'Professional' });
  const [one, two] = [await open(), await open()];
  const first = await one.create(ada, { name: 'CI', expiresOn: one.maxExpiresOn() });
  await one.close();
  expect(await two.authenticate({ 'x-api-key': first.key })).toBeDefined();
  const second = await two.create(ada, { name: 'CI 2', expiresOn: two.maxExpiresOn() });
  await two.close();

  const copy = path.join(emptyFolder(), 'copy.db');
  copyFileSync(database, copy);
  const restored = await openForTest({ database: copy, edition: 'Professional' });
  for (const { key } of [first, second]) expect(await restored.authenticate({ 'x-api-key': key })).toBeDefined();
});

it('what is under way when it is closed is finished, and what comes later is refused', async () => {
  const database = path.join(emptyFolder(), 'keys.db');
  const apiKeys = await openForTest({ database, edition: 'Professional' });
  const create = (name: string) => apiKeys.create(ada, { name, expiresOn: apiKeys.maxExpiresOn() });
  const other = await openSqliteFile(database);
  other.exec('begin immediate');
  const creation = create('CI');
  const closing = apiKeys.close();
  other.exec('rollback');
  other.close();
  const { key } = await creation;
  await closing;
  await expect(create('CI 2')).rejects.toThrow('closed');
  const again = await openForTest({ database, edition: 'Professional' });
  expect(await again.authenticate({ 'x-api-key': key })).toBeDefined();
});

it.skipIf(process.platform !== 'linux')('close() leaves no descriptor that is not given back', async () => {
  const database = path.join(emptyFolder(), 'keys.db');
  const program = await compiled(fileURLToPath(new URL('./helpers/descriptors.ts', import.meta.url)));
  const words = ['--expose-gc', '--no-warnings', program, database];
  const printed = JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' })) as Record<string, string[]>;
  expect(printed.whileOpen?.sort()).toEqual(['', '-shm', '-wal']);
  // Node 20 keeps the file itself until the collector has ended the statements; newer ones close it at once.
  const hasOwnSqlite = process.getBuiltinModule?.('node:sqlite' as 'node:fs') !== undefined;
  expect(printed.afterClose).toEqual(hasOwnSqlite ? [] : ['']);
  expect(printed.collected).toEqual([]);
});
