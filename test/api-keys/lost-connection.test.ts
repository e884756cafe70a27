import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada } from './helpers/people.js';

const [kind] = databaseKinds;

describe.skipIf(kind?.name !== 'PostgreSQL')('a connection that PostgreSQL ends during a transaction', () => {
  // If nobody listened for the connection's error, the process would end; vitest fails this run instead.
  it('fails that call alone: neither the process nor the next call', async () => {
    const { url } = await emptyDatabase(kind!);
    const apiKeys = await openForTest({ database: url, edition: 'Professional' });
    const { apiKey } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin; lock table concordat_api_key in exclusive mode'); // readers pass, writers wait
    const revoked = apiKeys.revoke(ada, apiKey.id).catch((error: Error) => error.message);
    const endWaiting = async () => {
      const { rowCount } = await other.query(`select pg_terminate_backend(pid) from pg_locks
        where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`);
      return rowCount;
    };
    await expect.poll(endWaiting, { timeout: 30_000 }).toBe(1);
    expect(await revoked).toMatch(/terminat/);
    await other.query('rollback');
    expect(await apiKeys.revoke(ada, apiKey.id)).toMatchObject({ status: 'Revoked' });
  });
});
