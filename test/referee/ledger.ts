import type { CallPlan, Scenario } from './plan.js';

/** When something happened. `seq` orders all moments of a trial; `tick` counts turns of the event loop that took a millisecond or more. */
export interface Moment {
  readonly at: number;
  readonly seq: number;
  readonly tick: number;
}

/** What the judge connector made of a request. */
export type Verdict = 'ok' | 'unauthorized' | 'limit' | 'transient' | 'final';

export interface Answer {
  readonly status: number;
  readonly verdict: Verdict;
  readonly at: Moment;
  /** Of a limit: how long it tells to wait; `undefined` where that is missing or cannot be read. */
  readonly waitMs?: number | undefined;
}

/** One HTTP request. */
export interface Send {
  readonly id: number;
  readonly kind: 'call' | 'login' | 'cleanup';
  /** The client's name; a cleanup's is not known where nobody watches the transport. */
  client: string;
  readonly call: number | undefined;
  readonly method: string;
  readonly path: string;
  /** Whether begin and end were seen at the client, or are what the connector saw. */
  readonly watched: boolean;
  /** When the client began it; of an unwatched one, when it arrived. */
  begun: Moment;
  arrived?: Moment;
  /** It came on a new connection that nobody watched, and those are accepted one by one: it may have begun long before. */
  beganUnseen?: boolean;
  /** The headers of sessions that came along. */
  session: Readonly<Record<string, string>>;
  body: string;
  /** Whether the connector did what was asked. */
  effect: boolean;
  answer?: Answer;
  /** When the head of the answer was at the client; of an unwatched one, when it was written. */
  headed?: Moment;
  /** When the client was done with it: answer read, connection broken, given up. */
  settled?: Moment;
  settledAs?: 'answered' | 'broken' | 'aborted';
}

export interface Login {
  readonly account: string;
  readonly send: Send;
  /** The session it handed out. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What became of a call. */
export interface CallRecord {
  readonly plan: CallPlan;
  readonly client: string;
  readonly made: Moment;
  aborted?: Moment;
  ended?: Moment;
  value?: unknown;
  error?: unknown;
  /** The signal's reason, where the scenario aborts it. */
  reason?: unknown;
}

export interface ClientRecord {
  readonly name: string;
  readonly index: number;
  readonly state: string;
  readonly watched: boolean;
  closing?: Moment;
  closed?: Moment;
  pauses: number;
  /** `status.counters` when all calls had ended, before it was closed. */
  counters?: { readonly calls: number; readonly sent: number; readonly refused: number };
  /** Timers that it left behind, where they are counted. */
  timersLeft: number;
  /** The client whose snapshot it began with. */
  follows?: { readonly client: string; readonly at: Moment };
}

let ticks = 0;
let ledgers = 0;
let ticker: NodeJS.Timeout | undefined;
const stallWatchers = new Set<(gapMs: number) => void>();

/** Writes down all that happens in one trial, in one order of time for both sides: they run in one process. */
export class Ledger {
  readonly sends: Send[] = [];
  readonly logins: Login[] = [];
  readonly calls: CallRecord[] = [];
  readonly clients: ClientRecord[] = [];
  /** What the watch over silence has seen (rule G9). */
  readonly silences: string[] = [];
  /** The longest that the event loop stood still: where it did, nothing is judged by time. */
  stallMs = 0;
  /** Calls that had not ended long after all should have: closing their clients ended them. */
  hung: readonly number[] = [];
  /** Connections that were open long after every client was closed. */
  socketsLeft = 0;
  readonly #startedAt = performance.now();
  readonly #reserved: Send[] = [];
  #seq = 0;
  readonly #onTick = (gapMs: number) => {
    this.stallMs = Math.max(this.stallMs, gapMs);
  };

  constructor(readonly scenario: Scenario) {
    stallWatchers.add(this.#onTick);
    if (ledgers++ > 0) return;
    let last = performance.now();
    ticker = setInterval(() => {
      ticks++;
      const now = performance.now();
      for (const watcher of stallWatchers) watcher(now - last);
      last = now;
    }, 1);
  }

  close(): void {
    stallWatchers.delete(this.#onTick);
    if (--ledgers === 0) clearInterval(ticker);
  }

  moment(): Moment {
    return { at: performance.now() - this.#startedAt, seq: ++this.#seq, tick: ticks };
  }

  /** Gives a request its number. It is none yet: what only queues for a socket may be taken back (rule G1). */
  reserve(about: Pick<Send, 'kind' | 'client' | 'call' | 'method' | 'path' | 'watched'>): Send {
    const send: Send = {
      ...about,
      id: this.#reserved.length,
      begun: this.moment(),
      session: {},
      body: '',
      effect: false,
    };
    this.#reserved.push(send);
    return send;
  }

  /** It is on its way now. */
  begin(send: Send): Send {
    send.begun = this.moment();
    this.sends.push(send);
    return send;
  }

  reserved(id: number): Send | undefined {
    return this.#reserved[id];
  }

  /** Requests that a client handed to its transport and took back before a byte of them was written. */
  takenBack(client: string): number {
    return (
      this.#reserved.filter((send) => send.client === client).length -
      this.sends.filter((send) => send.client === client).length
    );
  }

  settle(send: Send, as: NonNullable<Send['settledAs']>): void {
    if (send.settled !== undefined) return;
    send.settled = this.moment();
    send.settledAs = as;
  }
}

/** How many ticks news may need to get from one side to the other, or within the client, before it counts as known. */
export const graceTicks = (watched: boolean): number => (watched ? 5 : 30);

/** Whether the client began this request surely after it knew of that moment. */
export function beganKnowing(send: Send, known: Moment, knownWatched = true): boolean {
  if (send.beganUnseen) return false;
  return send.begun.seq > known.seq && send.begun.tick > known.tick + graceTicks(send.watched && knownWatched);
}
