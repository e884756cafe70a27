import { DelayedError, UnrecoverableError } from 'bullmq';
import { delayWhenLimited } from 'concordat/bullmq';
import { describe, expect, it } from 'vitest';
import { grace } from '../../helpers/until.js';
import { listeningConnector } from '../opentelemetry/helpers/observed-client.js';
import { serverProgram } from '../redis/helpers/redis-server.js';
import { queueAndWorkers } from './helpers/jobs.js';

const requests = (connector: Awaited<ReturnType<typeof listeningConnector>>['connector']) =>
  connector.journal.filter(({ kind }) => kind === 'request');

describe.runIf(serverProgram)('a queue whose jobs all use one connection (W7)', () => {
  it('stops at a limit: only jobs that had a worker are run, all of them wait, and redis is left alone', async () => {
    const { connector, url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs: 3_600_000, at: 1 }] });
    const { server, queue, workAlone, connect, addMany, backToWait, starts } = await queueAndWorkers();
    connect('one', url, { concurrency: 1 }); // the first request meets the limit, and no other is on its way
    await addMany('one', 40);
    workAlone({ concurrency: 3 });
    workAlone({ concurrency: 3 });
    await backToWait();
    const limitedForMs = await queue.getRateLimitTtl();
    expect(limitedForMs).toBeGreaterThan(3_500_000);
    expect(limitedForMs).toBeLessThanOrEqual(3_600_000);
    while ((await queue.getActiveCount()) > 0);
    const [commands, runs] = [await commandsOf(server), starts.length];
    expect(runs).toBeLessThanOrEqual(6); // as many as the workers take up at once
    expect(await queue.getJobCounts()).toMatchObject({ waiting: 40, active: 0, delayed: 0, completed: 0, failed: 0 });
    expect(requests(connector)).toHaveLength(1);
    await grace(100);
    expect((await commandsOf(server)) - commands).toBeLessThan(40);
    expect(starts).toHaveLength(runs);
  });

  it('goes on when the limit is over: no job lost, none twice, no attempt counted, two runs a job at most', async () => {
    const { connector, url } = await listeningConnector({
      rateLimit: { limit: 10, windowMs: 400, format: 'milliseconds' },
    });
    const { queue, workAlone, connect, addMany, settled, starts } = await queueAndWorkers();
    connect('one', url);
    const jobs = await addMany('one', 60);
    workAlone({ concurrency: 5 });
    workAlone({ concurrency: 5 });
    const done = [];
    for (const job of jobs) done.push(await settled(job));
    expect(await queue.getJobCounts()).toMatchObject({ completed: 60, failed: 0, waiting: 0, delayed: 0 });
    expect(done.every(({ attemptsMade }) => attemptsMade === 1)).toBe(true);
    const passed = requests(connector).filter(({ status }) => status === 200);
    expect(new Set(passed.map(({ path }) => path)).size).toBe(60);
    expect(passed).toHaveLength(60);
    expect(starts.length).toBeLessThanOrEqual(120);
  });

  it('stops while a refused login cools down, which costs an attempt only where the login was waited for (S5)', async () => {
    const { connector, url } = await listeningConnector({
      faults: [{ kind: 'status', status: 403, code: 'MAINTENANCE', on: 'login', at: 1 }],
    });
    const { queue, workAlone, connect, addMany } = await queueAndWorkers();
    connect('one', url, { loginCooldownMs: 600 });
    await addMany('one', 30); // one attempt each
    workAlone();
    while ((await queue.getJobCountByTypes('completed', 'failed')) < 30) await grace(20);
    expect(await queue.getJobCounts()).toMatchObject({ completed: 29, failed: 1 });
    expect(connector.journal.filter(({ kind }) => kind === 'login')).toHaveLength(2);
  });

  it('stops for as long as the longest of two limits', async () => {
    const { url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs: 60_000, at: 1 }] });
    const { queue, workAlone, connect, add, backToWait } = await queueAndWorkers();
    connect('one', url);
    await queue.rateLimit(3_600_000); // by another process; without a limit of the queue, workers do not look at it yet
    await add('one', '/issues');
    workAlone();
    await backToWait();
    expect(await queue.getRateLimitTtl()).toBeGreaterThan(3_500_000);
  });

  it("leaves the host's own limit of the queue as it is", async () => {
    const { url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs: 60_000, at: 1 }] });
    const { queue, workAlone, connect, add, backToWait } = await queueAndWorkers();
    connect('one', url);
    await queue.setGlobalRateLimit(500, 2000);
    await add('one', '/issues');
    workAlone();
    await backToWait();
    expect(await queue.getGlobalRateLimit()).toEqual({ max: 500, duration: 2000 });
    expect(await queue.getRateLimitTtl()).toBeGreaterThan(50_000);
  });

  it('delays the one job if the queue cannot be stopped', async () => {
    const { url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs: 60_000, at: 1 }] });
    const { queue, workAlone, connect, add, delayed, state } = await queueAndWorkers();
    connect('one', url);
    const broken = Object.assign(Object.create(queue), { rateLimit: () => Promise.reject(new Error('NOPERM')) });
    const job = await add('one', '/issues');
    workAlone({}, { queue: broken });
    await delayed();
    expect(await state(job)).toBe('delayed');
  });

  it('control: without the queue every job is run and delayed', async () => {
    const { url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs: 3_600_000, at: 1 }] });
    const { queue, work, connect, addMany, starts } = await queueAndWorkers();
    connect('one', url);
    await addMany('one', 40);
    work();
    while ((await queue.getDelayedCount()) < 40);
    expect(starts).toHaveLength(40);
  });
});

