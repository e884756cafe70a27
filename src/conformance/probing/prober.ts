import { type SessionParameter, sessionProblems, toSessionParameters } from '../../contract/index.js';
import { lowerCaseNames, parseJson, sleep, systemClock } from '../../internal/index.js';
import type { Settings } from '../options.js';
import type { ReadyRequest } from '../probes.js';
import { Announcements } from './announcements.js';
import { type Exchange, exchange, idleMs, summarize } from './exchange.js';
import { CannotCheck, type Completed, hasResponse, Limits } from './limits.js';
import { Secrets } from './mask.js';
import { secretStrings } from './session-text.js';

/** After so many requests without an end the others are not sent: each costs the whole timeout. */
const mostTimeouts = 8;

export type Session = Readonly<Record<string, string>>;

/** A rate limit that was asked about before its wait had ended. */
export interface EarlyAnswer {
  readonly limit: Completed;
  readonly afterMs: number;
}

/** Sends the requests of all cases: shares one login, waits out rate limits, and collects secrets to mask. */
export class Prober {
  readonly secrets = new Secrets();
  readonly sessionNames = new Set<string>();
  readonly announcements = new Announcements();
  /** The logins with valid parameters, in their order. */
  readonly logins: Exchange[] = [];
  /** The rate limits that were over although their wait was not. */
  readonly overEarly: EarlyAnswer[] = [];
  readonly limits: Limits;
  /** Whether the connector has responded to anything. */
  hasResponded = false;
  #login: Promise<Exchange> | undefined;
  #timeouts = 0;
  #blocked: string | undefined;
  readonly #memory = new Map<string, Promise<unknown>>();

  constructor(readonly settings: Settings) {
    this.limits = new Limits(settings);
    for (const parameters of [settings.initialize.parameters, settings.initialize.wrongParameters]) {
      for (const { value, sensitive } of parameters ?? []) if (sensitive) this.secrets.add(value);
    }
  }

  /** Runs `make` once, however many cases ask for its result. */
  once<Result>(name: string, make: () => Promise<Result>): Promise<Result> {
    const existing = this.#memory.get(name) as Promise<Result> | undefined;
    if (existing !== undefined) return existing;
    const made = make();
    this.#memory.set(name, made);
    return made;
  }

  /** Nothing more can be judged: from now on every request is a {@link CannotCheck} with this reason. */
  block(reason: string): void {
    this.#blocked ??= reason;
  }

  /** Whether there are parameters to log in with. */
  get canLogIn(): boolean {
    return this.settings.initialize.parameters !== undefined;
  }

  /** For a case that does not lack it. */
  get readable(): ReadyRequest {
    return this.settings.readable as ReadyRequest;
  }

  /** The login that all cases share. */
  login(): Promise<Exchange> {
    this.#login ??= this.logIn();
    return this.#login;
  }

  /** Logs in once more with the valid parameters, leaving the shared session alone. */
  async logIn(): Promise<Exchange> {
    const { parameters = [] } = this.settings.initialize;
    const seen = this.#collect(await this.send(toInitialize(this, JSON.stringify(parameters))));
    this.logins.push(seen);
    return seen;
  }

  /**
   * Posts what may be no valid login, which some systems count until they lock the account: it is not sent again and again where its
   * connection closes. The harmless request before it finds the idle connections that the connector has closed.
   */
  async postWrong(body: string, { mostResends = 1, chunked = false } = {}): Promise<Exchange> {
    const { unknownRoute } = this.settings;
    if (unknownRoute.method === 'GET') {
      await this.sendNow(unknownRoute);
      await sleep(systemClock, idleMs);
    }
    return this.#collect(await this.send({ ...toInitialize(this, body), mostResends, chunked }));
  }

