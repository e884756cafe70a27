import { errorResponse } from '../connector/index.js';
import { toSessionParameters, type WaitFormat, waitFormats } from '../contract/index.js';
import { lowerCaseNames, parseJson, seededRandom } from '../internal/index.js';
import { applyFault, defaultLimitWaitMs, limitReply } from './faults/fault.js';
import { checkFault, drawDelay } from './faults/fault-schema.js';
import { Plan, type Planned } from './faults/plan.js';
import { type Arrival, toRequest } from './http/arrival.js';
import {
  addHeaders,
  delayed,
  discard,
  emptyReply,
  errorReply,
  jsonOf,
  jsonReply,
  mistakeReply,
  type Reply,
  readResponse,
  type SimulatedResponse,
  whole,
} from './http/reply.js';
import type { Settings } from './options.js';
import { createQuotas } from './quota.js';
import { callHandler, createRoutes, kindOf, type RoutedRequest } from './routes/routes.js';
import { createSessions, type Session } from './sessions.js';
import type { JournalEntry, Refusal } from './types.js';

/** The connector itself, however it is reached: decides on the response to each request and records it. */
export class Simulation {
  /** Every request, in the order of arrival. */
  readonly journal: OpenEntry[] = [];
  #arrived = 0;
  readonly plan: Plan;
  readonly routes: ReturnType<typeof createRoutes>;
  readonly sessions: ReturnType<typeof createSessions>;
  readonly quotas: ReturnType<typeof createQuotas>;
  readonly #startedAt: number;
  readonly #random: () => number;
  readonly #settings: Settings;

  /** @throws TypeError naming the option that is wrong. */
  constructor(settings: Settings) {
    const { clock, faults, rateLimit, seed, session } = settings;
    this.#settings = settings;
    this.plan = new Plan(typeof faults === 'function' ? [] : faults);
    this.routes = createRoutes(settings, clock);
    this.#startedAt = clock.monotonic();
    this.sessions = createSessions(session ?? {}, clock);
    this.quotas = createQuotas(rateLimit, clock);
    this.#random = seededRandom(seed);
  }

