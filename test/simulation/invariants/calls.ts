import { expectedBody } from '../calls.js';
import type { CallPlan } from '../schedule.js';
import { type Entry, type EntryOf, entriesOf, type Outcome, type Trace } from '../trace.js';
import { type Finding, type Invariant, tolerance } from './invariant.js';
import { mayQueue } from './session.js';

const idempotentMethods = new Set(['GET', 'PUT', 'DELETE']);
const passingStatuses = new Set([500, 502, 503, 504]);

const isIdempotent = (plan: CallPlan) => plan.idempotent ?? idempotentMethods.has(plan.method);

function isPassing(entry: Entry): boolean {
  if (entry.what === 'failed') return true;
  return entry.what === 'answered' && entry.asked === undefined && passingStatuses.has(entry.status);
}

const unsafeCallsTakeEffectOnce: Invariant = {
  rule: 'G7',
  title: 'a call that is not idempotent takes effect at most once',
  *check(trace) {
    const met = new Map<unknown, number>();
    for (const entry of entriesOf(trace, 'effect')) {
      met.set(entry.by, (met.get(entry.by) ?? 0) + 1);
      const plan = trace.schedule.calls[entry.by as number];
      if (plan !== undefined && !isIdempotent(plan) && met.get(entry.by) === 2) {
        yield { at: entry.at, seen: `${plan.method} of call ${entry.by} took effect twice` };
      }
    }
  },
};

const successesTookEffect: Invariant = {
  rule: 'G7',
  title: 'a call that resolves took effect, and got the answer to its own request',
  *check(trace) {
    const effects = new Set<unknown>();
    for (const entry of trace.entries) {
      if (entry.what === 'effect') effects.add(entry.by);
      if (entry.what !== 'settled' || entry.outcome.type !== 'resolved') continue;
      const { call, outcome } = entry;
      const answered = (outcome.data as { call?: number } | undefined)?.call;
      if (!effects.has(call)) yield { at: entry.at, seen: `call ${call} resolved and never took effect` };
      else if (answered !== call) yield { at: entry.at, seen: `call ${call} got the answer to call ${answered}` };
    }
  },
};

const bodiesArriveWhole: Invariant = {
  rule: 'G8',
  title: 'a request arrives with the whole of its body, however often it is sent',
  *check(trace) {
    for (const entry of entriesOf(trace, 'effect')) {
      const plan = trace.schedule.calls[entry.by as number];
      const expected = plan && expectedBody(plan, entry.by as number);
      if (entry.body !== expected) {
        yield {
          at: entry.at,
          seen: `call ${entry.by} arrived with ${JSON.stringify(entry.body)} instead of ${JSON.stringify(expected)}`,
        };
      }
    }
  },
};

const failuresOfUnsafeCallsAreReported: Invariant = {
  rule: 'G7',
  title: 'a call that is not idempotent is not sent again after a failure of which nobody knows what it did',
  *check({ entries, schedule }) {
    const failed = new Map<unknown, number>();
    for (const entry of entries) {
      if (isPassing(entry) && 'by' in entry) failed.set(entry.by, entry.at);
      if (entry.what !== 'sent') continue;
      const plan = schedule.calls[entry.by as number];
      const at = failed.get(entry.by);
      if (plan !== undefined && !isIdempotent(plan) && at !== undefined) {
        yield { at: entry.at, seen: `${plan.method} of call ${entry.by} was sent again after the failure at ${at}` };
      }
    }
  },
};

const denialsAreFinal: Invariant = {
  rule: 'W2',
  title: 'a denial (403 without the wait header), 400 and 404 end their call at once, and pause nobody',
  *check({ entries }) {
    const denied = new Map<unknown, EntryOf<'answered'>>();
    for (const entry of entries) {
      if (entry.what === 'settled') denied.delete(entry.call);
      for (const [call, { at, status }] of denied) {
        if (entry.at > at + tolerance || (entry.what === 'sent' && entry.by === call)) {
          yield { at: entry.at, seen: `call ${call} went on after the ${status} at ${at}` };
          denied.delete(call);
        }
      }
      if (entry.what !== 'answered' || typeof entry.by !== 'number' || entry.asked !== undefined) continue;
      if ([400, 403, 404].includes(entry.status)) denied.set(entry.by, entry);
    }
  },
};

