import { type Job, Queue, QueueEvents, Worker, type WorkerOptions } from 'bullmq';
import { type DelayOptions, delayWhenLimited } from 'concordat/bullmq';
import { type ConnectorClient, type ConnectorClientOptions, createConnectorClient } from 'concordat/client';
import { onTestFinished } from 'vitest';
import { grace } from '../../../helpers/until.js';
import { redisServer } from '../../redis/helpers/redis-server.js';

export interface Work {
  connection: string;
  path: string;
}

/** A queue on a Redis of its own, and workers that make a call for each job. */
export async function queueAndWorkers() {
  const server = await redisServer();
  const connection = { url: server.url, maxRetriesPerRequest: null };
  const queue = new Queue<Work>('sync', { connection });
  queue.on('error', () => {});
  onTestFinished(() => queue.close());
  const clients: Record<string, ConnectorClient> = {};
  const starts: string[] = [];
  const process = async (job: Job<Work>) => {
    starts.push(job.data.path);
    return clients[job.data.connection]?.get(job.data.path);
  };
  function work(processor = delayWhenLimited(process), options: Partial<WorkerOptions> = {}): Worker {
    const worker = new Worker('sync', processor, { connection, concurrency: 1, ...options });
    worker.on('error', () => {});
    onTestFinished(() => worker.close());
    return worker;
  }
  /** Workers for a queue whose jobs all use one connection. */
  const workAlone = (options: Partial<WorkerOptions> = {}, delay: DelayOptions = { queue }) =>
    work(delayWhenLimited(process, delay), options);
  function connect(name: string, baseUrl: string, options: Partial<ConnectorClientOptions> = {}): ConnectorClient {
    const client = createConnectorClient({
      baseUrl,
      initialize: { parameters: { user: 'ada', password: 'correct horse' } },
      rateLimit: { format: 'milliseconds', jitterMs: 0, onLimit: 'reject' },
      retry: { retries: 0 },
      ...options,
    });
    clients[name] = client;
    onTestFinished(() => client.close().catch(() => {}));
    return client;
  }
  const add = (name: string, path: string, options = {}) => queue.add('call', { connection: name, path }, options);
  const addMany = (name: string, count: number) =>
    queue.addBulk(
      Array.from({ length: count }, (_, number) => ({ name: 'call', data: { connection: name, path: `/${number}` } })),
    );
  const state = async (job: Job) => queue.getJobState(job.id as string);
  const settled = async (job: Job) => {
    while (!['completed', 'failed'].includes(await state(job))) await grace(5);
    return (await queue.getJob(job.id as string)) as Job;
  };
  /** Resolves at an event of the queue, also one that is over already: states may follow each other quickly. */
  const seen = (event: 'delayed' | 'waiting', isMeant: (facts: { prev?: string }) => boolean = () => true) =>
    new Promise<void>((resolve) => {
      const events = new QueueEvents('sync', { connection, lastEventId: '0' });
      events.on('error', () => {});
      events.on(event, (facts: { prev?: string }) => isMeant(facts) && resolve());
      onTestFinished(() => events.close());
    });
  const delayed = () => seen('delayed');
  /** Resolves once a job has gone back from a worker to the waiting ones. */
  const backToWait = () => seen('waiting', ({ prev }) => prev === 'active');
  return {
    server,
    queue,
    work,
    workAlone,
    connect,
    add,
    addMany,
    state,
    settled,
    delayed,
    backToWait,
    starts,
    process,
  };
}