  /** The response, when it is time to send it; where a function of the test fails, a 501. @throws the signal's reason */
  async reply(arrival: Arrival, basePath: string): Promise<Reply> {
    const incoming = this.#arrive(arrival, basePath);
    const { entry, session } = incoming;
    const failed = (error: unknown) => mistakeReply(entry, error, arrival.signal);
    let reply = await this.#decideInTime(incoming, arrival.signal).catch(failed);
    if (!('instead' in reply)) entry.status = reply.status;
    try {
      this.#settings.onEntry?.(entry);
    } catch (error) {
      discard(reply);
      reply = failed(error);
    }
    arrival.signal?.throwIfAborted();
    if ('instead' in reply) return reply;
    const quota = entry.fault === 'html' ? [] : this.quotas.headers(entry, session); // a proxy knows no quota
    return addHeaders(reply, [['date', new Date(this.#settings.clock.now()).toUTCString()], ...quota]);
  }

  async #decideInTime(incoming: IncomingRequest, signal: AbortSignal | undefined): Promise<Reply> {
    const { clock, latency } = this.#settings;
    const latencyMs = drawDelay(latency, this.#random, 'latency');
    return delayed(await this.#decide(incoming), { latencyMs, clock, signal });
  }

  #arrive(arrival: Arrival, basePath: string): IncomingRequest {
    const { clock, session: options } = this.#settings;
    const { method, body: bytes } = arrival;
    const url = new URL(arrival.url);
    const inside = url.pathname === basePath || url.pathname.startsWith(`${basePath}/`);
    if (inside) url.pathname = url.pathname.slice(basePath.length) || '/';
    const kind = inside ? kindOf(this.#settings, method, url.pathname) : 'request';
    const headers = lowerCaseNames(arrival.headers);
    const body = bytes === undefined ? '' : new TextDecoder().decode(bytes);
    const session = this.sessions.find(headers[options?.header.toLowerCase() ?? '']);
    const entry: OpenEntry = {
      number: ++this.#arrived,
      kind,
      at: new Date(clock.now()),
      elapsedMs: clock.monotonic() - this.#startedAt,
      method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers,
      body,
      json: parseJson(body),
      session: kind === 'login' ? undefined : session?.number,
      status: undefined,
      refused: undefined,
      waitMs: undefined,
      fault: undefined,
      error: undefined,
    };
    this.journal.push(entry);
    if (this.journal.length > this.#settings.maxJournalEntries) this.journal.shift();
    return { entry, session, inside, url, request: () => toRequest({ ...arrival, url }) };
  }

  async #decide(incoming: IncomingRequest): Promise<Reply> {
    const { entry } = incoming;
    const planned = this.plan.take(entry) ?? this.#choose(entry);
    if (planned === undefined || planned === 'normal') return this.#process(incoming);
    if (planned === 'unplanned') return refuse(entry, 'not-planned');
    if (typeof planned === 'function') {
      entry.fault = 'answer';
      return this.#guardRoute(entry, () => callHandler(planned, incoming, {}));
    }
    entry.fault = planned.kind;
    if (planned.kind === 'limit' && (planned.format ?? this.#limit().format) !== 'missing') {
      entry.waitMs = planned.waitMs ?? defaultLimitWaitMs;
    }
    return applyFault(planned, {
      normal: () => this.#process(incoming),
      expire: () => {
        if (incoming.session) incoming.session.ended = true;
      },
      random: this.#random,
      limit: this.#limit(),
    });
  }

  #choose(entry: JournalEntry): Planned | undefined {
    const { faults } = this.#settings;
    const fault = typeof faults === 'function' ? faults(entry) : undefined;
    return fault === undefined ? undefined : checkFault(fault, 'faults()');
  }

  /** What the connector does when no fault applies. */
  async #process(incoming: IncomingRequest): Promise<SimulatedResponse> {
    const { entry, session } = incoming;
    if (!incoming.inside) return errorReply(404, { message: 'The path is outside `basePath`.' });
    const refusal = entry.kind === 'request' && this.#settings.session ? this.sessions.refusal(session) : undefined;
    if (refusal !== undefined) return refuse(entry, refusal);
    const limited = this.quotas.take(entry, session);
    if (limited !== undefined) {
      entry.refused = 'rate-limit';
      if (limited.rateLimit.format !== 'missing') entry.waitMs = limited.waitMs;
      return limitReply(403, { ...this.#limit(limited.rateLimit), waitMs: limited.waitMs });
    }
    if (entry.kind === 'login') return this.#logIn(incoming);
    if (entry.kind === 'cleanup') {
      if (session) session.ended = true;
      return this.#settings.login === 'routes' ? this.#askRoutes(incoming) : emptyReply(204);
    }
    if (session) session.served++;
    return this.#askRoutes(incoming);
  }

  #askRoutes(incoming: IncomingRequest): Promise<SimulatedResponse> {
    return this.#guardRoute(incoming.entry, () => this.routes.respond(incoming));
  }

  async #logIn(incoming: IncomingRequest): Promise<SimulatedResponse> {
    const { entry } = incoming;
    if (entry.body.length > maxLoginLength) {
      return errorReply(413, { code: 'PAYLOAD_TOO_LARGE', message: 'The request body is too large.' });
    }
    const parameters = toSessionParameters(entry.json);
    if (parameters === undefined) {
      return errorReply(400, {
        message: 'The parameters of initialize must be an array of {key, value, sensitive} or an object.',
      });
    }
    const given = new Map(parameters.map(({ key, value }) => [key, value]));
    const { credentials = {}, login, session } = this.#settings;
    const isWrong = Object.entries(credentials).some(([key, value]) => given.get(key) !== value);
    if (isWrong) return refuse(entry, 'wrong-credentials');
    const openSession = () => {
      const { number, token } = this.sessions.open();
      entry.session = number;
      return { key: session?.header ?? 'x-session', value: token, sensitive: true };
    };
    if (login === 'simulated') return jsonReply(200, [openSession()]);
    const reply = await whole(await this.#askRoutes(incoming));
    const own = reply.status < 300 ? toSessionParameters(jsonOf(reply)) : undefined;
    if (own === undefined || session === undefined) return reply;
    return { ...reply, body: jsonReply(200, [...own, openSession()]).body };
  }

  /** A route may throw errors of the contract, as in a connector. */
  async #guardRoute(entry: OpenEntry, route: () => Promise<SimulatedResponse>): Promise<SimulatedResponse> {
    try {
      return await route();
    } catch (error) {
      entry.error = error;
      const { header, format: written } = this.#limit();
      const format: WaitFormat = waitFormats.find((known) => known === written) ?? 'seconds';
      return readResponse(errorResponse(error, { rateLimit: { header, format } }));
    }
  }

  #limit(rateLimit = this.#settings.rateLimit[0]) {
    const { clock } = this.#settings;
    return {
      header: rateLimit?.header ?? 'Retry-After',
      format: rateLimit?.format ?? 'seconds',
      now: clock.now(),
    } as const;
  }
}

/** An entry that can still change: its request is in progress. */
type OpenEntry = { -readonly [Name in keyof JournalEntry]: JournalEntry[Name] };

interface IncomingRequest extends RoutedRequest {
  readonly entry: OpenEntry;
  readonly session: Session | undefined;
  /** Whether the path is below `basePath`. */
  readonly inside: boolean;
}

/** As a connector has it (rule E4). */
const maxLoginLength = 1024 * 1024;

function refuse(entry: OpenEntry, refusal: keyof typeof refusals): SimulatedResponse {
  entry.refused = refusal;
  return refusals[refusal](entry);
}

const refusals: Record<Exclude<Refusal, 'rate-limit'>, (entry: JournalEntry) => SimulatedResponse> = {
  'wrong-credentials': unauthorized('WRONG_CREDENTIALS', 'The credentials are wrong.'),
  'no-session': unauthorized('SESSION_EXPIRED', 'The request carries no session that the simulated connector created.'),
  'session-ended': unauthorized('SESSION_EXPIRED', 'The session has ended.'),
  'session-too-fresh': unauthorized('SESSION_EXPIRED', 'The session is not accepted yet.'),
  'not-planned': ({ method, path }) =>
    errorReply(501, { code: 'NOT_PLANNED', message: `The script has no step left for ${method} ${path}.` }),
};

function unauthorized(code: string, message: string) {
  return () => errorReply(401, { code, message });
}
