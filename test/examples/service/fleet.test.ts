import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Queue } from 'bullmq';
import { serve } from 'concordat/connector';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGitHubConnector } from '../../../examples/github/connector.js';
import { startEmulatedGitHub } from '../../../examples/service/emulated-github.js';
import { silent } from '../../../examples/service/engine/progress.js';
import { Tally } from '../../../examples/service/engine/tally.js';
import { Fleet } from '../../../examples/service/fleet/fleet.js';
import { openQueue } from '../../../examples/service/fleet/queue.js';
import { textOf } from '../../admin/ui/helpers/html.js';
import { Visitor } from '../../admin/ui/helpers/visitor.js';
import { redisServer } from '../../integrations/redis/helpers/redis-server.js';
import { newDataDirectory, root, serviceEnvironment } from '../service-environment.js';
import { startService } from '../start-service.js';
import { killRuns, killWorkers } from './helpers/killed-workers.js';

// Each run starts five processes and waits for killed ones to be missed.
vi.setConfig({ testTimeout: 3_600_000 });

/** Minutes of real processes: only where Redis is what is tested, `npm run test:redis`. */
const isRedisTested = process.env.CONCORDAT_REDIS_URL !== undefined;

const passwords = { CONCORDAT_ADMIN_PASSWORD: 'of the admin' };

/** Starts a worker as `npm run worker` does. */
async function startWorker(redisUrl: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/service/worker.ts'], {
    cwd: root,
    env: serviceEnvironment({ REDIS_URL: redisUrl, HEALTH_PORT: '0' }),
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  let output = '';
  const health = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const [, port] = /health: http:\/\/\S+:(\d+)\/health/.exec(output) ?? [];
        if (port !== undefined) resolve(`http://127.0.0.1:${port}/health`);
      });
    }
    closed.then(() => reject(new Error(`The worker ended: ${output}`)));
  });
  return {
    health,
    async stop(): Promise<number | null> {
      child.kill('SIGTERM');
      return (await closed)[0];
    },
  };
}

