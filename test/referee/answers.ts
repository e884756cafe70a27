import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, Ledger, Send } from './ledger.js';
import type { Fate } from './plan.js';
import type { Quota } from './quota.js';
import type { Random } from './random.js';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly send: Send;
}

type LimitForm = Extract<Fate, `limit-${string}`>;
type Told = Pick<Answer, 'status' | 'verdict' | 'waitMs'> & { headers?: Record<string, string>; body?: unknown };

export const isLimit = (fate: Fate): fate is LimitForm => fate.startsWith('limit-');

/** Whether the connector does what was asked, whatever it answers then. */
export const hasEffect = (fate: Fate): boolean => ['ok', 'reset', 'cut', '500', '502', '503', '504'].includes(fate);

/** Writes answers, and each into the ledger before it leaves. */
export class Answers {
  constructor(
    readonly ledger: Ledger,
    readonly quota: Quota | undefined,
    readonly random: Random,
  ) {}

  give({ response, send }: Exchange, told: Told): void {
    send.answer = { status: told.status, verdict: told.verdict, waitMs: told.waitMs, at: this.ledger.moment() };
    if (response.destroyed) return;
    const text = told.body === undefined ? '' : JSON.stringify(told.body);
    const type = text === '' ? {} : { 'content-type': 'application/json' };
    response.writeHead(told.status, { ...type, ...told.headers, ...this.#announced(send) });
    response.end(text);
    if (!send.watched) send.headed = this.ledger.moment();
  }

  error(exchange: Exchange, status: number, verdict: Answer['verdict']): void {
    this.give(exchange, { status, verdict, body: { errors: { code: `JUDGE_${status}`, message: 'As planned.' } } });
  }

  /** A limit in one of the forms that rules W2, W3 and W6 know; `freeAt` in milliseconds of `performance.now()`. */
  refuse(exchange: Exchange, form: LimitForm, freeAt = performance.now() + this.random.whole(20, 120)): void {
    const wholeSeconds = this.ledger.scenario.options.waitHeader === 'retry-after';
    const leftMs = Math.max(1, Math.ceil(freeAt - performance.now()));
    const waitMs = wholeSeconds ? Math.ceil(leftMs / 1000) * 1000 : leftMs;
    const status = form === 'limit-403' || form === 'limit-unreadable' ? 403 : form === 'limit-503' ? 503 : 429;
    const unreadable = form === 'limit-unreadable' || form === 'limit-bare-429';
    const value = form === 'limit-unreadable' ? 'soon' : String(wholeSeconds ? waitMs / 1000 : waitMs);
    this.give(exchange, {
      ...{ status, verdict: 'limit', waitMs: unreadable ? undefined : waitMs },
      headers: form === 'limit-bare-429' ? {} : { [this.ledger.scenario.options.waitHeader]: value },
      body: { errors: { code: 'JUDGE_LIMIT', message: 'As planned.' } },
    });
  }

  /** No answer: the connection breaks. */
  breakOff({ request, send }: Exchange): void {
    send.answer = { status: 0, verdict: 'transient', at: this.ledger.moment() };
    request.socket.destroy();
  }

  /** A success that announces more than it brings. */
  cut({ request, response, send }: Exchange): void {
    send.answer = { status: 200, verdict: 'transient', at: this.ledger.moment() };
    if (response.destroyed) return;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"call":', () => setTimeout(() => request.socket.destroy(), 2));
  }

  #announced({ path }: Send): Record<string, string> {
    const { announcement } = this.ledger.scenario;
    if (announcement === undefined || this.quota === undefined) return {};
    const left = String(this.quota.left(path));
    return { 'ratelimit-policy': announcement.policy, ratelimit: announcement.limit.replace('{left}', left) };
  }
}
