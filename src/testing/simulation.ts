import { errorResponse } from '../connector/index.js';
import { toSessionParameters, type WaitFormat, waitFormats } from '../contract/index.js';
import { parseJson, seededRandom } from '../internal/index.js';
import type { Fault } from './fault-types.js';
import { applyFault, defaultLimitWaitMs, limitReply } from './faults/fault.js';
import { checkFault, drawDelay } from './faults/fault-schema.js';
import { Plan, type Planned } from './faults/plan.js';
import { type Arrival, toRequest } from './http/arrival.js';
import { emptyReply, errorReply, jsonReply, type Reply, readResponse, type SimulatedResponse } from './http/reply.js';
import type { Settings } from './options.js';
import { Quotas } from './quota.js';
import { callHandler, type RoutedRequest, Routes } from './routes/routes.js';
import { type Session, Sessions } from './sessions.js';
import type { JournalEntry, Refusal } from './types.js';

/** The connector itself, however it is reached: decides on the response to each request and records it. */
export class Simulation {
  /** Every request, in the order of arrival. */
  readonly journal: OpenEntry[] = [];
  readonly plan: Plan;
  readonly routes: Routes;
  readonly sessions: Sessions;
  readonly quotas: Quotas;
  readonly #startedAt: number;
  readonly #random: () => number;
  readonly #settings: Settings;
  readonly #chooseFault: ((entry: JournalEntry) => Fault | undefined) | undefined;

  /** @throws TypeError naming the option that is wrong. */
  constructor(settings: Settings) {
    const { clock, faults, rateLimit, seed, session } = settings;
    this.#settings = settings;
    this.#chooseFault = typeof faults === 'function' ? faults : undefined;
    this.plan = new Plan(typeof faults === 'function' ? [] : faults);
    this.routes = new Routes(settings, clock);
    this.#startedAt = clock.monotonic();
    this.sessions = new Sessions(session ?? {}, clock);
    this.quotas = new Quotas(rateLimit, clock);
    this.#random = seededRandom(seed);
  }

