import type { CallRecord, ClientRecord, Ledger, Login, Moment, Send } from '../ledger.js';
import { scopeOf } from '../plan.js';

/** One judgment: it says what breaks the rule, nothing where nothing does. */
export interface Rule {
  /** Whether it counts what depends on how fast the machine is: then a single finding proves nothing, and the tests leave it out. */
  readonly dependsOnSpeed?: true;
  /** As in docs/rules.md. */
  readonly id: string;
  readonly says: string;
  judge(evidence: Evidence): Iterable<string>;
}

/** Timers may be early by a millisecond, and times are rounded on the way. */
export const toleranceMs = 3;

/** The ledger, with the questions that rules ask of it. */
export class Evidence {
  readonly #states: ReadonlyMap<string, string>;
  readonly #byCall = new Map<number, Send[]>();

  constructor(readonly ledger: Ledger) {
    this.#states = new Map(ledger.clients.map(({ name, state }) => [name, state]));
    for (const send of ledger.sends) {
      if (send.kind !== 'call' || send.call === undefined) continue;
      this.#byCall.set(send.call, [...(this.#byCall.get(send.call) ?? []), send]);
    }
  }

  get options() {
    return this.ledger.scenario.options;
  }

  stateOf({ client }: { client: string }): string {
    return this.#states.get(client) ?? '?';
  }

  client(name: string): ClientRecord {
    return this.ledger.clients.find((client) => client.name === name) as ClientRecord;
  }

  concurrencyOf({ index }: ClientRecord): number {
    return this.ledger.scenario.clients[index]?.concurrency ?? 64;
  }

  /** Whether all clients of a state have one gate: they have one clock (rule G10). */
  hasOneGate(state: string): boolean {
    const { clients } = this.ledger.scenario;
    const counts = this.ledger.clients
      .filter((client) => client.state === state)
      .map(({ index }) => clients[index]?.countsTimers);
    return new Set(counts).size === 1;
  }

  /** The requests of a call, in order. */
  sendsOf({ plan }: CallRecord): readonly Send[] {
    return this.#byCall.get(plan.id) ?? [];
  }

  sendsBy(client: string): readonly Send[] {
    return this.ledger.sends.filter((send) => send.client === client);
  }

  scopeOf({ path }: Pick<Send, 'path'>): string {
    return this.options.scoped ? scopeOf(path) : 'all';
  }

  /** Whether the client surely has the answer; of one that it does not need, the head will do. */
  hasArrived({ kind, answer, watched, headed, settled, settledAs }: Send): boolean {
    if (answer === undefined || settled === undefined) return false;
    if (watched) return answer.verdict === 'ok' ? settledAs === 'answered' : headed !== undefined;
    // Where a time-out can cut in, only a watched transport tells.
    const { loginTimeoutMs, timeoutMs } = this.options;
    return settledAs === 'answered' && (kind === 'login' ? loginTimeoutMs : timeoutMs) >= 30_000;
  }

  /** Limits that the client has been told of, and the moment before which nothing may go (rules W6 and W7). */
  limits(): ReadonlyArray<{ send: Send; known: Moment; endsAt: number }> {
    return this.ledger.sends.flatMap((send) => {
      const { answer, headed, settled } = send;
      if (answer?.verdict !== 'limit' || headed === undefined || settled === undefined) return [];
      if (!this.hasArrived(send)) return [];
      return [{ send, known: settled, endsAt: headed.at + (answer.waitMs ?? this.options.fallbackWaitMs) }];
    });
  }

  /** Whether the client had made or used that session, or a newer one, before it began this request. */
  knew({ client, begun }: Send, { account, send: login }: Login): boolean {
    const logins = this.logins(account);
    const place = logins.findIndex(({ send }) => send === login);
    const newer = new Set(logins.slice(place).map(({ headers }) => headers['x-session']));
    return (
      login.client === client ||
      this.sendsBy(client).some((send) => send.begun.seq < begun.seq && newer.has(sessionId(send)))
    );
  }

  /** The sessions of a state, oldest first, with what the connector handed out. */
  logins(state: string): readonly Login[] {
    return this.ledger.logins.filter(({ account }) => account === state);
  }

  /** What counts against `retry.retries`: the answer of a broken connector, or none. */
  isTransient({ answer, watched, headed, settled, settledAs }: Send): boolean {
    if (answer !== undefined && (!watched || headed !== undefined)) {
      return answer.verdict === 'transient' || (watched && answer.verdict === 'ok' && settledAs !== 'answered');
    }
    return settled !== undefined;
  }
}

export const sessionId = ({ session }: Send): string | undefined => session['x-session'];

export const nameOf = ({ id, kind, method, path }: Send): string =>
  kind === 'call' ? `#${id} (${method} ${path})` : `#${id} (${kind})`;

export const ms = (value: number): string => `${value.toFixed(1)} ms`;
