import { randomBytes } from 'node:crypto';
import type { FaultRule } from 'concordat/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runOnPostgres } from '../../api-keys/helpers/databases.js';
import { grace } from '../../helpers/until.js';
import { listeningConnector } from '../opentelemetry/helpers/observed-client.js';
import { type PageFolder, pageFolder } from './helpers/page-folder.js';
import { dbosQueue, type JobQueue, pgBossQueue } from './helpers/queues.js';

// Several processes and many seconds of waiting, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const serverUrl = process.env.CONCORDAT_POSTGRES_URL as string;

async function emptyDatabase(): Promise<string> {
  const name = `jobs_${randomBytes(8).toString('hex')}`;
  await runOnPostgres(serverUrl, `create database ${name}`);
  onTestFinished(async () => void (await runOnPostgres(serverUrl, `drop database ${name} with (force)`)));
  const url = new URL(serverUrl);
  url.pathname = name;
  return url.href;
}

/** A connector that allows ten requests a second, and tells the wait as most do: in seconds. */
async function limitedConnector(faults: FaultRule[] = []) {
  const { connector, url } = await listeningConnector({ rateLimit: { limit: 10, windowMs: 1000 }, faults });
  return { url, requests: () => connector.journal.filter(({ kind }) => kind === 'request') };
}

const queues: [name: string, open: typeof pgBossQueue][] = [
  ['pg-boss', pgBossQueue],
  ['DBOS', dbosQueue],
];

/** What became of each job, when all are over. */
async function settled({ over }: JobQueue, count: number) {
  for (;;) {
    const ends = await over();
    if (Object.values(ends).flat().length === count) return ends;
    await grace(300);
  }
}

describe.runIf(serverUrl)('docs/job-queues.md (W7)', () => {
  let page: PageFolder;
  beforeAll(() => {
    page = pageFolder();
  });
  afterAll(() => page?.remove());

  it.each(queues)(
    '%s does each job once behind ten requests a second; a limit fails none, a final error is not retried',
    async (_name, open) => {
      const { url, requests } = await limitedConnector([
        { on: 'GET /issues/7', kind: 'status', status: 404 },
        { on: 'GET /issues/8', kind: 'status', status: 408, times: 1 },
        { on: 'GET /issues/9', kind: 'limit', times: 1 }, // for machines too busy to meet the other limit
      ]);
      const database = await emptyDatabase();
      const ids = Array.from({ length: 60 }, (_, index) => index + 1);
      const queue = await open(page, database);
      for (const EXECUTOR of ['one', 'two']) {
        page.start(queue.program, { DATABASE_URL: database, CONNECTOR_URL: url, EXECUTOR });
      }
      await queue.add(ids);
      expect(await settled(queue, ids.length)).toMatchObject({ refused: [7], failed: [] });
      const of = (status: number) =>
        requests().flatMap((request) => (request.status === status ? Number(request.path.split('/').at(-1)) : []));
      expect(of(200).sort((a, b) => a - b)).toEqual(ids.filter((id) => id !== 7));
      expect([of(404), of(408)]).toEqual([[7], [8]]);
      expect(of(403)).toContain(9);
    },
  );

  it('a job waits on although its worker is killed, and is done by the next one when the limit is over', async () => {
    const waitMs = 15_000; // much longer than it takes to see that the job is put off
    const outlive = async ([name, open]: (typeof queues)[number]) => {
      const { url, requests } = await limitedConnector([{ on: 'GET /issues/1', kind: 'limit', waitMs, times: 1 }]);
      const database = await emptyDatabase();
      const variables = { DATABASE_URL: database, CONNECTOR_URL: url };
      const queue = await open(page, database);
      const first = page.start(queue.program, variables);
      await queue.add([1]);
      while (!(await queue.wasPutOff())) await grace(100);
      await first.kill();
      expect((await queue.over()).done, name).toEqual([]);
      page.start(queue.program, variables);
      expect(await settled(queue, 1), name).toMatchObject({ done: [1] });
      const [refused, done, ...more] = requests();
      expect([refused?.status, done?.status, more], name).toEqual([403, 200, []]);
      expect(done!.elapsedMs - refused!.elapsedMs, name).toBeGreaterThanOrEqual(waitMs);
    };
    await Promise.all(queues.map(outlive));
  });

  it('pg-boss outlives its connections to the database, and ends on SIGTERM', async () => {
    const { url } = await limitedConnector([{ on: 'GET /issues/1', kind: 'limit', waitMs: 5000, times: 1 }]);
    const database = await emptyDatabase();
    const queue = await pgBossQueue(page, database);
    const variables = { DATABASE_URL: database, CONNECTOR_URL: url, PGAPPNAME: 'worker' };
    const { closed, kill } = page.start(queue.program, variables);
    await queue.add([1]);
    while (!(await queue.wasPutOff())) await grace(100);
    // Also the connection that put the job off, which is idle now.
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where application_name in ('worker', 'pgboss')`;
    await runOnPostgres(database, cut);
    const ended = closed.then(() => 'the program ended');
    expect(await Promise.race([settled(queue, 1), ended])).toMatchObject({ done: [1] });
    expect(await kill('SIGTERM')).toBe(0);
  });

  it('Temporal is told when to try again, and what is final', async () => {
    const { url } = await limitedConnector([
      { on: 'GET /issues/7', kind: 'status', status: 404 },
      { on: 'GET /issues/8', kind: 'status', status: 408 },
      { on: 'GET /issues/9', kind: 'limit', waitMs: 3_600_000 },
    ]);
    const told = JSON.parse(await page.run('tell.ts', tellTemporal, { CONNECTOR_URL: url }));
    expect(told).toEqual([
      'done',
      { type: 'NotFoundError', nonRetryable: true },
      { type: 'ConnectorError', nonRetryable: false },
      { type: 'RateLimitError', nonRetryable: false, delaySeconds: expect.any(Number) },
    ]);
    expect(told[3].delaySeconds).toBeGreaterThan(3000);
    expect(told[3].delaySeconds).toBeLessThanOrEqual(3600);
  });
});

/** Runs the page's activity, and prints what Temporal's worker would send to the server. */
const tellTemporal = `
  import { DefaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
  import { syncIssue } from './activities.js';
  import { client } from './connector.js';

  const told = [];
  for (const id of [1, 7, 8, 9]) {
    told.push(await syncIssue(id).then(() => 'done', (error) => {
      const failure = new DefaultFailureConverter().errorToFailure(error, defaultPayloadConverter);
      const { type, nonRetryable, nextRetryDelay } = failure.applicationFailureInfo;
      return { type, nonRetryable, delaySeconds: nextRetryDelay && Number(nextRetryDelay.seconds) };
    }));
  }
  await client.close();
  console.log(JSON.stringify(told));
`;
