import type { Schedule } from '../schedule.js';
import type { Entry, EntryOf, Trace } from '../trace.js';
import { type Invariant, tolerance } from './invariant.js';

const ended = (entry: Entry): entry is EntryOf<'answered'> | EntryOf<'failed'> | EntryOf<'cancelled'> =>
  entry.what === 'answered' || entry.what === 'failed' || entry.what === 'cancelled';
const refusals = new Set([400, 401, 403]);

/** A login that was refused for good: no limit, and no failure in passing. */
function isRefusal(entry: Entry): entry is EntryOf<'answered'> {
  return entry.what === 'answered' && entry.by === 'login' && entry.asked === undefined && refusals.has(entry.status);
}

/** The time for a socket is part of a try's time, and is not seen here. */
export function mayQueue({ client, connector }: Schedule): boolean {
  return client.transport === 'dispatcher' && connector.queuesMs.some((queueMs) => queueMs > 0);
}

const oneLoginAtATime: Invariant = {
  rule: 'S3',
  view: 'state',
  title: 'at most one initialize is on its way',
  *check({ entries }) {
    let flying = 0;
    for (const entry of entries) {
      if (entry.what === 'sent' && entry.by === 'login' && ++flying > 1)
        yield { at: entry.at, seen: `${flying} on their way` };
      if (ended(entry) && entry.by === 'login') flying--;
    }
  },
};

const oneLoginPerExpiry: Invariant = {
  rule: 'S4',
  view: 'state',
  title: 'nobody logs in while the newest session has not been refused',
  *check({ entries }) {
    let newest: number | undefined;
    let refused = true;
    for (const entry of entries) {
      if (entry.what === 'session') {
        newest = entry.session;
        refused = false;
      }
      if (entry.what === 'answered' && entry.status === 401 && entry.session === newest) refused = true;
      if (entry.what === 'sent' && entry.by === 'login' && !refused) {
        yield { at: entry.at, seen: `a login although session ${newest} was never refused` };
      }
    }
  },
};

const requestsCarryTheNewestSession: Invariant = {
  rule: 'S4',
  view: 'client',
  title: 'every request carries the newest session there is',
  *check({ entries, schedule }) {
    // Whoever has been idle hears of a newer one by the 401 to its next request.
    if (schedule.fleet !== undefined) return;
    let newest: number | undefined;
    for (const entry of entries) {
      if (entry.what === 'session') newest = entry.session;
      if (entry.what === 'sent' && entry.by !== 'login' && entry.session !== newest) {
        yield {
          at: entry.at,
          seen: `call ${entry.by} was sent with session ${entry.session}, the newest is ${newest}`,
        };
      }
    }
  },
};

/** Whether a request got through with its session, also if the body of the response broke off. */
function letIn(entry: Entry): entry is EntryOf<'answered' | 'failed'> {
  return (entry.what === 'answered' || entry.what === 'failed') && entry.by !== 'login' && (entry.status ?? 600) < 300;
}

/** Between its waits and retries, a call sends three times because of 401s, and ten times more where others used up its session. */
const a401IsAVerdictInTheEnd: Invariant = {
  rule: 'S4',
  view: 'state',
  title:
    'a call without pauses and retries is refused at most three times by 401, sessions that worked before or come old from another client left aside',
  *check({ entries, schedule }) {
    if (entries.some(({ what }) => what === 'pause' || what === 'retry')) return;
    const worked = new Set<unknown>();
    const isOld = createIsOld(entries, schedule);
    const refused = new Map<unknown, { session: unknown; isOld: boolean; hadWorked: boolean }>();
    const met = new Map<unknown, { counted: unknown[]; overtaken: number }>();
    for (const entry of entries) {
      const by = entry.what === 'settled' ? entry.call : entry.what === 'sent' ? entry.by : undefined;
      // What the call knows is what happened until it goes on: the end of an answer comes after its beginning.
      if (by !== undefined && refused.has(by)) {
        const call = met.get(by) ?? { counted: [], overtaken: 0 };
        met.set(by, call);
        // Others have got through since with the session of one that counted, which the first always does.
        if (call.overtaken < 10) call.counted = call.counted.filter((one, at) => at === 0 || !worked.has(one));
        const last = refused.get(by);
        const hasWorked = worked.has(last?.session);
        const hasEnded = hasWorked || last?.isOld === true;
        // Others got through after it: it counted until then, and not as one of the ten.
        const isForgiven = hasWorked && !last?.hadWorked;
        if (call.counted.length > 0 && call.overtaken < 10 && hasEnded) call.overtaken += isForgiven ? 0 : 1;
        else if (call.counted.push(last?.session) === 4) yield { at: entry.at, seen: `call ${by} met its fourth 401` };
        refused.delete(by);
      }
      if (letIn(entry)) worked.add(entry.session);
      if (entry.what !== 'answered' || entry.by === 'login') continue;
      if (entry.status === 401) {
        const { session } = entry;
        refused.set(entry.by, { session, isOld: isOld(entry), hadWorked: worked.has(session) });
      }
    }
  },
};

