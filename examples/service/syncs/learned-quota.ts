import type { ClientStatus } from 'concordat/client';
import type { LearnedQuota } from './run.js';

/** The quota that a client has learned of its connector; `null` while it knows of none. */
export function learnedQuota(status: ClientStatus): LearnedQuota | null {
  const { quota } = status as ClientStatus & { quota?: Partial<LearnedQuota> };
  if (quota?.requests === undefined || quota.windowMs === undefined) return null;
  return { requests: quota.requests, windowMs: quota.windowMs };
}