  /** Whatever initialize responds with is secret. */
  #collect(seen: Exchange): Exchange {
    const session = sessionOf(seen) ?? [];
    for (const { key, value } of session) {
      this.sessionNames.add(key.toLowerCase());
      this.secrets.add(value);
    }
    if (session.length === 0 && hasResponse(seen) && seen.response.status < 300) {
      for (const text of secretStrings(seen.response.body)) this.secrets.add(text);
      for (const cookie of seen.response.headers.getSetCookie()) this.secrets.add(cookieValue(cookie));
    }
    return seen;
  }

  /** @throws CannotCheck when the login failed. */
  async session(): Promise<Session> {
    if (!this.canLogIn) return {};
    return this.toSession(await this.login());
  }

  /** The session headers from a login's response. @throws CannotCheck when it holds no session. */
  toSession(login: Exchange): Session {
    const session = sessionOf(login);
    if (session === undefined || sessionProblems(session).length > 0) {
      const isRefused = (login.response?.status ?? 500) >= 300;
      throw new CannotCheck(
        `${isRefused ? 'logging in failed' : 'the login returned no usable session'} (${summarize(login)})`,
      );
    }
    return Object.fromEntries(session.map(({ key, value }) => [key, value]));
  }

  /** The shared session has ended: the next request logs in again. */
  forgetSession(): void {
    this.#login = undefined;
  }

  /** Sends with the shared session, and on a 401 once more with a new one, as the service does. */
  async sendWithSession(request: ReadyRequest): Promise<Exchange> {
    const first = await this.send(request, await this.session());
    if (first.response?.status !== 401 || !this.canLogIn) return first;
    this.forgetSession();
    return this.send(request, await this.session());
  }

  /** Sends, and after a rate limit waits and sends again. @throws CannotCheck when it lasts longer than `maxWaitMs`. */
  async send(request: ReadyRequest, session: Session = {}): Promise<Exchange> {
    await this.limits.waitOut();
    const seen = await this.sendNow(request, session);
    if (!hasResponse(seen) || !this.limits.isLimit(seen)) return seen;
    const waitMs = this.limits.waitOf(seen).waitMs ?? 1000;
    if (waitMs <= this.settings.maxWaitMs) {
      this.limits.pause(waitMs);
      await this.limits.waitOut();
      return this.sendNow(request, session);
    }
    // Other requests are served: this is about this one alone, and no limit that has to be waited out.
    if (request.path !== this.settings.initialize.path && (await this.#isServed(session))) return seen;
    return this.askEarly(seen, () => this.sendNow(request, session));
  }

  /** Asks again after `maxWaitMs`, which is before the wait has ended. @throws CannotCheck when the limit is still on. */
  async askEarly(limit: Completed, ask: () => Promise<Exchange>): Promise<Exchange> {
    const { maxWaitMs } = this.settings;
    await sleep(systemClock, maxWaitMs);
    const again = await ask();
    if (hasResponse(again) && !this.limits.isLimit(again)) {
      this.overEarly.push({ limit, afterMs: maxWaitMs });
      return again;
    }
    const waitMs = this.limits.waitOf(limit).waitMs ?? 0;
    this.limits.pause(waitMs - maxWaitMs);
    throw this.limits.tooLong(waitMs);
  }

  async #isServed(session: Session): Promise<boolean> {
    const { readable, unknownRoute } = this.settings;
    const seen = await this.sendNow(readable?.method === 'GET' ? readable : unknownRoute, session);
    return hasResponse(seen) && !this.limits.isLimit(seen);
  }

  /** Sends at once, whatever the rate limit, and records what the response announces about the quota. */
  async sendNow(request: ReadyRequest, session: Session = {}): Promise<Exchange> {
    if (this.#blocked !== undefined) throw new CannotCheck(this.#blocked);
    const headers = { ...request.headers, ...toLowerCase(session) };
    const seen = await exchange(this.settings, { ...request, headers });
    this.hasResponded ||= hasResponse(seen);
    this.announcements.add(seen, hasResponse(seen) && this.limits.isLimit(seen));
    const isTimeout = (seen.failure ?? seen.response?.broken)?.kind === 'timeout';
    if (isTimeout && ++this.#timeouts === mostTimeouts)
      this.block(`${mostTimeouts} requests had no whole response within ${this.settings.timeoutMs} ms`);
    return seen;
  }
}

export const isSuccess = (status: number) => status >= 200 && status <= 299;

export const hasSucceeded = (seen: Exchange): seen is Completed => hasResponse(seen) && isSuccess(seen.response.status);

export function sessionOf(login: Exchange): SessionParameter[] | undefined {
  return hasSucceeded(login) ? toSessionParameters(parseJson(login.response.body)) : undefined;
}

function toInitialize({ settings }: Prober, body: string): ReadyRequest {
  return { method: 'POST', path: settings.initialize.path, headers: { 'content-type': 'application/json' }, body };
}

/** The largest file to read, since it is held in memory. */
export const maxFileBytes = 64 * 1024 * 1024;

export function toFileRequest({ settings }: Prober, headers: Record<string, string> = {}): ReadyRequest {
  const { request } = settings.file!;
  // Compression would change the length.
  const asIs = { 'accept-encoding': 'identity', ...request.headers, ...headers };
  return { ...request, headers: asIs, maxResponseBytes: maxFileBytes };
}

/** As the service sends header names: their case does not matter. */
function toLowerCase(session: Session): Session {
  return lowerCaseNames(Object.entries(session));
}

function cookieValue(setCookie: string): string {
  return /^[^=;]*=([^;]*)/.exec(setCookie)?.[1] ?? '';
}