/** Whether a request carried another client's session that was past its grace, or may have been: clocks of their own do not tell. */
function createIsOld(entries: readonly Entry[], { client, fleet }: Schedule) {
  const logins = new Map(entries.flatMap((entry) => (entry.what === 'session' ? [[entry.session, entry]] : [])));
  const sentAt = new Map(entries.flatMap((entry) => (entry.what === 'sent' ? [[entry.exchange, entry.at]] : [])));
  return ({ session, exchange, client: by }: EntryOf<'answered'>): boolean => {
    const login = logins.get(session as number);
    if (login === undefined || login.client === by) return false;
    return fleet?.clocks === 'each' || (sentAt.get(exchange) ?? 0) - login.at >= client.freshSessionGraceMs - tolerance;
  };
}

const refusedSessionsAreLeftAlone: Invariant = {
  rule: 'S4',
  view: 'state',
  title:
    'a session that was refused to a call is tried again by it after a second at the earliest, or when it worked for another',
  *check({ entries }) {
    const refused = new Map<string, number>();
    // Who was waiting for a probe goes on in the moment in which its caller goes away, or has to begin anew.
    const ends = new Set(
      entries.flatMap(({ what, at }) => (what === 'aborted' || what === 'settled' || what === 'retry' ? at : [])),
    );
    for (const entry of entries) {
      if (ends.has(entry.at)) refused.clear();
      // A probe that worked, or that could not be finished, lets the others try at once.
      if (entry.what === 'failed' || entry.what === 'cancelled') refused.clear();
      if (entry.what === 'answered' && entry.by !== 'login') {
        if (entry.status === 401) refused.set(`${entry.by} ${entry.session}`, entry.at);
        else refused.clear();
      }
      if (entry.what !== 'sent') continue;
      const at = refused.get(`${entry.by} ${entry.session}`);
      if (at !== undefined && entry.at - at < 1000 - tolerance) {
        yield { at: entry.at, seen: `call ${entry.by} tried session ${entry.session} again after ${entry.at - at} ms` };
      }
    }
  },
};

/** A call that was given up over a 401. */
interface Verdict {
  at: number;
  /** Where in the trace. */
  index: number;
  call: number;
  /** How many 401s it had met. */
  met: number;
  /** The session with which it met the last one, and whether anything had got through with that. */
  session: unknown;
  worked: boolean;
}

/** Calls whose body is a stream end like that, too, but for another reason. */
function verdictsIn({ entries, schedule, ofProcess = entries }: Trace): Verdict[] {
  const met = new Map<unknown, number>();
  const last = new Map<unknown, unknown>();
  return entries.flatMap((entry, index) => {
    if (entry.what === 'answered' && entry.status === 401) {
      met.set(entry.by, (met.get(entry.by) ?? 0) + 1);
      last.set(entry.by, entry.session);
    }
    if (entry.what !== 'settled' || entry.outcome.type !== 'rejected' || entry.outcome.kind !== 'unauthorized')
      return [];
    const { at, call } = entry;
    if (schedule.calls[call]?.body === 'stream') return [];
    const session = last.get(call);
    // Clients of one process and one state know that of each other.
    const before = ofProcess.slice(0, ofProcess.indexOf(entry));
    const worked = before.some((other) => letIn(other) && other.session === session);
    return { at, index, call, met: met.get(call) ?? 0, session, worked };
  });
}

