import { parseWait, type SessionParameter, sessionProblems, toSessionParameters } from '../../contract/index.js';
import { parseJson, sleep, systemClock } from '../../internal/index.js';
import type { Settings } from '../options.js';
import type { ReadyRequest } from '../probes.js';
import { Announcements } from './announcements.js';
import { type Exchange, exchange, type ReceivedResponse, summarize } from './exchange.js';
import { Secrets } from './mask.js';

/** A case cannot be judged, because something that another case judges does not work. */
export class CannotCheck extends Error {}

/** The connector's clock may be a little behind: a request that comes too early would be our fault, not its own. */
const clockToleranceMs = 10;

/** An exchange that has an answer. */
export type Completed = Exchange & { readonly response: ReceivedResponse };

export type Session = Readonly<Record<string, string>>;

/** Stands between the cases and the connector: one login for all of them, limits waited for, every secret remembered. */
export class Prober {
  readonly settings: Settings;
  readonly secrets = new Secrets();
  readonly sessionNames = new Set<string>();
  #login: Promise<Exchange> | undefined;
  #pausedUntil = 0;
  readonly #memory = new Map<string, Promise<unknown>>();
  readonly announcements = new Announcements();

  constructor(settings: Settings) {
    this.settings = settings;
    for (const parameters of [settings.initialize.parameters, settings.initialize.wrongParameters]) {
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
    return this.settings.initialize.parameters !== undefined;
  }

  /** The login that all cases share. */
  login(): Promise<Exchange> {
    this.#login ??= this.logIn(this.settings.initialize.parameters ?? []);
    return this.#login;
  }

  /** Logs in once more, beside the shared session. */
  async logIn(parameters: unknown): Promise<Exchange> {
    const seen = await this.send({
      method: 'POST',
      path: this.settings.initialize.path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(parameters),
    });
    for (const { key, value } of sessionOf(seen) ?? []) {
      this.sessionNames.add(key.toLowerCase());
      this.secrets.add(value);
    }
    return seen;
  }

  /** @throws CannotCheck when there is none. */
  async session(): Promise<Session> {
    if (!this.canLogIn) return {};
    return this.toSession(await this.login());
  }

  /** The headers of a login's answer. @throws CannotCheck when it is no session. */
  toSession(login: Exchange): Session {
    const session = sessionOf(login);
    if (session === undefined || sessionProblems(session).length > 0) {
      throw new CannotCheck(`could not be checked: logging in failed (${summarize(login)})`);
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
    await this.waitOutPause();
    const seen = await this.sendNow(request, session);
    if (!this.#noteLimit(seen)) return seen;
    await this.waitOutPause();
    return this.sendNow(request, session);
  }

  /** Sends without regard to limits, and takes down what the answer tells about the quota. */
  async sendNow(request: ReadyRequest, session: Session = {}): Promise<Exchange> {
    const seen = await exchange(this.settings, { ...request, headers: { ...request.headers, ...session } });
    this.announcements.add(seen, hasResponse(seen) && this.isLimit(seen));
    return seen;
  }

  /** Reads the wait of an answer as the service would. */
  waitOf({ response, startedAt }: Completed) {
    const { header, format } = this.settings.rateLimit;
    return parseWait(response.headers.get(header), {
      format,
      now: startedAt,
      date: response.headers.get('date'),
      age: response.headers.get('age'),
    });
  }

  /** No request goes out before the limit that was met is over. */
  pause(waitMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + waitMs);
  }

  #noteLimit(seen: Exchange): boolean {
    if (!hasResponse(seen) || !this.isLimit(seen)) return false;
    this.pause(this.waitOf(seen).waitMs ?? 1000);
    return true;
  }

  /** Whether the service takes an answer for a limit (rules W2, W3). */
  isLimit({ response }: Completed): boolean {
    const { status, headers } = response;
    return status === 429 || ((status === 403 || status === 503) && headers.has(this.settings.rateLimit.header));
  }

  /** Waits until the limit that was met last is over. @throws CannotCheck when that takes too long. */
  async waitOutPause(): Promise<void> {
    const waitMs = this.#pausedUntil - performance.now();
    if (waitMs <= 0) return;
    if (waitMs > this.settings.maxWaitMs) {
      const seconds = Math.ceil(waitMs / 1000);
      throw new CannotCheck(
        `could not be checked: the connector's limit asks to wait ${seconds} s, longer than \`maxWaitMs\` (${this.settings.maxWaitMs} ms)`,
      );
    }
    await sleep(systemClock, waitMs + clockToleranceMs);
  }
}

export function hasResponse(seen: Exchange): seen is Completed {
  return seen.response !== undefined;
}

/** The session that a login answered with. */
export function sessionOf({ response }: Exchange): SessionParameter[] | undefined {
  if (response === undefined || response.status < 200 || response.status > 299) return undefined;
  return toSessionParameters(parseJson(response.body));
}
