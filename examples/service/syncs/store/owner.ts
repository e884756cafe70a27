import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { RunRow } from './rows.js';

/** A process that has the store open. */
export interface Owner {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
}

/** A process that runs a sync writes down every second that it is there. After so long without, it is taken for gone. */
export const silenceMs = 15_000;

export function thisProcess(): Owner {
  return { id: randomUUID(), host: hostname(), pid: process.pid };
}

/**
 * Whether the process that owns a run is gone. On this machine the system knows, so that a run that was killed is shown as
 * interrupted at once; of others, and of a number that another process has by now, silence tells.
 */
export function isGone(
  row: Pick<RunRow, 'owner_id' | 'owner_host' | 'owner_pid' | 'last_seen_ms'>,
  me: Owner,
  nowMs: number,
) {
  if (row.owner_id === me.id) return false;
  if (nowMs - row.last_seen_ms > silenceMs) return true;
  if (row.owner_host !== me.host) return false;
  // In a container, every start has the same number.
  return row.owner_pid === me.pid || !isAlive(row.owner_pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