const one401IsNoVerdict: Invariant = {
  rule: 'S4',
  // Whether a session was ever accepted, each process knows for itself.
  view: 'client',
  title:
    'a call that can be sent again is not given up after its first 401, unless that session was refused to others from the beginning',
  *check(trace) {
    const { loginCooldownMs } = trace.schedule.client;
    const verdicts = verdictsIn(trace);
    for (const { at, call, met, session, worked } of verdicts) {
      if (met > 1) continue;
      const coolsDown = verdicts.some(
        (other) => other.met > 1 && other.session === session && other.at <= at && at - other.at <= loginCooldownMs,
      );
      if (worked || !coolsDown) yield { at, seen: `call ${call} ended after ${met} of them` };
    }
  },
};

const shortSessionsLoseNothing: Invariant = {
  rule: 'S4',
  view: 'state',
  title:
    'where nothing but the number of its requests ends a session, each serves one at least, and all of these are successes, no call is refused',
  *check(trace) {
    const { connector, commands } = trace.schedule;
    const { maxRequests, ttlMs, refusedForMs, single } = connector.session;
    const isDenied = connector.faults.some(({ type }) => type === 'unauthorized');
    const isEnded = ttlMs !== undefined || refusedForMs > 0 || single || commands.some(({ type }) => type === 'expire');
    // What a session has served is known before the trial of it ends.
    const slowestMs = Math.max(...connector.latenciesMs) + Math.max(0, ...(connector.upstreamMs ?? []));
    if (maxRequests === undefined || isDenied || isEnded || slowestMs > 2500) return;
    // A session whose only requests were cut short, or ended in errors, looks like one that never worked.
    const firstLost = trace.entries.findIndex(
      (entry) =>
        entry.what === 'cancelled' ||
        entry.what === 'failed' ||
        (entry.what === 'answered' && entry.status >= 300 && entry.status !== 401),
    );
    for (const { at, index, call } of verdictsIn(trace)) {
      if (firstLost < 0 || index < firstLost) yield { at, seen: `call ${call} was refused` };
    }
  },
};

const fruitlessLoginsCoolDown: Invariant = {
  rule: 'S5',
  // Another client that has adopted the session may log in once more (rule S4).
  view: 'client',
  title:
    'after a verdict on the newest session, with which nothing ever got through, nobody logs in for two seconds, or `loginCooldownMs`',
  *check(trace) {
    const { entries, schedule } = trace;
    if (mayQueue(schedule) || entries.some(({ what }) => what === 'pause' || what === 'retry')) return;
    // A call that cannot be sent again ends its session for the calls after it, before there is a verdict.
    if (schedule.calls.some(({ body }) => body === 'stream')) return;
    const leastMs = Math.min(2000, schedule.client.loginCooldownMs);
    const judged = new Set<unknown>();
    for (const verdict of verdictsIn(trace)) {
      if (verdict.worked || judged.has(verdict.session)) continue;
      judged.add(verdict.session);
      // A verdict on a session that has been replaced says nothing about the newer one.
      const made = entries.slice(0, verdict.index).filter((entry) => entry.what === 'session');
      if (made.at(-1)?.session !== verdict.session) continue;
      for (const entry of entries.slice(verdict.index)) {
        // Something got through, or there is a newer session.
        if (entry.what === 'answered' && entry.by !== 'login' && entry.status < 300) break;
        if (entry.what === 'session') break;
        if (entry.what !== 'sent' || entry.by !== 'login' || entry.at - verdict.at >= leastMs - tolerance) continue;
        yield {
          at: entry.at,
          seen: `a login ${entry.at - verdict.at} ms after the verdict on session ${verdict.session}`,
        };
      }
    }
  },
};

const loginsCarryNoSession: Invariant = {
  rule: 'S5',
  title: 'initialize carries no session',
  *check({ entries }) {
    for (const entry of entries) {
      if (entry.what === 'sent' && entry.stray !== undefined)
        yield { at: entry.at, seen: `a login with ${entry.stray}` };
    }
  },
};

const refusedLoginsCoolDown: Invariant = {
  rule: 'S5',
  view: 'state',
  title: 'after a refused login nobody logs in for `loginCooldownMs`',
  *check({ entries, schedule }) {
    let refusedAt: number | undefined;
    for (const entry of entries) {
      if (isRefusal(entry)) refusedAt = entry.at;
      if (entry.what !== 'sent' || entry.by !== 'login' || refusedAt === undefined) continue;
      const afterMs = entry.at - refusedAt;
      if (afterMs < schedule.client.loginCooldownMs - tolerance)
        yield { at: entry.at, seen: `a login after ${afterMs} ms` };
    }
  },
};

