import type { FailedRequest } from '../contract/index.js';
import { type Clock, createRedact } from '../internal/index.js';
import { RequestError, withoutQuotes } from './errors.js';
import type { Gate, Ticket } from './gate.js';
import { type AnswerKind, classifyAnswer, sessionSecrets } from './read-response.js';
import { readRemaining } from './remaining.js';
import type { Settings } from './settings.js';
import { headerValue, type SendOutcome, type Transport, type WireRequest, type WireResponse } from './wire.js';

export interface ExchangeContext {
  settings: Pick<Settings, 'rateLimit'>;
  transport: Transport;
  clock: Clock;
  counters: { sent: number; refused: number };
  /** What must not be shown, beside the headers of a request (rules E5, S7). */
  secrets: readonly string[];
}

/** What one send came to: an answer, a limit that has closed the gate, or nothing because the request was held back. */
export type Exchange =
  | { type: 'answered'; kind: Exclude<AnswerKind['type'], 'limit' | 'redirect'>; response: WireResponse }
  | { type: 'limited'; response: WireResponse }
  | { type: 'held-back' };

/**
 * Sends one request with a ticket of the gate, and gives the ticket back by what came of it.
 *
 * @throws RequestError when there was no answer or a redirect; the signal's reason after an abort.
 */
export async function exchange(
  context: ExchangeContext,
  gate: Gate,
  ticket: Ticket,
  wire: WireRequest,
  request: FailedRequest,
): Promise<Exchange> {
  return settle(context, gate, ticket, wire, request, await context.transport.send(wire));
}

/** The second half of {@link exchange}: what came of a request that was sent. */
export function settle(
  context: ExchangeContext,
  gate: Gate,
  ticket: Ticket,
  wire: WireRequest,
  request: FailedRequest,
  outcome: SendOutcome,
): Exchange {
  if (outcome.type !== 'held-back') context.counters.sent++;
  if (outcome.type !== 'answered') {
    gate.leave(ticket, 'unknown');
    if (outcome.type === 'held-back') return outcome;
    if (outcome.type === 'aborted') throw wire.signal?.reason;
    throw outcome.type === 'timeout' ? timedOut(wire, request) : networkError(outcome.error, request);
  }
  const { remaining } = context.settings.rateLimit;
  if (remaining !== undefined && !ticket.isLogin) {
    // Before the ticket is given back: the gate hears what is left before it lets the next request through.
    const left = readRemaining(outcome.headers, remaining, context.clock.now());
    if (left !== undefined) gate.remains(ticket, left);
  }
  const kind = classifyAnswer(outcome, context.settings.rateLimit, context.clock);
  if (kind.type === 'limit') {
    context.counters.refused++;
    gate.limited(ticket, kind.waitMs);
    return { type: 'limited', response: outcome };
  }
  // A 401 may have been decided before the connector looked at its limits: it says nothing about them.
  gate.leave(ticket, kind.type === 'unauthorized' ? 'unknown' : 'passed');
  if (kind.type === 'redirect')
    throw redirected(outcome, request, [...sessionSecrets(wire.headers), ...context.secrets]);
  if (outcome.status > 599) throw unexpectedStatus(outcome, request);
  return { type: 'answered', kind: kind.type, response: outcome };
}

function timedOut(wire: WireRequest, request: FailedRequest): RequestError {
  return new RequestError(`no whole answer within ${Math.ceil(wire.timeoutMs)} ms`, { code: 'TIMEOUT', request });
}

function networkError(error: unknown, request: FailedRequest): RequestError {
  return new RequestError(explain(error), { code: 'NETWORK_ERROR', request, cause: withoutQuotes(error) });
}

interface Explained {
  code?: string;
  message?: string;
}

/**
 * Node's and undici's errors carry the point in `code`, fetch's in their cause's; aggregate errors (IPv4 and IPv6 refused)
 * have no message.
 */
function explain(error: unknown): string {
  const { message, cause, code = cause?.code } = (error ?? {}) as Explained & { cause?: Explained };
  const text = message || cause?.message || 'the connection failed';
  return code && !text.includes(code) ? `${text} (${code})` : text;
}

function unexpectedStatus({ status }: WireResponse, request: FailedRequest): RequestError {
  return new RequestError('HTTP has no such status', { code: 'UNEXPECTED_STATUS', request, status });
}

/** A name has at most 253 characters. */
const longestOrigin = 270;

/** Shows the origin that it leads to, and no more: user info, path and query may hold what a connector echoes (E5, S7). */
function redirected(response: WireResponse, request: FailedRequest, secrets: readonly string[]): RequestError {
  const location = headerValue(response.headers, 'location') ?? '';
  const { protocol, origin } = URL.canParse(location) ? new URL(location) : { protocol: '', origin: '' };
  const isShown = (protocol === 'http:' || protocol === 'https:') && origin.length <= longestOrigin;
  const target = isShown ? ` to ${createRedact(secrets)(origin)}` : '';
  return new RequestError(
    `the connector redirects${target}; redirects are not followed, because session headers must not leave the origin`,
    { code: 'REDIRECT', request, status: response.status },
  );
}