describe('what becomes of errors', () => {
  const run = (error: unknown) =>
    delayWhenLimited(async () => {
      throw error;
    })({} as never, 'token').then(
      () => undefined,
      (reason: unknown) => reason,
    );

  it.each([
    ['not-found', 404],
    ['bad-request', 400],
    ['forbidden', 403],
    ['other', 409],
  ])('%s (%i) is final: the same job would only fail again', async (kind, status) => {
    const error = Object.assign(new Error('no'), { kind, status });
    const reason = await run(new Error('the job', { cause: error }));
    expect(reason).toBeInstanceOf(UnrecoverableError);
    expect(reason).toMatchObject({ message: 'the job', cause: { cause: error } });
  });

  it.each([
    ['unauthorized', 401], // somebody may mend the credentials
    ['other', 408],
    ['other', 500],
    ['other', 503],
    ['request', undefined], // no response at all
    [undefined, 404], // not of the contract
  ])('%s (%s) stays as it is, and costs an attempt', async (kind, status) => {
    const error = Object.assign(new Error('no'), { kind, status });
    expect(await run(error)).toBe(error);
  });

  it('a refused login costs an attempt, whatever its cause says: it is not the job that was refused', async () => {
    const cause = Object.assign(new Error('no'), { kind: 'forbidden', status: 403 });
    const error = Object.assign(new Error('login', { cause }), { kind: 'initialize', status: 403 });
    expect(await run(error)).toBe(error);
  });

  it('a call whose time was over during a rate limit waits for its end, like one that was refused', async () => {
    const resumeAt = new Date(Date.now() + 60_000);
    const cause = Object.assign(new Error('limit'), { kind: 'rate-limit', resumeAt });
    const error = Object.assign(new Error('budget', { cause }), { kind: 'request', code: 'BUDGET_EXCEEDED' });
    const delays: unknown[] = [];
    const job = { moveToDelayed: async (until: number) => delays.push(until) } as never;
    const processor = delayWhenLimited(async () => {
      throw error;
    });
    await expect(processor(job, 'token')).rejects.toThrow(DelayedError);
    expect(delays).toEqual([resumeAt.getTime()]);
  });

  it('what is thrown and no error stays as it is', async () => {
    expect(await run('text')).toBe('text');
    expect(await run(null)).toBe(null);
  });

  it.each([
    [{ queue: {} }, '`queue`'],
    [{ que: 1 }, '`que`'],
    [7, '`options`'],
  ])('options that are wrong are refused: %o', (options, named) => {
    expect(() => delayWhenLimited(async () => {}, options as never)).toThrow(named);
  });
});

async function commandsOf({ connect }: { connect(): { info(section: string): Promise<string> } }): Promise<number> {
  const stats = await connect().info('stats');
  return Number(/total_commands_processed:(\d+)/.exec(stats)?.[1]);
}
