import { parseWait, type WaitFormat } from '../../contract/index.js';
import type { Clock } from '../../internal/index.js';
import { headerValue, type SendOutcome, type WireResponse } from '../http/wire.js';
import { type RemainingOptions, readAnnouncement, readRemaining } from '../rate-limit/remaining.js';
import type { Attempt } from './attempt.js';

/**
 * What an attempt came to: `cut`, `too-large` and `packed` are successes whose body cannot be had, `unexpected` is a status that HTTP
 * does not know, and `held-back` was never sent.
 */
export type AnswerKind =
  | 'success'
  | 'cut'
  | 'too-large'
  | 'packed'
  | 'redirect'
  | 'unauthorized'
  | 'limit'
  | 'error'
  | 'unexpected'
  | Exclude<SendOutcome['type'], 'answered'>;

export interface ReleaseContext {
  settings: {
    rateLimit: { header: string; format: WaitFormat; remaining?: Required<RemainingOptions> | undefined };
  };
  clock: Clock;
  counters: { sent: number; refused: number };
}

/** Gives the permit of an attempt back: the gate hears what came of it. @returns what the service takes it for. */
export function release(context: ReleaseContext, attempt: Attempt, outcome: SendOutcome): AnswerKind {
  const { lane, permit } = attempt;
  if (outcome.type !== 'held-back') context.counters.sent++;
  if (outcome.type !== 'answered') {
    lane.leave(permit, outcome.type === 'held-back' ? 'unsent' : 'unknown');
    return outcome.type;
  }
  announce(context, attempt, outcome);
  if (outcome.incoming !== undefined) lane.carry(outcome.incoming);
  const kind = classify(outcome, attempt.headers, context);
  if (kind === 'limit') {
    context.counters.refused++;
    lane.limited(permit, readWait(outcome, context));
  } else {
    // A 401 may have been decided before the connector looked at its limits: it says nothing about them.
    lane.leave(permit, kind === 'unauthorized' ? 'unknown' : 'passed');
  }
  return kind;
}

/** Decides by status and header alone; a body never turns a denial into a limit (rules E2, E7, W2, W3). */
function classify({ status, headers, end }: WireResponse, asked: Asked, { settings }: ReleaseContext): AnswerKind {
  // Not modified: what the caller wanted to know, where there was a condition (rule D1).
  if (status === 304 && isConditional(asked)) return 'success';
  // Half a file that nobody asked for must not be taken for the whole (rule D1).
  if (status === 206 && asked.range === undefined && headers['content-range'] !== undefined) return 'unexpected';
  if (status < 300) return end === 'whole' ? 'success' : end;
  if (status < 400) return 'redirect';
  if (status === 401) return 'unauthorized';
  if (status === 429) return 'limit';
  const isLimit = (status === 403 || status === 503) && waitOf(headers, settings.rateLimit.header) !== undefined;
  if (isLimit) return 'limit';
  return status > 599 ? 'unexpected' : 'error';
}

type Asked = Attempt['headers'];

function isConditional(asked: Asked): boolean {
  return asked['if-none-match'] !== undefined || asked['if-modified-since'] !== undefined;
}

/** `undefined` when the header is absent (429) or invalid: then the fallback applies (rule W6). */
function readWait({ headers }: WireResponse, { settings, clock }: ReleaseContext): number | undefined {
  const { header, format } = settings.rateLimit;
  const date = headerValue(headers, 'date');
  const age = headerValue(headers, 'age');
  return parseWait(waitOf(headers, header), { format, now: clock.now(), date, age }).waitMs;
}

function waitOf(headers: WireResponse['headers'], name: string): string | undefined {
  return headerValue(headers, name.toLowerCase());
}

/**
 * Before the permit is given back: the gate hears what is left before it lets the next request through. The headers that the options
 * name are believed (the gate closes when nothing is left); the standard ones are advice (rule W8).
 */
function announce({ settings, clock }: ReleaseContext, { lane, permit }: Attempt, { headers }: WireResponse): void {
  const { remaining } = settings.rateLimit;
  if (remaining !== undefined && !permit.isLogin) {
    const left = readRemaining(headers, remaining, clock.now());
    if (left !== undefined) lane.announce(permit, { policies: [], remaining: left }, true);
  }
  const announcement = readAnnouncement(headers);
  if (announcement !== undefined) lane.announce(permit, announcement, false);
}
