import type { ConnectorClient, ConnectorRequest } from 'concordat/client';
import { outcomeOf } from './calls.js';
import type { CountingClock } from './counting-clock.js';
import { tolerance } from './invariants/invariant.js';
import type { ModelConnector } from './model-connector.js';
import type { Write } from './model-exchange.js';
import { canary } from './model-sessions.js';
import { scopeOf, type ToTags, toSender } from './tags.js';
import type { Outcome, Sender } from './trace.js';

/** What the clients of a run have in common. */
export interface RunContext {
  record: Write;
  tags: ToTags;
  connector: ModelConnector;
  /** How many gates each client has. */
  scopes: number;
  /** Whether a login may be another client's. */
  sharesLogins: boolean;
  /** Whether a snapshot is to be taken at every event that changes what it says. */
  takesSnapshots: boolean;
}

/** While calls wait at an open gate and nothing is on its way, a timer has to be due within this time (rule G9). */
const longestSleepMs = 60_000;

/** One client of a run, and what it tells. */
export class ClientRun {
  readonly number: number;
  readonly client: ConnectorClient;
  readonly clock: CountingClock;
  readonly #context: RunContext;
  readonly #onChange: (client: ClientRun) => void;
  /** How many calls wait or are on their way, and which gates are closed, by scope. */
  readonly #waiting = new Map<string, number>();
  readonly #paused = new Set<string>();
  #isAsleep = false;
  #closed: Promise<void> | undefined;

  constructor(
    number: number,
    client: ConnectorClient,
    clock: CountingClock,
    context: RunContext,
    onChange: (client: ClientRun) => void,
  ) {
    this.number = number;
    this.client = client;
    this.clock = clock;
    this.#context = context;
    this.#onChange = onChange;
    this.#listen();
  }

  /** Makes a call. Never rejects. */
  async call(call: number, request: ConnectorRequest): Promise<Outcome> {
    const { record, tags, scopes } = this.#context;
    const scope = scopeOf(call, scopes);
    const own = tags(this.number, call);
    this.#count(scope, 1);
    record({ what: 'called', call, ...own });
    const leak = (text: string) => record({ what: 'leak', text });
    const outcome = await outcomeOf(this.client, request, this.#toMonotonic, leak);
    this.#count(scope, -1);
    record({ what: 'settled', call, outcome, ...own });
    return outcome;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  close(): Promise<void> {
    if (this.#closed === undefined) {
      const { record, tags } = this.#context;
      const own = tags(this.number, undefined);
      record({ what: 'closing', ...own });
      this.#closed = this.client.close().then(() => record({ what: 'closed', ...own }));
    }
    return this.#closed;
  }

  /** Tells of what the client begins with; its events tell of the pauses and the quotas. */
  tellBeginning(snapshot: number): void {
    const { record, tags } = this.#context;
    record({ what: 'restarted', snapshot, ...tags(this.number, undefined) });
  }

  /** Looks at what the client has left behind before time went on. @param at until when all has happened. */
  watch(at: number): void {
    const asleep = this.#closed === undefined ? this.#sleepers(at) : undefined;
    if (asleep !== undefined && !this.#isAsleep) {
      const { record, tags } = this.#context;
      record({ what: 'asleep', ...asleep, ...tags(this.number, undefined) });
    }
    this.#isAsleep = asleep !== undefined;
  }

  #sleepers(at: number): { waiting: number; dueInMs: number | undefined } | undefined {
    const { connector, sharesLogins } = this.#context;
    for (const [scope, waiting] of this.#waiting) {
      if (waiting === 0 || this.#paused.has(scope) || connector.isBusy(this.number, scope)) continue;
      const dueInMs = this.clock.nextAt - at;
      if (dueInMs <= longestSleepMs + tolerance) continue;
      // Another client logs in for this one.
      if (sharesLogins && this.client.status.session === 'renewing') continue;
      return { waiting, dueInMs: Number.isFinite(dueInMs) ? dueInMs : undefined };
    }
    return undefined;
  }

  #count(scope: string, change: number): void {
    this.#waiting.set(scope, (this.#waiting.get(scope) ?? 0) + change);
  }

  readonly #toMonotonic = (date: Date): number => date.getTime() - this.clock.now() + this.clock.monotonic();

  #listen(): void {
    const { client } = this;
    const { record, tags, takesSnapshots } = this.#context;
    const own = tags(this.number, undefined);
    const changed = () => takesSnapshots && this.#onChange(this);
    const scopeNamed = (scope: string | undefined) => (scope === undefined ? own : { ...own, scope });
    const told = (event: object) => {
      const text = JSON.stringify(event);
      const message = String((event as { error?: Error }).error?.message);
      if (text.includes(canary) || message.includes(canary)) record({ what: 'leak', text: `${text} ${message}` });
    };
    client.on('pause', (event) => {
      told(event);
      const { waitMs, source, resumeAt, scope } = event;
      this.#paused.add(scope ?? scopeOf('login', 1));
      record({ what: 'pause', waitMs, source, resumeAtMs: this.#toMonotonic(resumeAt), ...scopeNamed(scope) });
      changed();
    });
    client.on('resume', ({ pausedMs, scope }) => {
      this.#paused.delete(scope ?? scopeOf('login', 1));
      record({ what: 'resume', pausedMs, ...scopeNamed(scope) });
      changed();
    });
    client.on('quota', ({ quota, scope }) => {
      record({ what: 'quota', quota, ...scopeNamed(scope) });
      changed();
    });
    client.on('heartbeat', ({ scope }) => record({ what: 'heartbeat', ...scopeNamed(scope) }));
    client.on('initialize', (event) => {
      told(event);
      record({ what: 'initialize', generation: event.generation, ...own });
    });
    client.on('retry', (event) => {
      told(event);
      const by: Sender = toSender(event.path);
      record({ what: 'retry', by, delayMs: event.delayMs, ...tags(this.number, by) });
    });
    client.on('error', told);
  }
}
