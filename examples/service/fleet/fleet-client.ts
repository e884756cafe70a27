import { EventEmitter } from 'node:events';
import type { ClientEventListener, ClientEventName, ClientStatus, ConnectorClient } from 'concordat/client';

import { type ConnectionReport, noCounters } from './reports.js';

/** One connection of all workers, watched as if it were one client: their counters summed up, and their pauses. */
export class FleetClient implements Pick<ConnectorClient, 'status' | 'on'> {
  readonly #events = new EventEmitter();
  /** By worker. Those that are gone stay, so that no sum ever falls. */
  readonly #known = new Map<string, ConnectionReport>();
  #status: ClientStatus = {
    ...{ paused: false, resumeAt: undefined, session: 'none', quota: undefined },
    counters: noCounters,
  };
  #updatedMs = 0;

  get status(): ClientStatus {
    return this.#status;
  }

  on<Name extends ClientEventName>(name: Name, listener: ClientEventListener<Name>): () => void {
    this.#events.on(name, listener);
    return () => void this.#events.off(name, listener);
  }

  /** What the workers say now, by their id. */
  update(reports: ReadonlyMap<string, ConnectionReport>, nowMs = Date.now()): void {
    for (const [id, report] of reports) this.#known.set(id, report);
    const before = this.#status;
    const now = [...reports.values()];
    const resumeAtMs = Math.max(0, ...now.map((report) => report.resumeAtMs ?? 0));
    const paused = resumeAtMs > nowMs;
    const sum = (name: keyof typeof noCounters) =>
      [...this.#known.values()].reduce((total, { counters }) => total + counters[name], 0);
    this.#status = {
      paused,
      resumeAt: paused ? new Date(resumeAtMs) : undefined,
      session: (['active', 'renewing'] as const).find((state) => now.some((one) => one.session === state)) ?? 'none',
      quota: now.find(({ quota }) => quota !== null)?.quota ?? undefined,
      counters: {
        ...{ calls: sum('calls'), sent: sum('sent'), refused: sum('refused') },
        ...{ logins: sum('logins'), retries: sum('retries') },
        // A pause is one of all workers, however many of them wait.
        pauses: before.counters.pauses + (paused && !before.paused ? 1 : 0),
        pausedMs: before.counters.pausedMs + (before.paused ? nowMs - this.#updatedMs : 0),
      },
    };
    this.#updatedMs = nowMs;
    this.#tell(before, this.#status, nowMs);
  }

  #tell(before: ClientStatus, now: ClientStatus, nowMs: number): void {
    const { resumeAt, quota, counters } = now;
    if (resumeAt !== undefined && !before.paused) {
      const waitMs = resumeAt.getTime() - nowMs;
      this.#events.emit('pause', { reason: 'rate-limit', waitMs, resumeAt, source: 'header' });
    }
    if (!now.paused && before.paused) this.#events.emit('resume', { pausedMs: 0 });
    if (JSON.stringify(quota) !== JSON.stringify(before.quota)) this.#events.emit('quota', { quota });
    for (let count = before.counters.logins; count < counters.logins; count++) {
      this.#events.emit('initialize', {
        generation: count + 1,
        reason: count === 0 ? 'first' : 'expired',
        durationMs: 0,
      });
    }
  }
}
