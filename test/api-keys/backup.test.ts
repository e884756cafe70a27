import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readBlocks } from '../../scripts/markdown-blocks.js';
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
  it.skipIf(serverUrl === undefined)(
    'of PostgreSQL is restored into an empty database, triggers included',
    async () => {
      const folder = emptyFolder();
      const run = async (url: string, statement: string) => {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        await client.query(statement).finally(() => client.end());
      };
      const newDatabase = async () => {
        const name = `backup_${randomBytes(8).toString('hex')}`;
        await run(serverUrl as string, `create database ${name}`);
        onTestFinished(() => run(serverUrl as string, `drop database ${name} with (force)`));
        return Object.assign(new URL(serverUrl as string), { pathname: `/${name}` }).href;
      };
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
      await expect(run(RESTORED_URL, 'update concordat_api_key set revoked_on = null')).rejects.toThrow('stays so');
      await expect(run(RESTORED_URL, 'delete from concordat_api_key_audit')).rejects.toThrow('append-only');
      await Promise.all([apiKeys.close(), restored.close()]);
    },
  );
});
