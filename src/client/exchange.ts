import type { FailedRequest } from '../contract/index.js';
import type { Clock } from '../internal/index.js';
import { RequestError } from './errors.js';
import type { Gate, Ticket } from './gate.js';
import type { Settings } from './options.js';
import { type AnswerKind, classifyAnswer } from './read-response.js';
import { readRemaining } from './remaining.js';
import { headerValue, type SendOutcome, type Transport, type WireRequest, type WireResponse } from './wire.js';

export interface ExchangeContext {
  settings: Pick<Settings, 'rateLimit'>;
  transport: Transport;
  clock: Clock;
  counters: { sent: number; refused: number };
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
  if (kind.type === 'redirect') throw redirected(outcome, request);
  if (outcome.status > 599) throw unexpectedStatus(outcome, request);
  return { type: 'answered', kind: kind.type, response: outcome };
}

function timedOut(wire: WireRequest, request: FailedRequest): RequestError {
  return new RequestError(`no whole answer within ${Math.ceil(wire.timeoutMs)} ms`, { code: 'TIMEOUT', request });
}

function networkError(error: unknown, request: FailedRequest): RequestError {
  return new RequestError(explain(error), { code: 'NETWORK_ERROR', request, cause: error });
}

/** Node's and undici's errors carry the point in `code`; aggregate errors (IPv4 and IPv6 refused) have no message. */
function explain(error: unknown): string {
  const { code, message, cause } = (error ?? {}) as { code?: string; message?: string; cause?: { message?: string } };
  const text = message || cause?.message || 'the connection failed';
  return code && !text.includes(code) ? `${text} (${code})` : text;
}

function unexpectedStatus({ status }: WireResponse, request: FailedRequest): RequestError {
  return new RequestError('HTTP has no such status', { code: 'UNEXPECTED_STATUS', request, status });
}

function redirected(response: WireResponse, request: FailedRequest): RequestError {
  const location = headerValue(response.headers, 'location');
  const target = location === undefined ? '' : ` to ${location.split(/[?#]/)[0]}`;
  return new RequestError(
    `the connector redirects${target}; redirects are not followed, because session headers must not leave the origin`,
    { code: 'REDIRECT', request, status: response.status },
  );
}
