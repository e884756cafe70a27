import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type OpenApiKeysOptions, openApiKeys } from 'concordat/api-keys';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databaseKinds, emptyDatabase, openForTest, runOnPostgres } from './helpers/databases.js';
import { ada, TestUsers } from './helpers/people.js';

describe('options of openApiKeys', () => {
  const valid = { database: ':memory:', edition: 'Professional' };
  it.each<[string, Record<string, unknown>]>([
    ['database', { database: undefined }],
    ['database', { database: '' }],
    ['database', { database: 7 }],
    ['database', { database: 'mysql://localhost/x' }],
    ['database', { database: 'https://example.com/keys.db' }],
    ['database', { database: 'postgres:keys' }],
    ['database', { database: 'postgresql:/ada:secret@localhost/keys' }],
    ['database', { database: 'file:keys.db' }], // SQLite would read it as a URI, and create the file readable for all
    ['users', { users: {} }],
    ['users', { users: 'ada' }],
    ['clock', { clock: {} }],
    ['clock', { clock: () => 0 }],
    ['onError', { onError: 'log' }],
    ['onerror', { onerror: () => {} }],
    ['peper', { peper: 'x'.repeat(32) }],
    ['pepper', { pepper: '' }],
    ['pepper', { pepper: 'x'.repeat(31) }],
    ['pepper', { pepper: 7 }],
    ['pepper.version', { pepper: {} }],
    ['pepper.secret', { pepper: { version: 1 } }],
    ['pepper.version', { pepper: { version: 0, secret: 'x'.repeat(32) } }],
    ['pepper.version', { pepper: { version: 1.5, secret: 'x'.repeat(32) } }],
    ['pepper.previous', { pepper: { version: 2, secret: 'x'.repeat(32), previous: { 1: 'short' } } }],
    ['pepper.previous', { pepper: { version: 2, secret: 'x'.repeat(32), previous: { zero: 'x'.repeat(32) } } }],
    ['pepper.previus', { pepper: { version: 2, secret: 'x'.repeat(32), previus: {} } }],
  ])('a wrong `%s` is named: %o', async (name, wrong) => {
    const options = { ...valid, ...wrong } as unknown as OpenApiKeysOptions;
    const error = await openApiKeys(options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain(`\`${name}\``);
    await openForTest(valid);
  });

  it('must be given', async () => {
    await expect(openApiKeys(undefined as unknown as OpenApiKeysOptions)).rejects.toThrow(TypeError);
  });
});

it.each(['/', '?', '#'])('a password that is not percent-encoded is not in messages: %s (K18)', async (character) => {
  // The driver takes what comes before it for the host: nobody listens there.
  const database = `postgres://localhost:1${character}secret@127.0.0.1/keys`;
  const error = await openApiKeys({ database, edition: 'Professional' }).catch((thrown: unknown) => thrown);
  expect(String(error)).toMatch(/^Error: PostgreSQL: connect ECONNREFUSED/);
  expect(inspect(error)).not.toContain('secret');
});

describe.each(databaseKinds)('opening and closing on $name', (kind) => {
  it('refuses a database that a newer release has written', async () => {
    const { url, query } = await emptyDatabase(kind);
    await (await openApiKeys({ database: url, edition: 'Ultimate' })).close();
    await query('update concordat_api_key_schema set version = 99');
    await expect(openApiKeys({ database: url, edition: 'Ultimate' })).rejects.toThrow('version 99');
  });

  it('refuses a database of a version before the first release', async () => {
    const { url, query } = await emptyDatabase(kind);
    await (await openApiKeys({ database: url, edition: 'Ultimate' })).close();
    await query('update concordat_api_key_schema set version = 3');
    await expect(openApiKeys({ database: url, edition: 'Ultimate' })).rejects.toThrow(
      'tables of version 3; this release needs 5',
    );
  });

  it('lets calls that have begun end before it closes, and takes no others', async () => {
    const { url } = await emptyDatabase(kind);
    const users = new TestUsers(ada);
    const { findById } = users;
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      users.findById = async (id) => {
        resolve();
        await new Promise<void>((release) => {
          answer = release;
        });
        return await findById(id);
      };
    });
    const apiKeys = await openApiKeys({ database: url, edition: 'Ultimate', users });
    const created = apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
    await asked;
    users.findById = findById;
    const closed = apiKeys.close();
    await expect(apiKeys.list(ada)).rejects.toThrow('closed');
    // Time for a store that waits for nobody.
    await new Promise((resolve) => setTimeout(resolve, 20));
    answer();
    const { key } = await created;
    await closed;
    const again = await openForTest({ database: url, edition: 'Ultimate', users });
    expect(await again.authenticate({ 'x-api-key': key })).toMatchObject({ userId: ada.userId });
  });

  it('answers nothing after it was closed, and may be closed twice', async () => {
    const { url } = await emptyDatabase(kind);
    const apiKeys = await openApiKeys({ database: url, edition: 'Ultimate' });
    await Promise.all([apiKeys.close(), apiKeys.close()]);
    await apiKeys[Symbol.asyncDispose]();
    for (const call of [apiKeys.list(ada), apiKeys.authenticate({}), apiKeys.isUsable('AAAAAAAAAAAA')]) {
      await expect(call).rejects.toThrow('closed');
    }
  });
});

const servers = [process.env.CONCORDAT_POSTGRES_URL].filter((url) => url !== undefined);

