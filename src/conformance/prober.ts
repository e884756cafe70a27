import { parseWait, type SessionParameter, sessionProblems, toSessionParameters } from '../contract/index.js';
import { Announcements } from './announcements.js';
import { type Answer, type Exchange, exchange, parseJson, summarize } from './exchange.js';
import { Secrets } from './mask.js';
import type { Plan } from './options.js';
import type { ReadyRequest } from './probes.js';

/** A case cannot be judged, because something that another case judges does not work. */
export class Unmet extends Error {}

/** A timer may fire a little early, and a request that comes too early would be the kit's fault. */
const timerInaccuracyMs = 10;

/** An exchange that has an answer. */
export type Answered = Exchange & { readonly response: Answer };

export type Session = Readonly<Record<string, string>>;

/** Stands between the cases and the connector: one login for all of them, limits waited for, every secret remembered. */
export class Prober {
  readonly plan: Plan;
  readonly secrets = new Secrets();
  readonly sessionNames = new Set<string>();
  #login: Promise<Exchange> | undefined;
  #opensAt = 0;
  readonly #memory = new Map<string, Promise<unknown>>();
  readonly announcements = new Announcements();

  constructor(plan: Plan) {
    this.plan = plan;
    for (const parameters of [plan.initialize.parameters, plan.initialize.wrongParameters]) {
      for (const { value, sensitive } of parameters ?? []) if (sensitive) this.secrets.add(value);
    }
  }

  /** Does something once, however many cases ask for it. */
  once<Result>(name: string, make: () => Promise<Result>): Promise<Result> {
    const existing = this.#memory.get(name) as Promise<Result> | undefined;
    if (existing !== undefined) return existing;
    const made = make();
    this.#memory.set(name, made);
    return made;
  }

  /** Whether it is known how to log in. */
  get canLogIn(): boolean {
    return this.plan.initialize.parameters !== undefined;
  }

  /** The login that all cases share. */
  login(): Promise<Exchange> {
    this.#login ??= this.logIn(this.plan.initialize.parameters ?? []);
    return this.#login;
  }

  /** Logs in once more, beside the shared session. */
  async logIn(parameters: unknown): Promise<Exchange> {
    const seen = await this.send({
      method: 'POST',
      path: this.plan.initialize.path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(parameters),
    });
    for (const { key, value } of sessionOf(seen) ?? []) {
      this.sessionNames.add(key.toLowerCase());
      this.secrets.add(value);
    }
    return seen;
  }

  /** @throws Unmet when there is none. */
  async session(): Promise<Session> {
    if (!this.canLogIn) return {};
    return this.toSession(await this.login());
  }

  /** The headers of a login's answer. @throws Unmet when it is no session. */
  toSession(login: Exchange): Session {
    const session = sessionOf(login);
    if (session === undefined || sessionProblems(session).length > 0) {
      throw new Unmet(`could not be checked: logging in failed (${summarize(login)})`);
    }
    return Object.fromEntries(session.map(({ key, value }) => [key, value]));
  }

  /** The shared session is dead: the next request logs in again. */
  forgetSession(): void {
    this.#login = undefined;
  }

  /** Sends with the shared session, and once more with a new one when it has expired meanwhile, as the service does. */
  async sendWithSession(request: ReadyRequest): Promise<Exchange> {
    const first = await this.send(request, await this.session());
    if (first.response?.status !== 401 || !this.canLogIn) return first;
    this.forgetSession();
    return this.send(request, await this.session());
  }

  /** Sends; a limit that does not last too long is waited for, as the service does. */
  async send(request: ReadyRequest, session: Session = {}): Promise<Exchange> {
    await this.waitForGate();
    const seen = await this.sendNow(request, session);
    if (!this.#noteLimit(seen)) return seen;
    await this.waitForGate();
    return this.sendNow(request, session);
  }

  /** Sends without regard to limits, and takes down what the answer tells about the quota. */
  async sendNow(request: ReadyRequest, session: Session = {}): Promise<Exchange> {
    const seen = await exchange(this.plan, { ...request, headers: { ...request.headers, ...session } });
    this.announcements.add(seen, hasAnswer(seen) && this.isLimit(seen));
    return seen;
  }

  /** Reads the wait of an answer as the service would. */
  waitOf({ response, startedAt }: Answered) {
    const { header, format } = this.plan.rateLimit;
    return parseWait(response.headers.get(header), {
      format,
      now: startedAt,
      date: response.headers.get('date'),
      age: response.headers.get('age'),
    });
  }

  /** No request goes out before the limit that was met is over. */
  closeGate(waitMs: number): void {
    this.#opensAt = Math.max(this.#opensAt, performance.now() + waitMs);
  }

  #noteLimit(seen: Exchange): boolean {
    if (!hasAnswer(seen) || !this.isLimit(seen)) return false;
    this.closeGate(this.waitOf(seen).waitMs ?? 1000);
    return true;
  }

  /** Whether the service takes an answer for a limit (rules W2, W3). */
  isLimit({ response }: Answered): boolean {
    const { status, headers } = response;
    return status === 429 || ((status === 403 || status === 503) && headers.has(this.plan.rateLimit.header));
  }

  /** Waits until the limit that was met last is over. @throws Unmet when that takes too long. */
  async waitForGate(): Promise<void> {
    const waitMs = this.#opensAt - performance.now();
    if (waitMs <= 0) return;
    if (waitMs > this.plan.maxWaitMs) {
      const seconds = Math.ceil(waitMs / 1000);
      throw new Unmet(
        `could not be checked: the connector's limit asks to wait ${seconds} s, longer than \`maxWaitMs\` (${this.plan.maxWaitMs} ms)`,
      );
    }
    await sleep(waitMs + timerInaccuracyMs);
  }
}

export function hasAnswer(seen: Exchange): seen is Answered {
  return seen.response !== undefined;
}

/** The session that a login answered with. */
export function sessionOf({ response }: Exchange): SessionParameter[] | undefined {
  if (response === undefined || response.status < 200 || response.status > 299) return undefined;
  return toSessionParameters(parseJson(response.body));
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