/** What a login may fail of: a refusal, nonsense, more failures in passing than retries, or its time being over. */
const loginsFailForAReason: Invariant = {
  rule: 'S5',
  view: 'state',
  title: 'a login that fails in passing is tried again: it only fails for a refusal, nonsense, used up retries or time',
  *check({ entries, schedule }) {
    const { retries, loginTimeoutMs } = schedule.client;
    if (mayQueue(schedule)) return;
    let failures = 0;
    let spentMs = 0;
    let sentAt = 0;
    let isFinal = false;
    let isOver = false;
    let justifiedAt = Number.NEGATIVE_INFINITY;
    for (const entry of entries) {
      if (entry.what === 'sent' && entry.by === 'login') {
        if (isOver) failures = spentMs = 0;
        sentAt = entry.at;
        isFinal = isOver = false;
      }
      if (entry.what === 'retry' && entry.by === 'login') spentMs += entry.delayMs;
      if (ended(entry) && entry.by === 'login') {
        spentMs += entry.at - sentAt;
        const isLimit = entry.what === 'answered' && entry.asked !== undefined;
        isFinal = entry.what === 'answered' && entry.status < 500 && !isLimit;
        if (!isFinal && !isLimit) failures++;
        if (isFinal) isOver = true;
      }
      if (entry.what !== 'settled' || entry.outcome.type !== 'rejected') continue;
      if (entry.outcome.name !== 'InitializeError') continue;
      isOver = true;
      const isJustified = isFinal || failures > retries || spentMs >= loginTimeoutMs - tolerance;
      if (isJustified) justifiedAt = entry.at;
      // Others who waited for the same login may end a moment later, when the next one has begun.
      if (justifiedAt === entry.at) continue;
      yield { at: entry.at, seen: `call ${entry.call} ended after ${failures} failures in ${spentMs} ms` };
    }
  },
};

const refusedLoginsAreFinal: Invariant = {
  rule: 'S5',
  view: 'state',
  title: 'whoever waits for a login that is refused ends at once',
  *check({ entries }) {
    let refusal: EntryOf<'answered'> | undefined;
    for (const entry of entries) {
      if (refusal !== undefined && entry.what === 'retry' && entry.by === 'login') {
        yield { at: entry.at, seen: `the login refused at ${refusal.at} is tried again` };
      }
      if (entry.what === 'sent' && entry.by === 'login') refusal = undefined;
      if (isRefusal(entry)) refusal = entry;
    }
  },
};

const loginsAreBounded: Invariant = {
  rule: 'S6',
  title: 'no login is on its way for longer than `initialize.timeoutMs`',
  *check({ entries, schedule }: Trace) {
    const sent = new Map<number, number>();
    for (const entry of entries) {
      if (entry.what === 'sent' && entry.by === 'login') sent.set(entry.exchange, entry.at);
      if (!ended(entry)) continue;
      const tookMs = entry.at - (sent.get(entry.exchange) ?? entry.at);
      if (tookMs > schedule.client.loginTimeoutMs + tolerance) yield { at: entry.at, seen: `it took ${tookMs} ms` };
      sent.delete(entry.exchange);
    }
    for (const [exchange, at] of sent) yield { at, seen: `exchange ${exchange} never ended` };
  },
};

const secretsStayInside: Invariant = {
  rule: 'S7',
  title: 'no session value is in an event or an error',
  *check({ entries }) {
    for (const entry of entries) if (entry.what === 'leak') yield { at: entry.at, seen: entry.text };
  },
};

export const sessionInvariants: readonly Invariant[] = [
  oneLoginAtATime,
  oneLoginPerExpiry,
  requestsCarryTheNewestSession,
  a401IsAVerdictInTheEnd,
  refusedSessionsAreLeftAlone,
  one401IsNoVerdict,
  shortSessionsLoseNothing,
  loginsCarryNoSession,
  refusedLoginsCoolDown,
  fruitlessLoginsCoolDown,
  loginsFailForAReason,
  refusedLoginsAreFinal,
  loginsAreBounded,
  secretsStayInside,
];
