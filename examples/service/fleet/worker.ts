import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'bullmq';
import { serve } from 'concordat/connector';
import type { GitHubOptions } from '../options.js';
import { Connections } from './connections.js';
import { runPage, runSync } from './jobs.js';
import { Lease } from './lease.js';
import { openQueue } from './queue.js';
import { eraseReport, reportMs, writeReport } from './reports.js';

export interface WorkerOptions {
  redisUrl: string;
  /** The connector that gets the token. */
  connectorUrl: string | undefined;
  /** Without one the pair of the job is used, with the token of the emulated GitHub. */
  github: GitHubOptions | undefined;
  /** Encrypts the sessions in Redis. */
  sessionKey: string | undefined;
  concurrency: number;
  /** Where `GET /health` is served, if anywhere. */
  healthPort: number | undefined;
  /** After so long without a sign of life, another worker takes over a job. */
  lockMs: number;
}

/** Works until the signal: then no job is begun, the one in hand is finished, and everything is closed. */
export async function runWorker(
  options: WorkerOptions,
  signal: AbortSignal,
  line: (text: string) => void,
): Promise<void> {
  const { redisUrl, concurrency, healthPort, lockMs } = options;
  const opened = openQueue(redisUrl, (error) => line(`Redis: ${error.message}`), signal);
  const { queue, redis, connection, onError, close } = opened;
  const lease = new Lease(lockMs);
  const connections = new Connections(options, redis, lease);
  const parts = { queue, redis, concurrency, connect: connections.of.bind(connections) };
  const [id, startedMs] = [randomUUID(), Date.now()];
  let jobs = 0;
  const worker = new Worker(
    queue.name,
    // Three parameters without a default: BullMQ makes a signal only for a processor whose `length` is three.
    async (job, token, stop) => {
      jobs++;
      lease.begin(job.processedOn ?? 0);
      try {
        const ended = stop as AbortSignal;
        return await (job.name === 'sync' ? runSync(job, token as string, ended, parts) : runPage(job, ended, parts));
      } finally {
        jobs--;
      }
    },
    // A page is not to blame for the worker that was killed while it wrote it.
    { connection, lockDuration: lockMs, stalledInterval: lockMs / 2, maxStalledCount: 20 },
  );
  worker.on('error', onError);
  worker.on('failed', (job, error) => line(`${job?.name} ${job?.id} failed: ${error.message}`));
  worker.on('locksRenewed', () => lease.renew());
  worker.on('lockRenewalFailed', () => worker.cancelAllJobs('Another worker has taken over.'));
  const report = () => writeReport(redis, { id, startedMs, jobs, connections: connections.report() }).catch(() => {});
  const reporting = setInterval(report, reportMs);
  const health = await serveHealth(healthPort, () => ({
    isHealthy: !signal.aborted && redis.status === 'ready',
    jobs,
  }));
  line(`Worker ${id}${health ? `, health: ${health.url}/health` : ''}`);
  if (!signal.aborted) await once(signal, 'abort');
  line(jobs > 0 ? 'Stopping as soon as the job in hand is done.' : 'Stopping.');
  // Without Redis nothing can be finished, and closing may wait for it: what is in hand is left to another worker.
  const leave = () => process.exit();
  redis.once('end', leave);
  await worker.close();
  clearInterval(reporting);
  await connections.close();
  await lease.close();
  await eraseReport(redis, id).catch(() => {});
  redis.off('end', leave);
  await close();
  await health?.close();
}

/** `GET /health`: 200 while it works, 503 when it does not or will not. */
function serveHealth(port: number | undefined, state: () => { isHealthy: boolean; jobs: number }) {
  if (port === undefined) return undefined;
  const fetch = () => {
    const { isHealthy, jobs } = state();
    return Response.json({ status: isHealthy ? 'ok' : 'unavailable', jobs }, { status: isHealthy ? 200 : 503 });
  };
  return serve({ fetch }, { port, hostname: '0.0.0.0' });
}
