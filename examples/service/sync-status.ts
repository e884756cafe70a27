import type { McpTool } from 'concordat/admin';
import type { ConnectorClient } from 'concordat/client';
import type { Summary } from './summary.js';

type LastRun = Summary & { finishedOn: string };

/** What the service is doing, for who asks from outside. */
export class SyncStatus {
  #connections: Readonly<Record<string, Pick<ConnectorClient, 'status'>>> = {};
  #isRunning = false;
  #lastRun: LastRun | null = null;
  #nextRunOn: string | null = null;

  connected(connections: Readonly<Record<string, Pick<ConnectorClient, 'status'>>>): void {
    this.#connections = connections;
  }

  started(): void {
    this.#isRunning = true;
    this.#nextRunOn = null;
  }

  /** @param nextRunInMs `undefined` when there is none */
  ended(summary: Summary, nextRunInMs: number | undefined): void {
    this.#isRunning = false;
    this.#lastRun = { ...summary, finishedOn: new Date().toISOString() };
    this.#nextRunOn = nextRunInMs === undefined ? null : new Date(Date.now() + nextRunInMs).toISOString();
  }

  describe() {
    return {
      state: this.#isRunning ? 'synchronizing' : 'waiting',
      nextRunOn: this.#nextRunOn,
      lastRun: this.#lastRun,
      connections: Object.fromEntries(
        Object.entries(this.#connections).map(([name, { status }]) => [name, status] as const),
      ),
    };
  }
}

/** The service's own MCP tool. Every user may call it. */
export function syncStatusTool(status: SyncStatus): McpTool {
  return {
    name: 'sync_status',
    title: 'Synchronization status',
    description:
      'Says whether a synchronization is running or when the next one starts, how the last one ended, and for each ' +
      'connection whether it is logged in or waits for a rate limit, and until when.',
    readOnly: true,
    handler: () => status.describe(),
  };
}
