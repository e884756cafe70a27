// What a rate limit costs a BullMQ queue of one connection: runs a job, Redis commands, time; and whether anything is
// lost when workers and Redis are killed. Real processes and a real Redis: npm run bench:bullmq.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { describeLoad, describeMachine } from '../machine.js';
import type { Quota } from '../sync/quota.js';
import { round } from '../table.js';
import { startWorker, type Worker } from '../worker.js';
import type { WorkerInput } from './parking.js';
import { startLastingRedis } from './redis.js';
import type { Ledger } from './server.js';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    jobs: { type: 'string' },
    limit: { type: 'string', default: '500' },
    'window-ms': { type: 'string', default: '2500' },
    workers: { type: 'string', default: '4' },
    concurrency: { type: 'string', default: '25' },
  },
});
const jobs = Number(values.jobs ?? (values.quick ? 5000 : 100_000));
const workers = Number(values.workers);
const concurrency = Number(values.concurrency);
const quota: Quota = { limit: Number(values.limit), windowMs: Number(values['window-ms']), windows: 'grid' };

const program = process.env.CONCORDAT_REDIS_SERVER;
if (program === undefined) {
  console.log('SKIPPED: there is no redis-server. Use: npm run bench:bullmq');
  process.exit();
}
const redis = await startLastingRedis(program);
const server = startWorker('server');
const connectorUrl = await server.call<string>('listen');

console.log(`${describeMachine()}; ${new Date().toISOString()}\n${describeLoad()}`);
console.log(`${workers} workers of ${concurrency} jobs, ${quota.limit} requests in ${quota.windowMs} ms`);
const free = await run('no limit met', Math.min(jobs, 5000), undefined);
const limited = await run('limited', jobs, quota);
const killed = await run('limited, three workers and Redis killed', Math.min(jobs, 10_000), quota, killAll);
console.table({
  [free.title]: { ...describe(free), 'commands / job': round(free.commands / free.jobs) },
  [limited.title]: { ...describe(limited), ...describeLimited(limited, free.commands / free.jobs) },
  [killed.title]: describe(killed),
});
await server.stop();
process.exit();

interface Outcome extends Ledger {
  title: string;
  jobs: number;
  runs: number;
  commands: number;
  failed: number;
}

async function run(
  title: string,
  count: number,
  limit: Quota | undefined,
  disturb: (fleet: Worker[], input: WorkerInput) => Promise<void> = async () => {},
): Promise<Outcome> {
  const name = `bench-${title.length}`;
  const connection = { url: redis.url, maxRetriesPerRequest: null };
  const queue = new Queue(name, { connection });
  const own = new Redis(redis.url, { maxRetriesPerRequest: null });
  queue.on('error', () => {});
  own.on('error', () => {});
  await queue.setGlobalRateLimit(Number.MAX_SAFE_INTEGER, 60_000); // as after the first limit, for like commands
  await server.call('open', limit);
  for (let from = 0; from < count; from += 1000) {
    const part = Array.from({ length: Math.min(1000, count - from) }, (_, index) => from + index);
    await queue.addBulk(part.map((number) => ({ name: 'call', data: { number }, opts: { jobId: `job-${number}` } })));
  }
  const before = await commandsOf(own);
  const input: WorkerInput = { redisUrl: redis.url, connectorUrl, name, concurrency };
  const fleet = await Promise.all(Array.from({ length: workers }, () => startJobs(input)));
  const disturbed = disturb(fleet, input);
  while ((await queue.getJobCountByTypes('completed', 'failed')) < count) await sleep(1000);
  await disturbed;
  const commands = (await commandsOf(own)) - before;
  const failed = await queue.getFailedCount();
  const runs = await runsOf(own, queue, count);
  const ledger = await server.call<Ledger>('ledger');
  await Promise.all(fleet.map((worker) => worker.stop()));
  await queue.obliterate({ force: true });
  await queue.close();
  own.disconnect();
  return { title, jobs: count, runs, commands, failed, ...ledger };
}

async function startJobs(input: WorkerInput): Promise<Worker> {
  const worker = startWorker('parking');
  await worker.call('start', input);
  return worker;
}

/** Kills a worker and starts another, three times; and Redis after the second. */
async function killAll(fleet: Worker[], input: WorkerInput): Promise<void> {
  for (let kill = 0; kill < 3; kill++) {
    await sleep(quota.windowMs * 1.3);
    const victim = fleet.shift();
    if (victim !== undefined) process.kill(victim.pid, 'SIGKILL');
    fleet.push(await startJobs(input));
    if (kill === 1) await redis.restart();
  }
}

async function commandsOf(own: Redis): Promise<number> {
  return Number(/total_commands_processed:(\d+)/.exec(await own.info('stats'))?.[1]);
}

/** How often the jobs were taken up, as BullMQ itself counts them. */
async function runsOf(own: Redis, queue: Queue, count: number): Promise<number> {
  let sum = 0;
  for (let from = 0; from < count; from += 1000) {
    const pipeline = own.pipeline();
    for (let number = from; number < Math.min(from + 1000, count); number++) {
      pipeline.hget(queue.toKey(`job-${number}`), 'ats');
    }
    for (const [, attempts] of (await pipeline.exec()) ?? []) sum += Number(attempts);
  }
  return sum;
}

function describe({ jobs, done, repeated, failed, runs, firstAt, lastAt }: Outcome): object {
  const time = round((lastAt - firstAt) / 1000);
  return { jobs, lost: jobs - done + failed, repeated, 'runs / job': round(runs / jobs), 'time, s': time };
}

/** Ideal is when every window is used up: the last one needs no waiting. */
function describeLimited({ jobs, refused, commands, firstAt, lastAt }: Outcome, commandsPerJob: number): object {
  const { limit, windowMs } = quota;
  const windows = Math.ceil(jobs / limit);
  const startedAt = Math.floor(firstAt / windowMs) * windowMs;
  return {
    'commands / job': round(commands / jobs),
    'more commands / window': round((commands - commandsPerJob * jobs) / windows),
    'refused / window': round(refused / windows),
    'time / ideal': Number(((lastAt - startedAt) / ((windows - 1) * windowMs)).toFixed(3)),
  };
}
