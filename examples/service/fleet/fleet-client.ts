import { EventEmitter } from 'node:events';
import type { ClientEventListener, ClientEventName, ClientStatus, ConnectorClient } from 'concordat/client';
import type { WorkerReport } from './reports.js';

/** One connection of all workers, watched as if it were one client: their counters summed up, and their pauses. */
export class FleetClient implements Pick<ConnectorClient, 'status' | 'on'> {
  readonly #side: 'source' | 'target';
  readonly #events = new EventEmitter();
  /** By worker. Those that are gone stay, so that no sum ever falls. */
  readonly #reports = new Map<string, WorkerReport['connections']['source']>();
  #session: ClientStatus['session'] = 'none';
  #pausedSince: number | undefined;
  #resumeAtMs: number | null = null;
  #pauses = { count: 0, ms: 0 };
  #quota: ClientStatus['quota'];

  constructor(side: 'source' | 'target') {
    this.#side = side;
  }

  get status(): ClientStatus {
    const counters = { calls: 0, sent: 0, refused: 0, logins: 0, pauses: 0, retries: 0, pausedMs: 0 };
    for (const report of this.#reports.values()) {
      for (const name of Object.keys(counters) as (keyof typeof counters)[]) counters[name] += report.counters[name];
    }
    const pausedMs = this.#pauses.ms + (this.#pausedSince === undefined ? 0 : Date.now() - this.#pausedSince);
    return {
      paused: this.#pausedSince !== undefined,
      resumeAt: this.#resumeAtMs === null ? undefined : new Date(this.#resumeAtMs),
      session: this.#session,
      quota: this.#quota,
      // A pause is one of all workers, however many of them wait.
      counters: { ...counters, pauses: this.#pauses.count, pausedMs },
    };
  }

  on<Name extends ClientEventName>(name: Name, listener: ClientEventListener<Name>): () => void {
    this.#events.on(name, listener);
    return () => void this.#events.off(name, listener);
  }

  /** What the workers say now. */
  update(workers: readonly WorkerReport[]): void {
    const logins = this.status.counters.logins;
    const reports = workers.map(({ id, connections }) => [id, connections[this.#side]] as const);
    for (const [id, report] of reports) this.#reports.set(id, report);
    const now = reports.map(([, report]) => report);
    this.#session = now.some(({ session }) => session === 'active')
      ? 'active'
      : (now.find(({ session }) => session !== 'none')?.session ?? 'none');
    for (let count = logins; count < this.status.counters.logins; count++) {
      this.#events.emit('initialize', {
        generation: count + 1,
        reason: count === 0 ? 'first' : 'expired',
        durationMs: 0,
      });
    }
    const quota = now.find((report) => report.quota !== null)?.quota ?? undefined;
    if (JSON.stringify(quota) !== JSON.stringify(this.#quota)) {
      this.#quota = quota;
      this.#events.emit('quota', { quota });
    }
    this.#updatePause(Math.max(0, ...now.map(({ resumeAtMs }) => resumeAtMs ?? 0)));
  }

  #updatePause(untilMs: number): void {
    const nowMs = Date.now();
    if (untilMs > nowMs && this.#pausedSince === undefined) {
      this.#pausedSince = nowMs;
      this.#resumeAtMs = untilMs;
      this.#pauses.count++;
      const resumeAt = new Date(untilMs);
      this.#events.emit('pause', { reason: 'rate-limit', waitMs: untilMs - nowMs, resumeAt, source: 'header' });
    } else if (untilMs <= nowMs && this.#pausedSince !== undefined) {
      const pausedMs = nowMs - this.#pausedSince;
      this.#pauses.ms += pausedMs;
      this.#pausedSince = undefined;
      this.#resumeAtMs = null;
      this.#events.emit('resume', { pausedMs });
    }
  }
}