  /** The response to a request, dated by the connector's clock. */
  async reply(arrival: Arrival, basePath: string): Promise<Reply> {
    const { clock, latency, onEntry } = this.#settings;
    const incoming = this.#arrive(arrival, basePath);
    const { entry, session } = incoming;
    const latencyMs = drawDelay(latency, this.#random, 'latency');
    const decided = await this.#decide(incoming);
    const reply = { ...decided, delayMs: decided.delayMs + latencyMs };
    if (!('instead' in reply)) entry.status = reply.status;
    onEntry?.(entry);
    if ('instead' in reply) return reply;
    const quota = entry.fault === 'html' ? [] : this.quotas.headers(entry, session); // a proxy knows no quota
    const present = new Set(reply.headers.map(([name]) => name.toLowerCase()));
    const added = [['date', new Date(clock.now()).toUTCString()] as const, ...quota];
    return { ...reply, headers: [...reply.headers, ...added.filter(([name]) => !present.has(name.toLowerCase()))] };
  }

  #arrive(arrival: Arrival, basePath: string): IncomingRequest {
    const url = new URL(arrival.url);
    const inside = url.pathname === basePath || url.pathname.startsWith(`${basePath}/`);
    const path = inside ? url.pathname.slice(basePath.length) || '/' : url.pathname;
    url.pathname = path;
    const kind = inside ? this.#kindOf(arrival.method, path) : 'request';
    const entry = this.#note({ ...arrival, url }, kind);
    const session = this.sessions.find(entry.headers[this.#settings.session?.header.toLowerCase() ?? '']);
    if (kind !== 'login') entry.session = session?.number;
    return { entry, session, inside, url, request: () => toRequest({ ...arrival, url }) };
  }

  #note({ method, url, headers, body: bytes }: Arrival, kind: JournalEntry['kind']): OpenEntry {
    const { clock } = this.#settings;
    const body = bytes === undefined ? '' : new TextDecoder().decode(bytes);
    const entry: OpenEntry = {
      number: this.journal.length + 1,
      kind,
      at: new Date(clock.now()),
      elapsedMs: clock.monotonic() - this.#startedAt,
      method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: Object.fromEntries(headers),
      body,
      json: parseJson(body),
      session: undefined,
      status: undefined,
      refused: undefined,
      waitMs: undefined,
      fault: undefined,
    };
    this.journal.push(entry);
    return entry;
  }

  #kindOf(method: string, path: string): JournalEntry['kind'] {
    if (path === this.#settings.initializePath) return 'login';
    return path === this.#settings.cleanupPath && method === 'POST' ? 'cleanup' : 'request';
  }

  async #decide(incoming: IncomingRequest): Promise<Reply> {
    const { entry } = incoming;
    const planned = this.plan.take(entry) ?? this.#choose(entry);
    if (planned === undefined || planned === 'normal') return this.#process(incoming);
    if (planned === 'unplanned') {
      return this.#refuse(entry, 'not-planned', 501, {
        code: 'NOT_PLANNED',
        message: `The script has no step left for ${entry.method} ${entry.path}.`,
      });
    }
    if (typeof planned === 'function') {
      entry.fault = 'answer';
      return this.#guardRoute(() => callHandler(planned, incoming, {}));
    }
    entry.fault = planned.kind;
    if (planned.kind === 'limit') entry.waitMs = planned.waitMs ?? defaultLimitWaitMs;
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
    const fault = this.#chooseFault?.(entry);
    return fault === undefined ? undefined : checkFault(fault, 'faults()');
  }

  /** What the connector does when no fault applies. */
  async #process(incoming: IncomingRequest): Promise<SimulatedResponse> {
    const { entry, session } = incoming;
    if (!incoming.inside) return errorReply(404, { message: 'The path is outside `basePath`.' });
    const refusal = entry.kind === 'request' && this.#settings.session ? this.sessions.refusal(session) : undefined;
    if (refusal !== undefined)
      return this.#refuse(entry, refusal, 401, { code: 'SESSION_EXPIRED', message: refusals[refusal] });
    const limited = this.quotas.take(entry, session);
    if (limited !== undefined) {
      entry.refused = 'rate-limit';
      entry.waitMs = limited.waitMs;
      return limitReply(403, { ...this.#limit(limited.rateLimit), waitMs: limited.waitMs });
    }
    if (entry.kind === 'login') return this.#logIn(entry);
    if (entry.kind === 'cleanup') {
      if (session) session.ended = true;
      return emptyReply(204);
    }
    if (session) session.served++;
    return this.#guardRoute(() => this.routes.respond(incoming));
  }

  #logIn(entry: OpenEntry): SimulatedResponse {
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
    const { credentials = {}, session } = this.#settings;
    if (Object.entries(credentials).some(([key, value]) => given.get(key) !== value)) {
      return this.#refuse(entry, 'wrong-credentials', 401, {
        code: 'WRONG_CREDENTIALS',
        message: 'The credentials are wrong.',
      });
    }
    const opened = this.sessions.open();
    entry.session = opened.number;
    const key = session?.header ?? 'x-session';
    return jsonReply(200, [{ key, value: opened.token, sensitive: true }]);
  }

  #refuse(
    entry: OpenEntry,
    refusal: Refusal,
    status: number,
    content: { code: string; message: string | undefined },
  ): SimulatedResponse {
    entry.refused = refusal;
    return errorReply(status, content);
  }

  /** A route may throw errors of the contract, as in a connector. */
  async #guardRoute(route: () => Promise<SimulatedResponse>): Promise<SimulatedResponse> {
    try {
      return await route();
    } catch (error) {
      const { header, format } = this.#limit();
      const rateLimit = {
        header,
        format: waitFormats.find((known) => known === format) ?? ('seconds' satisfies WaitFormat),
      };
      return readResponse(errorResponse(error, { rateLimit }));
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

const refusals: Partial<Record<Refusal, string>> = {
  'no-session': 'The request carries no session that the simulated connector created.',
  'session-ended': 'The session has ended.',
  'session-too-fresh': 'The session is not accepted yet.',
};
