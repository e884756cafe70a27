import Table from 'cli-table3';
import type { ConnectorClient } from 'concordat/client';
import type { SyncResult } from './engine/tally.js';

/** What the connections went through while one synchronization ran. */
export interface Traffic {
  requests: number;
  reLogins: number;
  pauses: number;
  waitedMs: number;
  /** Requests that a rate limit refused. */
  wastedRequests: number;
}

export interface Summary extends SyncResult, Traffic {
  source: string;
  target: string;
  durationMs: number;
  /** Why the run ended early, where it did. */
  error?: string;
}

/** Counts from now on. @returns what has come together whenever it is called. */
export function countTraffic(clients: readonly Pick<ConnectorClient, 'status'>[]): () => Traffic {
  const before = clients.map((client) => client.status.counters);
  return () => {
    const sum = { requests: 0, reLogins: 0, pauses: 0, waitedMs: 0, wastedRequests: 0 };
    for (const [index, client] of clients.entries()) {
      const now = client.status.counters;
      const start = before[index] ?? now;
      // A connection's first login is none again.
      sum.reLogins += Math.max(0, now.logins - Math.max(1, start.logins));
      sum.requests += now.sent - start.sent;
      sum.pauses += now.pauses - start.pauses;
      sum.waitedMs += Math.round(now.pausedMs - start.pausedMs);
      sum.wastedRequests += now.refused - start.refused;
    }
    return sum;
  };
}

/** The summary for people. */
export function summaryTable(summary: Summary): string {
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
  const table = new Table({ style: { head: [], border: [] } });
  table.push(
    ['Source', summary.source],
    ['Target', summary.target],
    ['Issues read', summary.read],
    [
      'Issues written',
      `${summary.created + summary.updated} (${summary.created} created, ${summary.updated} updated; ${summary.unchanged} unchanged)`,
    ],
    ['Verified equal at both ends', `${summary.verified} of ${summary.read}`],
    ['Re-logins', summary.reLogins],
    ['Pauses', summary.pauses],
    ['Time waited', `${seconds(summary.waitedMs)} of ${seconds(summary.durationMs)}`],
    ['Wasted requests', `${summary.wastedRequests} of ${summary.requests}`],
  );
  const problems: [string, number][] = [
    ['Refused by the target', summary.failed],
    ['Duplicates at the target', summary.duplicates.length],
    ['Gone from the source', summary.orphans.length],
  ];
  for (const [name, count] of problems) if (count > 0) table.push([name, count]);
  return table.toString();
}