describe.runIf(isRedisTested)('a service with redis', () => {
  it('leaves the work to workers, shows them with what they wait for, and stops them', async () => {
    const { url } = await redisServer();
    const workers = await Promise.all([startWorker(url), startWorker(url)]);
    const health = async () => {
      const response = await fetch(workers[0]!.health);
      return [response.status, await response.json()];
    };
    // A worker is not healthy before it is connected to Redis.
    await expect.poll(health, { timeout: 30_000 }).toEqual([200, { status: 'ok', jobs: 0 }]);

    const data = newDataDirectory();
    const args = ['--data', data, '--interval', '600', '--issues', '60', '--quota', '20', '--window', '20'];
    const service = await startService(args, { ...passwords, REDIS_URL: url }, 'Connector:');
    await service.printed('Paused for');
    const admin = new Visitor(service.url);
    await admin.signIn('admin', passwords.CONCORDAT_ADMIN_PASSWORD);
    const page = textOf((await admin.open('/syncs')).html);
    expect(page).toContain('2 running');
    expect(page).toMatch(/Paused · \d+ s left/);
    await admin.submit('/syncs/stop');
    await service.printed('The next synchronization starts when somebody starts it.');
    expect(textOf((await admin.open('/syncs')).html)).toContain('Stopped by admin.');

    expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual([143, 143]);
    await expect(fetch(workers[0]!.health)).rejects.toThrow('fetch failed');
    await vi.waitFor(
      async () => expect(textOf((await admin.open('/syncs')).html)).toContain('None is running'),
      30_000,
    );
  });

  it.each(['worker', 'service'])(
    'ends a %s whose redis is away',
    async (name) => {
      const redis = await redisServer();
      const data = newDataDirectory();
      const start = () => startService(['--data', data], { ...passwords, REDIS_URL: redis.url }, 'Connector:');
      const one = name === 'worker' ? await startWorker(redis.url) : await start();
      await redis.kill();
      expect(await one.stop()).toBe(name === 'worker' ? 143 : 130);
    },
    60_000,
  );

  it('makes one run of two that are asked for at the same time', async () => {
    const { url } = await redisServer();
    const github = await startEmulatedGitHub(30);
    onTestFinished(() => github.close());
    const pair = { connectorUrl: (await startConnector()).url, ...github };
    await startWorker(url);
    const fleets = [await Fleet.open(url, () => {}), await Fleet.open(url, () => {})];
    onTestFinished(async () => void (await Promise.all(fleets.map((fleet) => fleet.close()))));
    const never = new AbortController().signal;
    const options = { progress: silent, stop: never, service: never };
    const results = await Promise.all(
      fleets.map(async (fleet) => {
        const tally = new Tally();
        await fleet.synchronize(pair, tally, options);
        return tally.result();
      }),
    );
    expect(results[0]).toMatchObject({ equal: true, created: 30, verified: 30 });
    expect(results[1]).toEqual(results[0]);
    const jobs = openQueue(url, () => {});
    onTestFinished(() => jobs.close());
    expect((await jobs.queue.getJobs(['completed'])).filter(({ name }) => name === 'sync')).toHaveLength(1);
    // A control: once it has ended, the next one is a run of its own, and has nothing to write. The service of that run has
    // only just been started, and knows at once what the worker has sent before.
    await expect.poll(() => fleets[0]?.target.status.counters.sent).toBeGreaterThanOrEqual(30);
    const later = await Fleet.open(url, () => {});
    onTestFinished(() => later.close());
    expect(later.target.status.counters.sent).toBeGreaterThanOrEqual(30);
    const again = new Tally();
    await later.synchronize(pair, again, options);
    expect(again.result()).toMatchObject({ equal: true, created: 0, unchanged: 30 });
  });

  it('is told the result of a run that ends while it is being looked at', async () => {
    const { url } = await redisServer();
    const github = await startEmulatedGitHub(5);
    onTestFinished(() => github.close());
    const pair = { connectorUrl: (await startConnector()).url, ...github };
    await startWorker(url);
    const fleet = await Fleet.open(url, () => {});
    onTestFinished(() => fleet.close());
    const { getJob } = Queue.prototype;
    // The run is over by the time that what was read of it arrives.
    const slow = vi.spyOn(Queue.prototype, 'getJob').mockImplementation(async function (this: Queue, id: string) {
      const job = await getJob.call(this, id);
      await vi.waitFor(async () => expect(await this.getJobState(id)).toBe('completed'), { timeout: 60_000 });
      return job as never;
    });
    onTestFinished(() => slow.mockRestore());
    const never = new AbortController().signal;
    const tally = new Tally();
    await fleet.synchronize(pair, tally, { progress: silent, stop: never, service: never });
    expect(tally.result()).toMatchObject({ equal: true, created: 5, verified: 5 });
  });
});

async function startConnector() {
  const connector = await serve(createGitHubConnector(), { port: 0 });
  onTestFinished(() => connector.close({ graceMs: 0 }));
  return connector;
}

describe.runIf(isRedisTested)('a synchronization by several workers', () => {
  it('loses nothing, doubles nothing and repeats a page at most for each kill -9, in ten seeded runs of two kills', async () => {
    const { url } = await redisServer();
    const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const told: unknown[] = [];
    expect(await killRuns(url, seeds, (_, { summary }) => told.push(summary))).toEqual([]);
    const whole = { equal: true, read: 120, created: 120, verified: 120, failed: 0, duplicates: [] };
    expect(told).toMatchObject(seeds.map(() => whole));
  });

  it('writes nothing twice when a worker that was frozen goes on after another one has done its page', async () => {
    const { url } = await redisServer();
    // At the fifth creation every page has more that is to be written.
    const frozen = await killWorkers({ redisUrl: url, seed: 3, issues: 60, at: [5], fault: 'freeze' });
    expect(frozen.problems).toEqual([]);
    expect(frozen).toMatchObject({ kills: 1, repeated: 1 });
  });
});
