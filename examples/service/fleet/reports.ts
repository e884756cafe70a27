import { hostname } from 'node:os';
import type { ClientStatus, ConnectorClient } from 'concordat/client';
import type { Redis } from 'ioredis';
import { workerKey, workersKey } from './queue.js';

/** What a worker says of itself, every second. */
export interface WorkerReport {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly startedMs: number;
  /** Jobs in hand. */
  readonly jobs: number;
  readonly connections: Readonly<Record<'source' | 'target', ConnectionReport>>;
}

export type ConnectionReport = Pick<ClientStatus, 'session' | 'counters'> & {
  readonly resumeAtMs: number | null;
  readonly quota: ClientStatus['quota'] | null;
};

export const reportMs = 1000;
/** A worker that has said nothing for so long is gone. */
const silenceMs = 5000;

export const noCounters = { calls: 0, sent: 0, refused: 0, logins: 0, pauses: 0, retries: 0, pausedMs: 0 };

export function reportOf(client: ConnectorClient | undefined): ConnectionReport {
  if (client === undefined) return { session: 'none', counters: noCounters, resumeAtMs: null, quota: null };
  const { session, counters, resumeAt, quota = null } = client.status;
  return { session, counters, resumeAtMs: resumeAt?.getTime() ?? null, quota };
}

export async function writeReport(redis: Redis, report: Omit<WorkerReport, 'host' | 'pid'>): Promise<void> {
  const whole: WorkerReport = { ...report, host: hostname(), pid: process.pid };
  await redis
    .multi()
    .sadd(workersKey, report.id)
    .set(workerKey(report.id), JSON.stringify(whole), 'PX', silenceMs)
    .exec();
}

export async function eraseReport(redis: Redis, id: string): Promise<void> {
  await redis.multi().srem(workersKey, id).del(workerKey(id)).exec();
}

/** The workers that are there, oldest first; those that are gone are forgotten. */
export async function readReports(redis: Redis): Promise<WorkerReport[]> {
  const ids = await redis.smembers(workersKey);
  if (ids.length === 0) return [];
  const texts = await redis.mget(ids.map(workerKey));
  const gone = ids.filter((_, index) => texts[index] === null);
  if (gone.length > 0) await redis.srem(workersKey, gone);
  const reports = texts.flatMap((text) => (text ? [JSON.parse(text) as WorkerReport] : []));
  return reports.sort((a, b) => a.startedMs - b.startedMs);
}
