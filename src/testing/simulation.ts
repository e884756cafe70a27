import { errorResponse } from '../connector/index.js';
import {
  currentHeader,
  formatCurrent,
  formatPolicy,
  policyHeader,
  toSessionParameters,
  type WaitFormat,
  waitFormats,
} from '../contract/index.js';
import { applyFault, defaultLimitWaitMs, limitReply } from './faults/fault.js';
import { checkFault } from './faults/fault-schema.js';
import { Plan, type Planned } from './faults/plan.js';
import { type Arrival, toRequest } from './http/arrival.js';
import { type Answer, emptyReply, errorReply, fromResponse, jsonReply, type Reply } from './http/reply.js';
import { Journal, type OpenEntry } from './journal.js';
import type { Settings } from './options.js';
import { Quota } from './quota.js';
import { askHandler, type RoutedRequest, Routes } from './routes/routes.js';
import { type Session, Sessions } from './sessions.js';
import type { Fault, JournalEntry, Refusal } from './types.js';

/** The connector itself, whichever way it is reached: decides what each request is answered with, and notes it down. */
export class Simulation {
  readonly journal: Journal;
  readonly plan: Plan;
  readonly routes: Routes;
  readonly sessions: Sessions;
  readonly quota: Quota | undefined;
  readonly #settings: Settings;
  readonly #chooseFault: ((entry: JournalEntry) => Fault | undefined) | undefined;

  /** @throws TypeError naming the option that is wrong. */
  constructor(settings: Settings) {
    const { clock, faults, rateLimit, session } = settings;
    this.#settings = settings;
    this.#chooseFault = typeof faults === 'function' ? faults : undefined;
    this.plan = new Plan(typeof faults === 'function' ? [] : faults);
    this.routes = new Routes(settings, clock);
    this.journal = new Journal(clock);
    this.sessions = new Sessions(session ?? {}, clock);
    this.quota = rateLimit && new Quota(rateLimit, clock);
  }

