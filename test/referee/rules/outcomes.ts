import { InitializeError, RequestError } from '../../../src/client/index.js';
import type { CallRecord, Send } from '../ledger.js';
import { isIdempotent } from '../plan.js';
import { expectedBody } from '../run.js';
import { type Evidence, nameOf, type Rule, toleranceMs } from './evidence.js';

const outcomes: Rule = {
  id: 'E2',
  says: 'a call ends with what its last answer says, or with an error that a rule allows',
  *judge(evidence) {
    for (const call of evidence.ledger.calls) {
      if (call.ended === undefined) continue;
      const sends = evidence.sendsOf(call);
      const wrong = 'error' in call ? wrongError(evidence, call, sends) : wrongValue(call, sends);
      if (wrong !== undefined) yield `call ${call.plan.id} ended with ${wrong}`;
    }
  },
};

function wrongValue({ plan, value }: CallRecord, sends: readonly Send[]): string | undefined {
  const last = sends.at(-1);
  if (last?.answer?.verdict !== 'ok') return `a success, after ${last === undefined ? 'no request' : answered(last)}`;
  const expected = JSON.stringify({ call: plan.id, send: last.id, body: expectedBody(plan) });
  return JSON.stringify(value) === expected ? undefined : `${JSON.stringify(value)} instead of ${expected}`;
}

function wrongError(evidence: Evidence, call: CallRecord, sends: readonly Send[]): string | undefined {
  const { error, aborted, reason } = call;
  if (error === reason && aborted !== undefined) return undefined;
  if (error instanceof RequestError) return wrongRequestError(evidence, call, sends, error);
  if (error instanceof InitializeError) return wrongInitializeError(evidence, call, error);
  const { kind, status } = (error ?? {}) as { kind?: string; status?: number };
  if (kind === 'rate-limit') return wrongLimit(evidence, call, error as { resumeAt?: unknown });
  const last = sends.at(-1);
  const text = `${kind} (${String(error)}) after ${last === undefined ? 'no request' : answered(last)}`;
  if (last?.answer === undefined) return text;
  if (kind === 'unauthorized') return isVerdict(evidence, call, sends) ? undefined : text;
  const expected = { 400: 'bad-request', 403: 'forbidden', 404: 'not-found' }[last.answer.status] ?? 'other';
  if (kind !== expected || status !== last.answer.status) return text;
  if (last.answer.verdict === 'final') return undefined;
  return last.answer.verdict === 'transient' ? gaveUpEarly(evidence, call, sends) : text;
}

function wrongRequestError(
  evidence: Evidence,
  call: CallRecord,
  sends: readonly Send[],
  error: RequestError,
): string | undefined {
  const { closing } = evidence.client(call.client);
  const lastedMs = (call.ended?.at ?? 0) - call.made.at;
  switch (error.code) {
    case 'CLIENT_CLOSED':
      return closing !== undefined && closing.seq < (call.ended?.seq ?? 0)
        ? undefined
        : 'CLIENT_CLOSED, though nobody closed it';
    case 'BUDGET_EXCEEDED': {
      const { totalTimeoutMs } = call.plan;
      return totalTimeoutMs !== undefined && lastedMs >= totalTimeoutMs - toleranceMs
        ? undefined
        : 'BUDGET_EXCEEDED too early';
    }
    case 'TIMEOUT':
      // What ran out of time may not even have begun: how often it was tried cannot be seen.
      return evidence.options.timeoutMs >= 30_000 ? 'TIMEOUT, long before one' : undefined;
    case 'NETWORK_ERROR':
      return gaveUpEarly(evidence, call, sends);
    default:
      return `${error.code}: ${error.message}`;
  }
}

/** What may be repeated is repeated as often as `retry.retries` says (rules G5 and G7). */
function gaveUpEarly(evidence: Evidence, { plan }: CallRecord, sends: readonly Send[]): string | undefined {
  const failed = sends.filter((send) => evidence.isTransient(send)).length;
  if (failed === 0) return 'a transient failure that nobody has seen';
  if (!isIdempotent(plan) || failed > evidence.options.retries) return undefined;
  return `a transient failure after ${failed} of ${evidence.options.retries + 1} sends`;
}

function wrongInitializeError(evidence: Evidence, call: CallRecord, error: InitializeError): string | undefined {
  // A login that ran out of time may not even have begun.
  if (evidence.options.loginTimeoutMs < 30_000) return undefined;
  const failed = evidence.ledger.sends.some(
    (send) =>
      send.kind === 'login' &&
      evidence.stateOf(send) === evidence.stateOf(call) &&
      send.begun.seq < (call.ended?.seq ?? 0) &&
      !(send.answer?.verdict === 'ok' && send.settledAs === 'answered'),
  );
  return failed ? undefined : `an InitializeError (${error.message}), though no login had failed`;
}

/** A limit fails a call only where it is not waited for (rules G5 and W7). */
function wrongLimit(evidence: Evidence, call: CallRecord, error: { resumeAt?: unknown }): string | undefined {
  if (!(error.resumeAt instanceof Date)) return 'a rate limit that does not say `resumeAt`';
  const { onLimit, maxWaitMs, maxTotalWaitMs } = evidence.options;
  const met = evidence.ledger.sends.some(
    (send) => send.answer?.verdict === 'limit' && send.answer.at.seq < (call.ended?.seq ?? 0),
  );
  if (!met) return 'a rate limit, though there was none';
  const allowed = onLimit === 'reject' || maxWaitMs !== undefined || maxTotalWaitMs !== undefined;
  return allowed ? undefined : 'a rate limit instead of waiting for it';
}

/** A single 401 is none, unless others have ended in one before (rules S4 and S5). */
function isVerdict(evidence: Evidence, call: CallRecord, sends: readonly Send[]): boolean {
  if (sends.at(-1)?.answer?.status !== 401) return false;
  if (sends.filter(({ answer }) => answer?.status === 401).length >= 2) return true;
  return evidence.ledger.calls.some(
    ({ plan, client, error, ended }) =>
      plan !== call.plan &&
      evidence.stateOf({ client }) === evidence.stateOf(call) &&
      (error as { kind?: string } | undefined)?.kind === 'unauthorized' &&
      (ended?.tick ?? 0) <= (call.ended?.tick ?? 0) + 30,
  );
}

const answered = (send: Send) => `${nameOf(send)} was answered ${send.answer?.status ?? 'nothing'} (${send.settledAs})`;

const rejectMeansReject: Rule = {
  id: 'G5',
  says: "with `onLimit: 'reject'` a call that met a limit rejects and is not sent again",
  *judge(evidence) {
    if (evidence.options.onLimit !== 'reject') return;
    for (const call of evidence.ledger.calls) {
      const sends = evidence.sendsOf(call);
      const at = sends.findIndex((send) => send.answer?.verdict === 'limit' && evidence.hasArrived(send));
      if (at >= 0 && at < sends.length - 1) yield `call ${call.plan.id} was sent again after a limit`;
    }
  },
};

export const outcomeRules: readonly Rule[] = [outcomes, rejectMeansReject];