/** What justifies the end of a call, and the rule that is broken when nothing does. */
const callsEndForAReason: Invariant = {
  rule: 'G7',
  view: 'limit',
  title: 'a call only fails for a reason of its own: no call is lost',
  *check(trace) {
    for (const entry of entriesOf(trace, 'settled')) {
      const { outcome } = entry;
      if (outcome.type === 'resolved') continue;
      const history = trace.entries.slice(0, trace.entries.indexOf(entry));
      const broken = unjustified(trace, { ...entry, outcome }, history);
      if (broken !== undefined) yield { at: entry.at, ...broken };
    }
  },
};

type Failed = EntryOf<'settled'> & { outcome: Exclude<Outcome, { type: 'resolved' }> };

function unjustified(trace: Trace, { call, outcome, at }: Failed, history: Entry[]) {
  const own = history.filter((entry) => 'by' in entry && entry.by === call);
  const plan = trace.schedule.calls[call] as CallPlan;
  const ended = `call ${call} ended in ${describe(outcome)}`;
  if (outcome.type === 'aborted') {
    const aborted = history.some((entry) => entry.what === 'aborted' && entry.call === call);
    return aborted ? undefined : { rule: 'G4', seen: `${ended} and nobody had aborted it` };
  }
  if (outcome.kind === 'rate-limit') return limitIsUnjustified(trace, outcome, history, at, plan, ended);
  if (outcome.name === 'InitializeError' || outcome.kind === 'unauthorized') return undefined; // judged elsewhere
  if (outcome.code === 'CLIENT_CLOSED') {
    return history.some(({ what }) => what === 'closing')
      ? undefined
      : { rule: 'close', seen: `${ended}, and nobody had closed the client` };
  }
  if (outcome.code === 'BUDGET_EXCEEDED') {
    const started = history.find((entry) => entry.what === 'called' && entry.call === call)?.at ?? 0;
    const over = plan.totalTimeoutMs !== undefined && at - started >= plan.totalTimeoutMs - tolerance;
    return over ? undefined : { rule: 'G5', seen: `${ended} before its time was over` };
  }
  if (outcome.code === 'NETWORK_ERROR' || outcome.code === 'TIMEOUT' || passingStatuses.has(outcome.status ?? 0)) {
    const seen = own.filter((entry) => isPassing(entry) || entry.what === 'cancelled').length;
    // A try whose time is over before it goes out is seen by nobody but the client, which tells of its retry.
    const told = own.filter(({ what }) => what === 'retry').length + 1;
    const failures = mayQueue(trace.schedule) ? Math.max(seen, told) : seen;
    const least = isIdempotent(plan) && plan.body !== 'stream' ? trace.schedule.client.retries + 1 : 1;
    if (failures >= least || (outcome.code === 'TIMEOUT' && mayQueue(trace.schedule))) return undefined;
    return { rule: 'G5', seen: `${ended} after ${failures} failures, ${least - 1} retries are allowed` };
  }
  const answered = own.some((entry) => entry.what === 'answered' && entry.status === outcome.status);
  return answered ? undefined : { seen: `${ended}, which was never answered to it` };
}

/** Waits are refused where one is longer than `maxWaitMs`, or all together longer than `maxTotalWaitMs`. */
function limitIsUnjustified(
  trace: Trace,
  outcome: Extract<Outcome, { type: 'rejected' }>,
  history: Entry[],
  at: number,
  plan: CallPlan,
  ended: string,
): Omit<Finding, 'at'> | undefined {
  const { maxWaitMs, maxTotalWaitMs, onLimit } = trace.schedule.client;
  const limits = history.filter(
    (entry) => entry.what === 'answered' && entry.asked !== undefined,
  ) as EntryOf<'answered'>[];
  const fallbackMs = Math.max(
    0,
    ...history.flatMap((entry) =>
      entry.what === 'pause' && entry.source === 'fallback' ? entry.at + entry.waitMs - at : 0,
    ),
  );
  const remainingMs = Math.max(fallbackMs, ...limits.map((limit) => limit.at + (limit.asked?.waitMs ?? 0) - at));
  // Whoever does not wait at all is told of jitter, too, which goes on after the limit itself.
  const tooLong = onLimit === 'reject' || remainingMs > maxWaitMs - tolerance;
  if (!tooLong && maxTotalWaitMs === undefined && plan.body !== 'stream') {
    return { rule: 'W7', seen: `${ended} although the wait of ${remainingMs} ms is allowed` };
  }
  if (outcome.resumeAtMs === undefined) return { rule: 'W7', seen: `${ended} without resumeAt` };
  const early = at + Math.min(remainingMs, 8e14) - outcome.resumeAtMs;
  // A calendar that is set by two milliseconds is not told from two clocks that are read one after the other.
  return early > 3 ? { rule: 'W7', seen: `${ended} with a resumeAt ${early} ms too early` } : undefined;
}