  /** What a request is answered with; the date is this connector's own. */
  async reply(arrival: Arrival, basePath: string): Promise<Reply> {
    const { clock, onEntry } = this.#settings;
    const exchange = this.#arrive(arrival, basePath);
    const { entry } = exchange;
    const reply = await this.#decide(exchange);
    if (typeof reply !== 'string') entry.status = reply.status;
    onEntry?.(entry);
    if (typeof reply === 'string') return reply;
    const there = new Set(reply.headers.map(([name]) => name.toLowerCase()));
    const own = [['date', new Date(clock.now()).toUTCString()] as const, ...this.#announcement(exchange)];
    return { ...reply, headers: [...reply.headers, ...own.filter(([name]) => !there.has(name.toLowerCase()))] };
  }

  /** What the connector tells of its quota; a proxy's page tells nothing (rule W8). */
  #announcement({ entry, session }: Exchange): (readonly [name: string, value: string])[] {
    const { rateLimit } = this.#settings;
    if (!rateLimit?.announce || this.quota === undefined || entry.fault === 'html') return [];
    const policy = [policyHeader, formatPolicy(rateLimit)] as const;
    if (rateLimit.announce === 'policy') return [policy];
    return [policy, [currentHeader, formatCurrent(this.quota.left(this.#quotaKey(session)))]];
  }

  #arrive(arrival: Arrival, basePath: string): Exchange {
    const url = new URL(arrival.url);
    const inside = url.pathname === basePath || url.pathname.startsWith(`${basePath}/`);
    const path = inside ? url.pathname.slice(basePath.length) || '/' : url.pathname;
    url.pathname = path;
    const kind = inside ? this.#kindOf(arrival.method, path) : 'request';
    const entry = this.journal.add({ ...arrival, url }, kind);
    const session = this.sessions.find(entry.headers[this.#settings.session?.header.toLowerCase() ?? '']);
    if (kind !== 'login') entry.session = session?.number;
    return { entry, session, inside, url, request: () => toRequest({ ...arrival, url }) };
  }

  #kindOf(method: string, path: string): JournalEntry['kind'] {
    if (path === this.#settings.initializePath) return 'login';
    return path === this.#settings.cleanupPath && method === 'POST' ? 'cleanup' : 'request';
  }

  async #decide(exchange: Exchange): Promise<Reply> {
    const { entry } = exchange;
    const planned = this.plan.take(entry) ?? this.#choose(entry);
    if (planned === undefined || planned === 'normal') return this.#process(exchange);
    if (planned === 'unplanned') {
      return this.#refuse(entry, 'not-planned', 501, {
        code: 'NOT_PLANNED',
        message: `The script has no step left for ${entry.method} ${entry.path}.`,
      });
    }
    if (typeof planned === 'function') {
      entry.fault = 'answer';
      return this.#guardRoute(() => askHandler(planned, exchange, {}));
    }
    entry.fault = planned.kind;
    if (planned.kind === 'limit') entry.waitMs = planned.waitMs ?? defaultLimitWaitMs;
    return applyFault(planned, {
      normal: () => this.#process(exchange),
      expire: () => {
        if (exchange.session) exchange.session.ended = true;
      },
      limit: this.#limit(),
    });
  }

  #choose(entry: JournalEntry): Planned | undefined {
    const fault = this.#chooseFault?.(entry);
    return fault === undefined ? undefined : checkFault(fault, 'faults()');
  }

  /** What the connector does when nothing is wrong with it. */
  async #process(exchange: Exchange): Promise<Answer> {
    const { entry, session } = exchange;
    if (!exchange.inside) return errorReply(404, { message: `There is nothing outside of \`basePath\`.` });
    if (entry.kind === 'login') return this.#logIn(entry);
    if (entry.kind === 'cleanup') {
      if (session) session.ended = true;
      return emptyReply(204);
    }
    const refusal = this.#settings.session && this.sessions.refusal(session);
    if (refusal !== undefined)
      return this.#refuse(entry, refusal, 401, { code: 'SESSION_EXPIRED', message: refusals[refusal] });
    const waitMs = this.quota?.take(this.#quotaKey(session)) ?? 0;
    if (waitMs > 0) {
      entry.refused = 'rate-limit';
      entry.waitMs = waitMs;
      return limitReply(403, { ...this.#limit(), waitMs });
    }
    if (session) session.served++;
    return this.#guardRoute(() => this.routes.answer(exchange));
  }

  #logIn(entry: OpenEntry): Answer {
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
  ): Answer {
    entry.refused = refusal;
    return errorReply(status, content);
  }

  /** A route may throw errors of the contract, as in a connector. */
  async #guardRoute(route: () => Promise<Answer>): Promise<Answer> {
    try {
      return await route();
    } catch (error) {
      const { header, format } = this.#limit();
      const rateLimit = {
        header,
        format: waitFormats.find((known) => known === format) ?? ('seconds' satisfies WaitFormat),
      };
      return fromResponse(errorResponse(error, { rateLimit }));
    }
  }

  #limit() {
    const { rateLimit, clock } = this.#settings;
    return {
      header: rateLimit?.header ?? 'Retry-After',
      format: rateLimit?.format ?? 'seconds',
      now: clock.now(),
    } as const;
  }

  #quotaKey(session: Session | undefined): string {
    return this.#settings.rateLimit?.scope === 'session' ? (session?.token ?? '') : '';
  }
}

interface Exchange extends RoutedRequest {
  readonly entry: OpenEntry;
  readonly session: Session | undefined;
  /** Whether the request is for this connector: below `basePath`. */
  readonly inside: boolean;
}

const refusals: Partial<Record<Refusal, string>> = {
  'no-session': 'The request has no session that the simulated connector knows.',
  'session-ended': 'The session has ended.',
  'session-too-fresh': 'The session is not known yet.',
};
