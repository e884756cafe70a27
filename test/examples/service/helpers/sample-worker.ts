import type { WorkerReport } from '../../../../examples/service/fleet/reports.js';
import { noon } from './syncs-host.js';

/** What a worker says of itself that waits with its target until then. */
export function sampleWorker(resumeAtMs: number): WorkerReport {
  const counters = { calls: 9, sent: 9, refused: 1, logins: 1, pauses: 1, retries: 0, pausedMs: 0 };
  const source = { session: 'active', counters, resumeAtMs: null, quota: null } as const;
  const connections = { source, target: { ...source, resumeAtMs } };
  return { id: 'one', host: 'machine-7', pid: 4711, startedMs: noon, jobs: 1, connections };
}
