import { Queue, type QueueOptions } from 'bullmq';
import { RateLimitError } from 'concordat';
import { delayWhenLimited } from 'concordat/bullmq';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listeningConnector } from '../opentelemetry/helpers/observed-client.js';
import { serverProgram } from '../redis/helpers/redis-server.js';
import { queueAndWorkers } from './helpers/jobs.js';

const waitMs = 600;

describe.runIf(serverProgram)('a job that meets a rate limit (W7)', () => {
  it('is delayed until the limit is over, counts no attempt, and is done then', async () => {
    const { connector, url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs, times: 3 }] });
    const { work, connect, add, state, settled, delayed } = await queueAndWorkers();
    connect('one', url);
    work();
    const job = await add('one', '/issues', { attempts: 1 });
    await delayed();
    const done = await settled(job);
    expect(await state(job)).toBe('completed');
    expect(done.attemptsMade).toBe(1);
    const sent = connector.journal.filter(({ kind }) => kind === 'request');
    expect(sent.map(({ status }) => status)).toEqual([403, 403, 403, 200]);
    for (const [index, entry] of sent.slice(1).entries()) {
      expect(entry.elapsedMs - sent[index]!.elapsedMs).toBeGreaterThanOrEqual(waitMs);
    }
  });

  it('holds no worker: jobs of other connections go on, those of its own are delayed without being sent', async () => {
    const limited = await listeningConnector({ faults: [{ kind: 'limit', waitMs: 60_000 }] });
    const free = await listeningConnector();
    const { work, connect, add, state, settled, starts } = await queueAndWorkers();
    connect('limited', limited.url);
    connect('free', free.url);
    work();
    const jobs = [await add('limited', '/1'), await add('limited', '/2'), await add('free', '/3')];
    await settled(jobs[2]!);
    expect(starts).toEqual(['/1', '/2', '/3']);
    expect(await Promise.all(jobs.map(state))).toEqual(['delayed', 'delayed', 'completed']);
    expect(limited.connector.journal.filter(({ kind }) => kind === 'request')).toHaveLength(1);
  });

  it('waits on although its worker is gone, and is done by another that knows nothing of the limit', async () => {
    const { connector, url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs: 1500, times: 1 }] });
    const { work, connect, add, settled, delayed } = await queueAndWorkers();
    connect('one', url);
    const first = work();
    const job = await add('one', '/issues', { attempts: 1 });
    await delayed();
    await first.close();
    connect('one', url); // as after a restart
    work();
    await settled(job);
    const [refused, done] = connector.journal.filter(({ kind }) => kind === 'request');
    expect(done?.status).toBe(200);
    expect(done!.elapsedMs - refused!.elapsedMs).toBeGreaterThanOrEqual(1500);
  });

  it('is found in the cause of another error, too', async () => {
    const { url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs, times: 1 }] });
    const { work, connect, add, settled, process } = await queueAndWorkers();
    connect('one', url);
    work(
      delayWhenLimited(async (job) =>
        process(job).catch((cause) => {
          throw new Error('the synchronization stopped', { cause });
        }),
      ),
    );
    expect((await settled(await add('one', '/issues', { attempts: 1 }))).failedReason).toBeUndefined();
  });
});

describe.runIf(serverProgram)('`queue` must be the queue of the jobs', () => {
  it.each<[string, QueueOptions['prefix'], string]>([
    ['another name', undefined, 'other'],
    ['another prefix', 'theirs', 'sync'],
  ])('a job of %s fails with an error that names both', async (_what, prefix, name) => {
    const { server, workAlone, add, settled } = await queueAndWorkers();
    const connection = { url: server.url, maxRetriesPerRequest: null };
    const other = new Queue(name, { connection, ...(prefix !== undefined && { prefix }) });
    other.on('error', () => {});
    onTestFinished(() => other.close());
    workAlone({}, { queue: other });
    const { failedReason } = await settled(await add('one', '/issues', { attempts: 1 }));
    expect(failedReason).toBe(`\`queue\` must be the job's own, bull:sync, to stop it; it is ${other.qualifiedName}.`);
  });
});

describe.runIf(serverProgram)('controls', () => {
  it('without the wrapper the job fails', async () => {
    const { url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs: 60_000 }] });
    const { work, connect, add, settled, process } = await queueAndWorkers();
    connect('one', url);
    work(process);
    expect((await settled(await add('one', '/issues', { attempts: 1 }))).failedReason).toContain('RATE_LIMITED');
  });

  it('another error fails the job as ever', async () => {
    const { url } = await listeningConnector({ faults: [{ kind: 'status', status: 404 }] });
    const { work, connect, add, settled } = await queueAndWorkers();
    connect('one', url);
    work();
    expect((await settled(await add('one', '/issues', { attempts: 1 }))).failedReason).toContain('404');
  });

  it('further arguments pass through: the token, and the signal by which BullMQ cancels the job', async () => {
    const { work, add, settled } = await queueAndWorkers();
    let isStarted = () => {};
    const started = new Promise<void>((resolve) => {
      isStarted = resolve;
    });
    const worker = work(
      delayWhenLimited(async (job, token, signal) => {
        isStarted();
        await new Promise((resolve) => signal?.addEventListener('abort', resolve) ?? resolve(undefined));
        return [typeof token, job.id, String(signal?.reason)];
      }),
    );
    const job = await add('one', '/issues');
    await started;
    worker.cancelJob(job.id as string, 'enough');
    expect((await settled(job)).returnvalue).toEqual(['string', job.id, 'enough']);
  });

  it('a limit that is over already delays by nothing', async () => {
    const moved: unknown[] = [];
    const job = { moveToDelayed: async (...words: unknown[]) => void moved.push(...words) };
    const wrapped = delayWhenLimited(async () => {
      throw new RateLimitError('over', { resumeAt: new Date(0) });
    });
    await expect(wrapped(job as never, 'token')).rejects.toMatchObject({ name: 'DelayedError' });
    expect(moved).toEqual([expect.closeTo(Date.now(), -4), 'token']);
  });

  it('what is no function is refused', () => {
    expect(() => delayWhenLimited(7 as never)).toThrow('`processor`');
  });
});