describe.each(servers)('a role of PostgreSQL that may not create tables', (serverUrl) => {
  it('opens those that another role has created', async () => {
    const name = `roles_${randomBytes(6).toString('hex')}`;
    await runOnPostgres(serverUrl, `create database ${name}`);
    onTestFinished(async () => {
      await runOnPostgres(serverUrl, `drop database ${name} with (force)`);
      await runOnPostgres(serverUrl, `drop role if exists ${name}`);
    });
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    const ownerUrl = url.href;
    await runOnPostgres(ownerUrl, 'create extension pg_trgm');
    await (await openApiKeys({ database: url.href, edition: 'Professional' })).close();
    await runOnPostgres(
      url.href,
      `create role ${name} login password 'secret'; revoke create on schema public from public;
        grant select, insert, update, delete on all tables in schema public to ${name}`,
    );
    url.username = name;
    url.password = 'secret';
    const apiKeys = await openForTest({ database: url.href, edition: 'Professional' });
    const { key } = await apiKeys.create(ada, { name: 'Nightly export', expiresOn: apiKeys.maxExpiresOn() });
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toMatchObject({ userId: ada.userId });
    await apiKeys.close();

    // The extension may also come later: only the owner can then add the index.
    await runOnPostgres(ownerUrl, 'drop index concordat_api_key_search_trigrams');
    const withoutIndex = await openForTest({ database: url.href, edition: 'Professional' });
    expect(await withoutIndex.list(ada, { search: 'export' })).toMatchObject({ items: [{ name: 'Nightly export' }] });
  });
});

describe('a SQLite file', () => {
  it('is readable for its owner only', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'concordat-api-keys-'));
    chmodSync(directory, 0o755);
    const database = join(directory, 'keys.db');
    const apiKeys = await openApiKeys({ database, edition: 'Ultimate' });
    await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
    for (const file of ['', '-wal', '-shm']) expect(statSync(database + file).mode & 0o777).toBe(0o600);
    await apiKeys.close();
    rmSync(directory, { recursive: true });
  });

  it('behind links is too, even behind links to nothing', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'concordat-api-keys-'));
    chmodSync(directory, 0o755);
    mkdirSync(join(directory, 'data'));
    symlinkSync(join(directory, 'data'), join(directory, 'current'));
    // Relative links start where they are, which is not where the path to them says.
    symlinkSync('../target.db', join(directory, 'data', 'second.db'));
    symlinkSync('second.db', join(directory, 'data', 'first.db'));
    const database = join(directory, 'current', 'first.db');
    const modes = () => ['', '-wal', '-shm'].map((end) => statSync(join(directory, `target.db${end}`)).mode & 0o777);
    for (const key of ['one', 'two']) {
      const apiKeys = await openApiKeys({ database, edition: 'Ultimate' });
      await apiKeys.create(ada, { name: key, expiresOn: apiKeys.maxExpiresOn() });
      expect(modes()).toEqual([0o600, 0o600, 0o600]);
      await apiKeys.close();
    }
    symlinkSync('circle.db', join(directory, 'circle.db'));
    await expect(openApiKeys({ database: join(directory, 'circle.db'), edition: 'Ultimate' })).rejects.toThrow(
      /circle/,
    );
    rmSync(directory, { recursive: true });
  });

  it('is restricted with what is beside it, when it is opened through a link', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'concordat-api-keys-'));
    const database = join(directory, 'keys.db');
    const link = join(directory, 'link.db');
    symlinkSync(database, link);
    const first = await openApiKeys({ database, edition: 'Ultimate' });
    const files = ['', '-wal', '-shm'].map((end) => database + end);
    for (const file of files) chmodSync(file, 0o644);
    const second = await openApiKeys({ database: link, edition: 'Ultimate' });
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
    await second.close();
    await first.close();
    rmSync(directory, { recursive: true });
  });

  it('that cannot be opened, or is none, is an error at once', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'concordat-api-keys-'));
    const open = (database: string) => openApiKeys({ database, edition: 'Ultimate' });
    await expect(open(join(directory, 'missing', 'keys.db'))).rejects.toThrow(/ENOENT.*missing/);
    await expect(open(directory)).rejects.toThrow();
    const noDatabase = join(directory, 'notes.txt');
    writeFileSync(noDatabase, 'not a database at all, but long enough to be looked at'.repeat(100));
    await expect(open(noDatabase)).rejects.toThrow(/not a database/);
    rmSync(directory, { recursive: true });
  });

  it.each([
    ['two bytes', 'ab'],
    ['a page', '<p>Welcome</p>'.repeat(1000)],
    ['almost the header', 'SQLite format 3 is a file format'],
  ])('that is none stays as it is, with its mode: %s', async (_, content) => {
    const directory = mkdtempSync(join(tmpdir(), 'concordat-api-keys-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'index.html');
    writeFileSync(file, content);
    chmodSync(file, 0o664);
    symlinkSync(file, join(directory, 'link.db'));
    for (const database of [file, join(directory, 'link.db')]) {
      await expect(openApiKeys({ database, edition: 'Ultimate' })).rejects.toThrow(/not a database/);
      expect(statSync(file).mode & 0o777).toBe(0o664);
      expect(readFileSync(file, 'utf8')).toBe(content);
    }
    expect(readdirSync(directory).sort()).toEqual(['index.html', 'link.db']);
  });

  it('that is empty becomes a database that only its owner can read', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'concordat-api-keys-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const database = join(directory, 'keys.db');
    writeFileSync(database, '');
    chmodSync(database, 0o644);
    await openForTest({ database, edition: 'Ultimate' });
    expect(statSync(database).mode & 0o777).toBe(0o600);
  });

  it('keeps two databases in memory apart', async () => {
    const [one, two] = [
      await openForTest({ database: ':memory:', edition: 'Ultimate' }),
      await openForTest({ database: ':memory:', edition: 'Ultimate' }),
    ];
    await one.create(ada, { name: 'CI', expiresOn: one.maxExpiresOn() });
    expect((await two.list(ada)).items).toEqual([]);
  });
});
