import type { ConnectorClient } from 'concordat/client';
import type { SyncProgress } from '../engine/progress.js';
import type { SyncResult } from '../engine/tally.js';
import type { Run, RunConnection, RunEventData, RunFacts, Sample } from './run.js';
import type { RunEnd, RunStore } from './store/run-store.js';

export interface RecordedConnection {
  readonly name: string;
  readonly repository: string;
  readonly client: Pick<ConnectorClient, 'status' | 'on'>;
}

interface RecorderOptions {
  store: RunStore;
  run: Run;
  connections: readonly RecordedConnection[];
  /** What the synchronization has done so far. */
  result(): SyncResult;
  now?(): number;
}

/** Of many issues that the target refused, so many are kept. */
const maxRefusals = 20;

type Pause = Extract<RunEventData, { type: 'pause' }>;

/** Writes down one run while it goes on: what its clients tell, what they count, and how far the engine is. */
export class Recorder implements SyncProgress {
  readonly #store: RunStore;
  readonly #run: Run;
  readonly #watches: Watch[];
  readonly #result: () => SyncResult;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #phase = { phase: '', done: 0, total: 0 };

  constructor({ store, run, connections, result, now = Date.now }: RecorderOptions) {
    this.#store = store;
    this.#run = run;
    this.#result = result;
    this.#now = now;
    this.#watches = connections.map((connection) => new Watch(connection, store, run.id, now));
  }

  /** Samples from now on, just after every full second. Keeps no process alive. */
  start(): this {
    const next = () => {
      this.#timer = setTimeout(
        () => {
          this.tick();
          next();
        },
        1000 - (this.#now() % 1000),
      ).unref();
    };
    next();
    return this;
  }

  phase(phase: string, total = 0): void {
    this.#phase = { phase, done: 0, total };
  }

  advance(count: number): void {
    this.#phase.done += count;
  }

  /** Takes one sample of every connection: what has been sent since the last one belongs to the second that is over. */
  tick(): void {
    const second = Math.floor((this.#now() - 500) / 1000);
    const samples = this.#watches.flatMap((watch) => watch.sample(second));
    this.#store.progress(this.#run.id, this.#facts(), samples);
  }

  /** @param refusals what the target said of the issues that it refused */
  end(end: RunEnd, refusals: readonly string[] = []): void {
    clearTimeout(this.#timer);
    const second = Math.floor(this.#now() / 1000);
    const samples = this.#watches.flatMap((watch) => watch.sample(second));
    for (const watch of this.#watches) watch.stop();
    for (const message of refusals.slice(0, maxRefusals)) {
      this.#store.addEvent(this.#run.id, null, this.#now(), { type: 'refused', message });
    }
    this.#store.progress(this.#run.id, this.#facts(), samples);
    this.#store.end(this.#run.id, end);
  }

  #facts(): RunFacts {
    const { read, created, updated, unchanged, failed } = this.#result();
    return {
      ...this.#phase,
      read,
      written: created + updated,
      unchanged,
      failed,
      connections: this.#watches.map((watch) => watch.facts()),
    };
  }
}

/** One connection of the run. */
class Watch {
  readonly #connection: RecordedConnection;
  readonly #store: RunStore;
  readonly #runId: number;
  readonly #now: () => number;
  readonly #stops: (() => void)[];
  readonly #pauses = new Map<string, { id: number; pause: Pause }>();
  readonly #start: ConnectorClient['status']['counters'];
  #sampled: { sent: number; refused: number };

  constructor(connection: RecordedConnection, store: RunStore, runId: number, now: () => number) {
    this.#connection = connection;
    this.#store = store;
    this.#runId = runId;
    this.#now = now;
    const { client } = connection;
    this.#start = client.status.counters;
    this.#sampled = { sent: this.#start.sent, refused: this.#start.refused };
    this.#stops = [
      client.on('pause', ({ resumeAt, source, scope }) => this.#paused(scope, resumeAt, source)),
      client.on('heartbeat', ({ resumeAt, scope }) => this.#grew(scope, resumeAt)),
      client.on('resume', ({ scope }) => this.#resumed(scope)),
      client.on('quota', ({ quota }) => quota && this.#add({ type: 'quota', quota })),
      client.on('initialize', ({ reason }) => this.#add({ type: 'login', reason })),
      client.on('retry', ({ delayMs, error }) => this.#add({ type: 'retry', delayMs, message: error.message })),
    ];
  }

  sample(second: number): Sample[] {
    const { sent, refused } = this.#connection.client.status.counters;
    const requests = sent - this.#sampled.sent;
    const newlyRefused = refused - this.#sampled.refused;
    this.#sampled = { sent, refused };
    if (requests === 0 && newlyRefused === 0) return [];
    return [{ connection: this.#connection.name, second, requests, refused: newlyRefused }];
  }

  facts(): RunConnection {
    const { name, repository, client } = this.#connection;
    const { session, counters } = client.status;
    const since = (counter: keyof typeof counters) => counters[counter] - this.#start[counter];
    return {
      ...{ name, repository, session },
      ...{ requests: since('sent'), refused: since('refused'), logins: since('logins'), pauses: since('pauses') },
      waitedMs: Math.round(since('pausedMs')),
      quota: client.status.quota ?? null,
    };
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    for (const scope of this.#pauses.keys()) this.#resumed(scope);
  }

  #paused(scope = '', resumeAt: Date, source: 'header' | 'fallback'): void {
    this.#resumed(scope);
    const pause: Pause = { type: 'pause', untilMs: resumeAt.getTime(), source, endedMs: null };
    this.#pauses.set(scope, { id: this.#add(pause), pause });
  }

  #grew(scope = '', resumeAt: Date): void {
    const open = this.#pauses.get(scope);
    if (open === undefined || open.pause.untilMs === resumeAt.getTime()) return;
    open.pause = { ...open.pause, untilMs: resumeAt.getTime() };
    this.#store.changeEvent(open.id, open.pause);
  }

  #resumed(scope = ''): void {
    const open = this.#pauses.get(scope);
    if (open === undefined) return;
    this.#pauses.delete(scope);
    this.#store.changeEvent(open.id, { ...open.pause, endedMs: this.#now() });
  }

  #add(data: RunEventData): number {
    return this.#store.addEvent(this.#runId, this.#connection.name, this.#now(), data);
  }
}
