import type { Clock } from 'concordat/client';
import { announce } from './model-announcements.js';
import type { Arrival, ModelExchange, Reply, Write } from './model-exchange.js';
import { ModelQuota } from './model-quota.js';
import { ModelSessions } from './model-sessions.js';
import { writeWait } from './model-waits.js';
import type { ConnectorPlan, Fault, LoginFate } from './schedule.js';
import { scopeOf, type ToTags, toSender } from './tags.js';
import type { Sender } from './trace.js';

/** Then the connector is well, for ever: a schedule whose troubles never end would prove nothing about those who wait. */
const defaultTroubledExchanges = 80;

/** So many times that are more than any schedule can need: beyond it something goes round in circles. */
const mostTroubles = 5;

export interface ModelContext {
  clock: Clock;
  record: Write;
  tags: ToTags;
  /** How many gates the client has. */
  scopes: number;
}

/** A connector reduced to what the rules speak of. It decides when a request arrives, and knows whether that had an effect. */
export class ModelConnector {
  readonly sessions: ModelSessions;
  /** One for each gate of the client. */
  readonly #quotas: ModelQuota[];
  readonly #tags: ToTags;
  readonly #plan: ConnectorPlan;
  readonly #clock: Clock;
  readonly #record: Write;
  readonly #troubledExchanges: number;
  readonly #effects = new Map<Sender, number>();
  #exchanges = 0;
  #logins = 0;
  #requests = 0;
  #limits = 0;
  #open = new Set<ModelExchange>();
  #queued = 0;
  #idle: (() => void)[] = [];
  #exhaust: () => void = () => {};
  /** Resolves when there is more traffic than any schedule can need. */
  readonly exhausted: Promise<void>;

  constructor(plan: ConnectorPlan, { clock, record, tags, scopes }: ModelContext) {
    this.#plan = plan;
    this.#tags = tags;
    this.#clock = clock;
    this.#record = record;
    this.#troubledExchanges = plan.troubledExchanges ?? defaultTroubledExchanges;
    this.sessions = new ModelSessions(plan.session, clock);
    this.#quotas = Array.from({ length: scopes }, () => new ModelQuota(plan.quota, clock));
    this.exhausted = new Promise((resolve) => {
      this.#exhaust = resolve;
    });
  }

  /** How many exchanges are on their way. */
  get open(): number {
    return this.#open.size;
  }

  isOpen(exchange: ModelExchange): boolean {
    return this.#open.has(exchange);
  }