function describe(outcome: Outcome): string {
  return outcome.type === 'rejected'
    ? [outcome.name, outcome.status, outcome.code].filter(Boolean).join(' ')
    : outcome.type;
}

const sumsOfWaitsAreBounded: Invariant = {
  rule: 'G5',
  title: 'no call waits longer than `maxTotalWaitMs` for limits in sum',
  *check({ entries, schedule }) {
    const { maxTotalWaitMs, jitterMs } = schedule.client;
    if (maxTotalWaitMs === undefined) return;
    // A call that nothing but pauses has held up.
    const sent = new Set<unknown>();
    const started = new Map<number, number>();
    let pausedMs = 0;
    let pausedSince: number | undefined;
    let pauses = 0;
    const paused = (at: number) => pausedMs + (pausedSince === undefined ? 0 : at - pausedSince);
    for (const entry of entries) {
      if (entry.what === 'pause') {
        pausedSince = entry.at;
        pauses++;
      }
      if (entry.what === 'resume') {
        pausedMs = paused(entry.at);
        pausedSince = undefined;
      }
      if (entry.what === 'called') started.set(entry.call, paused(entry.at));
      if (entry.what !== 'sent' || typeof entry.by !== 'number') continue;
      const waitedMs = paused(entry.at) - (started.get(entry.by) ?? 0);
      // The first time it is sent, all pauses of its life have been waited out by it, the login's among them.
      if (!sent.has(entry.by) && waitedMs > 2 * maxTotalWaitMs + pauses * (jitterMs + 1000)) {
        yield { at: entry.at, seen: `call ${entry.by} waited ${waitedMs} ms` };
      }
      sent.add(entry.by);
    }
  },
};

const timeoutsBoundEveryTry: Invariant = {
  rule: 'G5',
  title: 'no request is on its way for longer than `timeoutMs`, and no call lasts longer than `totalTimeoutMs`',
  *check({ entries, schedule }) {
    const sent = new Map<number, number>();
    const called = new Map<number, number>();
    for (const entry of entries) {
      if (entry.what === 'called') called.set(entry.call, entry.at);
      if (entry.what === 'sent') sent.set(entry.exchange, entry.at);
      if (entry.what === 'settled') {
        const tookMs = entry.at - (called.get(entry.call) ?? 0);
        const mostMs = schedule.calls[entry.call]?.totalTimeoutMs ?? Number.POSITIVE_INFINITY;
        if (tookMs > mostMs + tolerance)
          yield { at: entry.at, seen: `call ${entry.call} took ${tookMs} ms of ${mostMs}` };
      }
      if (
        (entry.what !== 'answered' && entry.what !== 'failed' && entry.what !== 'cancelled') ||
        typeof entry.by !== 'number'
      )
        continue;
      const tookMs = entry.at - (sent.get(entry.exchange) ?? entry.at);
      const mostMs = schedule.calls[entry.by]?.timeoutMs ?? schedule.client.timeoutMs;
      if (tookMs > mostMs + tolerance)
        yield { at: entry.at, seen: `exchange ${entry.exchange} took ${tookMs} ms of ${mostMs}` };
    }
  },
};

const abortsEndAtOnce: Invariant = {
  rule: 'G4',
  title: 'an abort ends its call at once, and nothing more is sent for it',
  *check({ entries }) {
    const aborted = new Map<unknown, number>();
    const settled = new Set<number>();
    for (const entry of entries) {
      if (entry.what === 'settled') settled.add(entry.call);
      if (entry.what === 'aborted' && !settled.has(entry.call)) aborted.set(entry.call, entry.at);
      if (entry.what === 'settled') {
        const at = aborted.get(entry.call);
        if (at !== undefined && entry.at > at)
          yield { at: entry.at, seen: `call ${entry.call} ended ${entry.at - at} ms after its abort` };
      }
      if (entry.what === 'sent' && aborted.has(entry.by))
        yield { at: entry.at, seen: `call ${entry.by} was sent after its abort` };
    }
  },
};

export const callInvariants: readonly Invariant[] = [
  unsafeCallsTakeEffectOnce,
  successesTookEffect,
  bodiesArriveWhole,
  failuresOfUnsafeCallsAreReported,
  denialsAreFinal,
  callsEndForAReason,
  sumsOfWaitsAreBounded,
  timeoutsBoundEveryTry,
  abortsEndAtOnce,
];
