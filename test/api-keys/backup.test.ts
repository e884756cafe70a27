import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readBlocks } from '../../scripts/markdown-blocks.js';
import { compiled } from '../helpers/compiled.js';
import { openForTest } from './helpers/databases.js';
import { ada, root } from './helpers/people.js';
import { startWriter } from './helpers/processes.js';

// The commands are those of the page, so that the page is right.
const blocks = readBlocks('docs/backup.md', readFileSync('docs/backup.md', 'utf8'));
const processTimeoutMs = 60_000;

function emptyFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('the backup of docs/backup.md', () => {
  it('of a SQLite file has everything that was answered before, while another process writes', {
    timeout: processTimeoutMs,
  }, async () => {
    const folder = emptyFolder();
    symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
    const program = path.join(folder, 'backup.ts');
    writeFileSync(program, blocks.find(({ attributes }) => attributes.file === 'backup.ts')?.text ?? '');
    const writer = await startWriter(path.join(folder, 'keys.db'), 'forever', 'writer');
    await expect.poll(() => writer.lineCount(), { timeout: 30_000 }).toBeGreaterThan(30);
    const answered = writer.lines<{ id: string }>();
    const output = execFileSync(process.execPath, ['--no-warnings', '--import', 'tsx', program], {
      cwd: folder,
      encoding: 'utf8',
    });
    const written = writer.lineCount();
    // The writer was not kept from going on.
    await expect.poll(() => writer.lineCount(), { timeout: 30_000 }).toBeGreaterThan(written);
    await writer.kill();
    expect(output.trim()).toBe('{"integrity_check":"ok"}');
    expect(statSync(path.join(folder, 'keys-backup.db')).mode & 0o077).toBe(0);
    const restored = await openForTest({ database: path.join(folder, 'keys-backup.db'), edition: 'Professional' });
    for (const { id } of answered) expect(await restored.get(root, id)).toMatchObject({ id });
  });

  const serverUrl = process.env.CONCORDAT_POSTGRES_URL;
  const runOn = async (url: string, statement: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  const newDatabase = async () => {
    const name = `backup_${randomBytes(8).toString('hex')}`;
    await runOn(serverUrl as string, `create database ${name}`);
    onTestFinished(() => runOn(serverUrl as string, `drop database ${name} with (force)`));
    return Object.assign(new URL(serverUrl as string), { pathname: `/${name}` }).href;
  };
  it.skipIf(serverUrl === undefined)(
    'of PostgreSQL is restored into an empty database, triggers included',
    async () => {
      const folder = emptyFolder();
      const [DATABASE_URL, RESTORED_URL] = [await newDatabase(), await newDatabase()];
      const apiKeys = await openForTest({ database: DATABASE_URL, edition: 'Professional' });
      const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
      const commands = blocks.filter(({ attributes }) => attributes.postgres !== undefined);
      expect(commands).toHaveLength(2);
      for (const { text } of commands) {
        execFileSync('bash', ['-euc', text], { cwd: folder, env: { ...process.env, DATABASE_URL, RESTORED_URL } });
      }
      const restored = await openForTest({ database: RESTORED_URL, edition: 'Professional' });
      expect(await restored.authenticate({ 'x-api-key': key })).toMatchObject({ userId: ada.userId });
      await restored.revoke(ada, apiKey.id);
      expect((await restored.audits(ada)).items.map(({ revisionType }) => revisionType)).toEqual(['Revoke', 'Create']);
      await expect(runOn(RESTORED_URL, 'update concordat_api_key set revoked_on = null')).rejects.toThrow('stays so');
      await expect(runOn(RESTORED_URL, 'delete from concordat_api_key_audit')).rejects.toThrow('append-only');
      await Promise.all([apiKeys.close(), restored.close()]);
    },
  );

  it.skipIf(serverUrl === undefined)(
    'from SQLite to PostgreSQL takes keys, searches and the audit trail along',
    async () => {
      const folder = emptyFolder();
      const options = { edition: 'Professional', users: undefined };
      const file = await openForTest({ ...options, database: path.join(folder, 'keys.db') });
      const expiresOn = file.maxExpiresOn();
      const { apiKey, key } = await file.create(ada, { name: 'Nightly export', description: 'of ada', expiresOn });
      const { apiKey: revoked } = await file.create(ada, { name: 'Old', expiresOn });
      await file.revoke(ada, revoked.id);
      await file.authenticate({ 'x-api-key': key });
      await file.close();
      const source = blocks.find(({ attributes }) => attributes.file === 'to-postgres.ts')?.text ?? '';
      const DATABASE_URL = await newDatabase();
      const move = async () =>
        execFileSync(process.execPath, ['--no-warnings', await compiled({ source })], {
          ...{ cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
          env: { ...process.env, DATABASE_URL },
        } as const);
      expect(await move()).toMatch(/_pepper 1\nconcordat_api_key 2\nconcordat_api_key_audit 3\n.*_search 2\n/);
      const [before, moved] = [
        await openForTest({ ...options, database: path.join(folder, 'keys.db') }),
        await openForTest({ ...options, database: DATABASE_URL }),
      ];
      expect(await moved.authenticate({ 'x-api-key': key })).toMatchObject({ userId: ada.userId });
      expect(await moved.get(ada, revoked.id)).toEqual(await before.get(ada, revoked.id));
      expect(await moved.audits(ada)).toEqual(await before.audits(ada));
      expect((await moved.list(ada, { search: 'nightly' })).items.map(({ id }) => id)).toEqual([apiKey.id]);
      await moved.revoke(ada, apiKey.id);
      const { items } = await moved.audits(ada);
      expect(items.map(({ id }) => id)).toEqual([4, 3, 2, 1]);
      await Promise.all([before.close(), moved.close()]);
      await expect(move()).rejects.toThrow('The new database has API keys already.');
    },
  );
});
