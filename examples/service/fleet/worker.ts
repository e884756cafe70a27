import { randomUUID } from 'node:crypto';
import { Worker } from 'bullmq';
import { serve } from 'concordat/connector';
import { type RedisState, redisState } from 'concordat/redis';
import { connect } from '../connection.js';
import { emulatedToken } from '../emulated-github.js';
import type { End, Ends } from '../engine.js';
import type { GitHubOptions } from '../options.js';
import { processJobs } from './jobs.js';
import { Lease } from './lease.js';
import { type OpenQueue, openQueue, type Pair, pairId } from './queue.js';
import { eraseReport, reportMs, reportOf, writeReport } from './reports.js';

export interface WorkerOptions {
  redisUrl: string;
  /** The connector that gets the token. */
  connectorUrl: string | undefined;
  /** Without one the pair of the job is used, with the token of the emulated GitHub. */
  github: GitHubOptions | undefined;
  /** Encrypts the sessions in redis. */
  sessionKey: string | undefined;
  concurrency: number;
  /** Where `GET /health` is served, if anywhere. */
  healthPort: number | undefined;
  /** After so long without a sign of life, another worker takes over a job. */
  lockMs: number;
}

/** Works until the signal: then no job is begun, those in hand are finished, and everything is closed. */
export async function runWorker(
  options: WorkerOptions,
  signal: AbortSignal,
  line: (text: string) => void,
): Promise<void> {
  const opened = openQueue(options.redisUrl, (error) => line(`redis: ${error.message}`));
  const lease = new Lease(options.lockMs);
  const connections = new Connections(options, opened.redis, lease);
  const [id, startedMs] = [randomUUID(), Date.now()];
  let jobs = 0;
  const work = processJobs({ opened, connect: (pair) => connections.of(pair), concurrency: options.concurrency });
  const worker = new Worker(
    opened.queue.name,
    async (job, token, stop) => {
      jobs++;
      lease.begin(job.processedOn ?? 0);
      try {
        return await work(job, token as string, stop as AbortSignal);
      } finally {
        jobs--;
      }
    },
    {
      connection: opened.connection,
      lockDuration: options.lockMs,
      stalledInterval: options.lockMs / 2,
      // A page is not to blame for the worker that was killed while it wrote it.
      maxStalledCount: 20,
      name: id,
    },
  );
  worker.on('error', (error) => line(`redis: ${error.message}`));
  worker.on('failed', (job, error) => line(`${job?.name} ${job?.id} failed: ${error.message}`));
  worker.on('locksRenewed', () => lease.renew());
  // Somebody else has this job by now.
  worker.on('lockRenewalFailed', (ids) => {
    for (const lost of ids) worker.cancelJob(lost, 'Another worker has taken over.');
  });
  const report = () =>
    writeReport(opened.redis, { id, startedMs, jobs, connections: connections.report() }).catch(() => {});
  const reporting = setInterval(report, reportMs);
  const isHealthy = () => worker.isRunning() && !signal.aborted && opened.redis.status === 'ready';
  const health = await serveHealth(options.healthPort, () => ({ isHealthy: isHealthy(), jobs }));
  line(`Worker ${id}${health ? `, health: ${health.url}/health` : ''}`);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  line(jobs > 0 ? 'Stopping as soon as the job in hand is done.' : 'Stopping.');
  await worker.close();
  clearInterval(reporting);
  await connections.close();
  await lease.close();
  await eraseReport(opened.redis, id).catch(() => {});
  await opened.close();
  await health?.close();
}

/** The clients of this worker. Their sessions and pauses are those of all workers. */
class Connections {
  readonly #options: WorkerOptions;
  readonly #redis: OpenQueue['redis'];
  readonly #ends = new Map<string, { end: End; state: RedisState }>();
  readonly #lease: Lease;
  #latest: Ends | undefined;

  constructor(options: WorkerOptions, redis: OpenQueue['redis'], lease: Lease) {
    this.#options = options;
    this.#redis = redis;
    this.#lease = lease;
  }

  of(pair: Pair): Ends {
    const { github, connectorUrl } = this.#options;
    if (github !== undefined && pairId(github) !== pairId(pair)) {
      throw new Error(`This worker keeps ${github.target} equal to ${github.source}, and no other repositories.`);
    }
    // A token never goes where a job says: only where this worker's own environment says.
    const where = github
      ? { connectorUrl: connectorUrl as string, apiUrl: github.apiUrl, token: github.token }
      : { connectorUrl: pair.connectorUrl, apiUrl: pair.apiUrl, token: emulatedToken };
    this.#latest = { source: this.#open(where, pair.source), target: this.#open(where, pair.target) };
    return this.#latest;
  }

  report() {
    return { source: reportOf(this.#latest?.source.client), target: reportOf(this.#latest?.target.client) };
  }

  async close(): Promise<void> {
    for (const { end, state } of this.#ends.values()) {
      await end.client.close();
      await state.close();
    }
  }

  #open(where: { connectorUrl: string; apiUrl: string; token: string }, repository: string): End {
    const connection = `${where.connectorUrl} ${repository}`;
    const known = this.#ends.get(connection);
    if (known !== undefined) return known.end;
    const { sessionKey } = this.#options;
    const secrecy = sessionKey === undefined ? { storeSessionInPlainText: true } : { encryptionKey: sessionKey };
    const state = redisState({ redis: this.#redis, connection, ...secrecy });
    // The session is that of all workers, so none of them ends it.
    const end = connect({ ...where, repository, state, dispatcher: this.#lease.dispatcher() });
    this.#ends.set(connection, { end, state });
    return end;
  }
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