  /** Whether something is on its way for a client, through one of its gates where that is given; logins are on their way for all. */
  isBusy(client: number, scope?: string): boolean {
    if (this.#queued > 0) return true;
    const { length } = this.#quotas;
    return [...this.#open].some(
      (exchange) =>
        exchange.client === client &&
        (scope === undefined || exchange.by === 'login' || scopeOf(exchange.by, length) === scope),
    );
  }

  /** From now on the quota is another one. */
  changeQuota(limit: number): void {
    for (const quota of this.#quotas) quota.change(limit);
  }

  /** A request waits for a socket. @returns what to call when it has one. */
  queue(): () => void {
    this.#queued++;
    return () => {
      this.#queued--;
      this.#tellIdle();
    };
  }

  /** Resolves when none is on its way or waits for a socket. */
  idle(): Promise<void> {
    return this.#isIdle ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /** The first byte of a request has gone out. */
  begin(arrival: Arrival, client: number): ModelExchange {
    const by = toSender(arrival.path);
    const session = this.sessions.numberOf(arrival.session);
    const exchange: ModelExchange = { id: ++this.#exchanges, client, by, session, arrival };
    if (exchange.id === mostTroubles * this.#troubledExchanges) this.#exhaust();
    this.#open.add(exchange);
    const stray = by === 'login' && arrival.session !== undefined ? 'the old session' : undefined;
    this.#record({ what: 'sent', exchange: exchange.id, by, session, stray, ...this.#tags(client, by) });
    return exchange;
  }

  /** An exchange is over, however it ended. @returns whether it had not been over already. */
  end(exchange: ModelExchange): boolean {
    const wasOpen = this.#open.delete(exchange);
    this.#tellIdle();
    return wasOpen;
  }

  get #isIdle(): boolean {
    return this.#open.size === 0 && this.#queued === 0;
  }

  #tellIdle(): void {
    if (this.#isIdle) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** The whole request has arrived: what becomes of it? */
  decide(exchange: ModelExchange, body: string | undefined): Reply {
    if (exchange.id >= mostTroubles * this.#troubledExchanges) return { type: 'hang' };
    const afterMs = turn(this.#plan.latenciesMs, exchange.id) ?? 1;
    if (exchange.id > this.#troubledExchanges) return this.#serveWell(exchange, body, afterMs);
    if (exchange.by === 'cleanup') return { type: 'answer', afterMs, status: 204, headers: {}, body: '' };
    return exchange.by === 'login'
      ? this.#logIn(afterMs)
      : this.#announced(exchange, this.#serve(exchange, body, afterMs));
  }

  /** The answer with what it tells of the quota. */
  #announced(exchange: ModelExchange, reply: Reply): Reply {
    const left = this.#plan.announces && this.#quotaOf(exchange.by).left();
    if (reply.type !== 'answer' || this.#plan.announces === undefined || left === undefined) return reply;
    return { ...reply, headers: { ...reply.headers, ...announce(this.#plan.announces, left, exchange.id) } };
  }

  #quotaOf(by: Sender): ModelQuota {
    return this.#quotas[typeof by === 'number' ? by % this.#quotas.length : 0] as ModelQuota;
  }

  #serveWell(exchange: ModelExchange, body: string | undefined, afterMs: number): Reply {
    if (exchange.by === 'login') return this.#handOut(afterMs);
    if (!this.sessions.isNewest(exchange.session)) return this.#fail(401, 'SESSION_EXPIRED', afterMs, exchange);
    return this.#succeed(exchange, body, afterMs);
  }

  #logIn(afterMs: number): Reply {
    const fate: LoginFate = this.#plan.logins[this.#logins++] ?? { type: 'ok' };
    if (fate.type === 'hang') return { type: 'hang' };
    if (fate.type === 'reset') return { type: 'reset', afterMs };
    if (fate.type === 'error') return this.#fail(fate.status, 'BROKEN', afterMs);
    if (fate.type === 'refused') return this.#fail(fate.status, 'WRONG_PASSWORD', afterMs);
    if (fate.type === 'limited') return this.#limit(2000, afterMs);
    if (fate.type === 'nonsense') return json(200, null, afterMs);
    if (this.#plan.limitsLogins) {
      const remainingMs = this.#quotaOf('login').take();
      if (remainingMs !== undefined) return this.#limit(remainingMs, afterMs);
    }
    const reply = this.#handOut(fate.type === 'slow' ? fate.delayMs : afterMs);
    if (fate.type === 'lost') return { type: 'reset', afterMs };
    return { ...reply, cut: fate.type === 'cut' };
  }

  #handOut(afterMs: number): Reply & { type: 'answer' } {
    const { number, value } = this.sessions.open();
    return { ...json(200, [{ key: 'x-session', value, sensitive: true }], afterMs), session: number };
  }

  #serve(exchange: ModelExchange, body: string | undefined, afterMs: number): Reply {
    const fault: Fault = this.#plan.faults[this.#requests++] ?? { type: 'none' };
    if (fault.type === 'hang') return { type: 'hang' };
    if (fault.type === 'reset') return { type: 'reset', afterMs };
    if (fault.type === 'error') return this.#fail(fault.status, 'BROKEN', afterMs, exchange);
    if (fault.type === 'denied') return this.#fail(fault.status, 'DENIED', afterMs, exchange);
    if (fault.type === 'limited') return this.#limit(1000, afterMs, exchange);
    if (fault.type === 'unauthorized') return this.#fail(401, 'SESSION_EXPIRED', fault.delayMs, exchange);
    const refusal = this.#refuse(exchange, afterMs);
    if (refusal !== undefined) return refusal;
    const reply = this.#succeed(exchange, body, afterMs);
    if (fault.type === 'lost') return { type: 'reset', afterMs };
    if (fault.type === 'failed') return this.#fail(fault.status, 'BROKEN', afterMs, exchange);
    return { ...reply, cut: fault.type === 'cut' };
  }

  #succeed(exchange: ModelExchange, body: string | undefined, afterMs: number): Reply & { type: 'answer' } {
    const effects = (this.#effects.get(exchange.by) ?? 0) + 1;
    this.#effects.set(exchange.by, effects);
    const { id, client, by } = exchange;
    this.#record({ what: 'effect', exchange: id, by, body, ...this.#tags(client, by) });
    return json(200, { call: exchange.by, effects }, afterMs);
  }

  #refuse(exchange: ModelExchange, afterMs: number): Reply | undefined {
    const unauthorized = () =>
      this.sessions.accept(exchange.session) ? undefined : this.#fail(401, 'SESSION_EXPIRED', afterMs, exchange);
    const limited = () => {
      const remainingMs = this.#quotaOf(exchange.by).take();
      return remainingMs === undefined ? undefined : this.#limit(remainingMs, afterMs, exchange);
    };
    return this.#plan.limitsFirst ? (limited() ?? unauthorized()) : (unauthorized() ?? limited());
  }

  #limit(remainingMs: number, afterMs: number, exchange?: ModelExchange): Reply {
    const number = this.#limits++;
    const style = turn(this.#plan.waits, number) ?? 'exact';
    const { status, headers, wait } = writeWait(style, number, remainingMs, this.#clock.monotonic());
    return { ...this.#fail(status, 'RATE_LIMITED', afterMs, exchange, headers), wait };
  }

  /** An error of the contract that echoes the session, as careless connectors do. */
  #fail(status: number, code: string, afterMs: number, exchange?: ModelExchange, headers = {}) {
    const message = `Refused, session ${exchange?.arrival.session ?? 'unknown'}`;
    return json(status, { errors: { code, message, detail: message } }, afterMs, headers);
  }
}

function json(status: number, value: unknown, afterMs: number, headers: HeaderRecord = {}): Reply & { type: 'answer' } {
  const body = JSON.stringify(value);
  return { type: 'answer', afterMs, status, headers: { 'content-type': 'application/json', ...headers }, body };
}

type HeaderRecord = { [name: string]: string | string[] };

export function turn<T>(values: readonly T[], number: number): T | undefined {
  return values[number % values.length];
}
