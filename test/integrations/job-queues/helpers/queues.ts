import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { runOnPostgres } from '../../../api-keys/helpers/databases.js';
import { grace } from '../../../helpers/until.js';
import type { PageFolder } from './page-folder.js';

export interface JobQueue {
  /** The page's program that works on the queue. */
  readonly program: string;
  /** Waits until a worker has made the queue. */
  add(ids: readonly number[]): Promise<void>;
  /** The ids of jobs that are over, by what became of them. */
  over(): Promise<{ done: number[]; refused: number[]; failed: number[] }>;
  /** Whether the only job has been put off, once at least. */
  wasPutOff(): Promise<boolean>;
}

interface Boss {
  on(event: 'error', listener: () => void): void;
  start(): Promise<unknown>;
  stop(options: object): Promise<void>;
  getQueue(name: string): Promise<unknown>;
  send(name: string, data: object): Promise<unknown>;
}

export async function pgBossQueue(page: PageFolder, url: string): Promise<JobQueue> {
  const PgBoss = page.load<new (options: object) => Boss>('pg-boss');
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  boss.on('error', () => {});
  await boss.start();
  onTestFinished(() => boss.stop({ graceful: false }));
  /** A job that was put off is a new row, and its old one is complete. */
  const rows = () =>
    runOnPostgres(
      url,
      `select distinct on (data->>'id') (data->>'id')::int as id, state::text, created_on > first as "isLater"
         from (select *, min(created_on) over (partition by data->>'id') as first from pgboss.job) as job
         where name = 'issues' order by data->>'id', created_on desc`,
    );
  return {
    program: 'pg-boss.ts',
    async add(ids) {
      while ((await boss.getQueue('issues')) === null) await grace(100);
      for (const id of ids) await boss.send('issues', { id });
    },
    async over() {
      const jobs = await rows();
      const of = (state: string) => jobs.filter((job) => job.state === state).map(({ id }) => id as number);
      return { done: of('completed'), refused: of('cancelled'), failed: of('failed') };
    },
    wasPutOff: async () => (await rows()).some(({ isLater }) => isLater),
  };
}

interface Client {
  enqueue(options: { queueName: string; workflowName: string }, id: number): Promise<unknown>;
  listWorkflows(options: object): Promise<{ status: string; input: [number]; workflowID: string }[]>;
  listWorkflowSteps(workflow: string): Promise<{ name: string }[] | undefined>;
  destroy(): Promise<void>;
}

export async function dbosQueue(page: PageFolder, url: string): Promise<JobQueue> {
  await promisify(execFile)('npx', ['dbos', 'schema', url], { cwd: 'tools/job-queues' }); // as the page says
  const { DBOSClient } = page.load<{ DBOSClient: { create(options: object): Promise<Client> } }>('@dbos-inc/dbos-sdk');
  const client = await DBOSClient.create({ systemDatabaseUrl: url });
  onTestFinished(() => client.destroy());
  return {
    program: 'dbos.ts',
    async add(ids) {
      const isThere = () => runOnPostgres(url, `select from dbos.queues where name = 'issues'`).catch(() => []);
      while ((await isThere()).length === 0) await grace(100);
      for (const id of ids) await client.enqueue({ queueName: 'issues', workflowName: 'syncIssue' }, id);
    },
    async over() {
      const jobs = await client.listWorkflows({});
      const of = (...states: string[]) =>
        jobs.filter(({ status }) => states.includes(status)).map(({ input }) => input[0]);
      return { done: of('SUCCESS'), refused: of('ERROR'), failed: of('CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED') };
    },
    async wasPutOff() {
      const [job] = await client.listWorkflows({});
      const steps = job === undefined ? [] : await client.listWorkflowSteps(job.workflowID);
      return steps?.some(({ name }) => name === 'DBOS.sleep') ?? false;
    },
  };
}
