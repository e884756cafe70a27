import type { Schedule } from '../schedule.js';
import { isShared } from '../tags.js';
import type { Entry, EntryOf, Trace } from '../trace.js';
import { slowestMs } from './calm.js';
import { type Finding, type Invariant, tolerance } from './invariant.js';
import { sharesGates } from './views.js';

type Limit = EntryOf<'answered'> & { asked: NonNullable<EntryOf<'answered'>['asked']> };

const isLimit = (entry: Entry): entry is Limit => entry.what === 'answered' && entry.asked !== undefined;
/** Whether it shows that the limit is over: an answer that is none, even one that was cut off. A 401 says nothing about limits. */
function passes(entry: Entry): boolean {
  if (entry.what !== 'answered' && entry.what !== 'failed') return false;
  return entry.status !== undefined && entry.status !== 401 && !isLimit(entry);
}

const name = (by: unknown) => (typeof by === 'number' ? `call ${by}` : String(by));
const ruleOf = { seconds: 'W7', date: 'W5', fallback: 'W6' } as const;

/** Which rule a request broke that went out before a limit had ended: the one about how its wait was read, or G2. */
const waitsAreNeverShortened: Invariant = {
  rule: 'W7',
  view: 'limit',
  title: 'no request goes out before the latest limit met so far has ended',
  *check({ entries, schedule }) {
    // Processes tell each other by dates, which are whole milliseconds.
    const slackMs = schedule.fleet?.clocks === 'each' ? 1 : tolerance;
    const limits: Limit[] = [];
    for (const entry of entries) {
      if (isLimit(entry)) limits.push(entry);
      if (entry.what !== 'sent') continue;
      const longest = limits.reduce<Limit | undefined>(
        (a, b) => (a === undefined || ends(b) > ends(a) ? b : a),
        undefined,
      );
      if (longest === undefined || entry.at >= ends(longest) - slackMs) continue;
      const shortened = limits.indexOf(longest) < limits.length - 1;
      yield {
        rule: shortened ? 'G2' : ruleOf[longest.asked.source],
        at: entry.at,
        seen: `${name(entry.by)} was sent ${ends(longest) - entry.at} ms too early: exchange ${longest.exchange} was limited at ${longest.at} for ${longest.asked.waitMs} ms (${longest.asked.source})`,
      };
    }
  },
};

function ends(limit: Limit): number {
  return limit.at + limit.asked.waitMs;
}

const nothingIsSentDuringAPause: Invariant = {
  rule: 'G1',
  view: 'gate',
  title: 'no request and no login is sent between pause and resume',
  *check({ entries }) {
    let pausedBy: number | undefined;
    for (const entry of entries) {
      if (entry.what === 'pause') pausedBy = entry.at;
      if (entry.what === 'resume') pausedBy = undefined;
      // A clean-up only has to wait for the limit itself, not for jitter and floor: that is watched above.
      if (entry.what === 'sent' && entry.by !== 'cleanup' && pausedBy !== undefined) {
        yield { at: entry.at, seen: `${name(entry.by)} was sent in the pause that began at ${pausedBy}` };
      }
    }
  },
};

const everyLimitPauses: Invariant = {
  rule: 'G1',
  view: 'gate',
  title: 'a limit that reaches the client pauses it, and nothing else does',
  *check({ entries, schedule }) {
    const mayBeTold = isShared(schedule);
    let paused = false;
    let closing = false;
    let limit: Limit | undefined;
    for (const entry of entries) {
      if (entry.what === 'closing') closing = true;
      if (limit !== undefined && (entry.at > limit.at + tolerance || entry.what === 'sent')) {
        if (!paused && !closing)
          yield { at: limit.at, seen: `no pause followed the limit of exchange ${limit.exchange}` };
        limit = undefined;
      }
      if (entry.what === 'pause') {
        if (limit === undefined && !mayBeTold)
          yield { at: entry.at, seen: 'a pause began although no limit had been met' };
        if (paused) yield { rule: 'G6', at: entry.at, seen: 'a second pause event in one pause' };
        paused = true;
        limit = undefined;
      }
      if (entry.what === 'resume') {
        if (!paused) yield { rule: 'G6', at: entry.at, seen: 'a resume event without a pause' };
        paused = false;
      }
      if (isLimit(entry) && !paused) limit = entry;
    }
  },
};

const pausesTellTheirWait: Invariant = {
  rule: 'G6',
  view: 'gate',
  title: 'a pause event says how long the connector asked to wait, and where that is from',
  *check({ entries, schedule }) {
    // A pause that another client has told of has the wait that is left.
    if (isShared(schedule)) return;
    let limit: Limit | undefined;
    for (const entry of entries) {
      if (isLimit(entry)) limit = entry;
      if (entry.what !== 'pause' || limit === undefined) continue;
      const source = limit.asked.source === 'fallback' ? 'fallback' : 'header';
      if (entry.source !== source)
        yield { rule: 'W6', at: entry.at, seen: `source ${entry.source} instead of ${source}` };
      const tooShort = entry.waitMs < limit.asked.waitMs - tolerance;
      if (tooShort || (source === 'header' && entry.waitMs !== limit.asked.waitMs)) {
        const rule = tooShort ? ruleOf[limit.asked.source] : 'G6';
        yield {
          rule,
          at: entry.at,
          seen: `waitMs ${entry.waitMs} instead of ${limit.asked.waitMs} (${limit.asked.source})`,
        };
      }
      // A Date holds whole milliseconds.
      const latest = Math.min(limit.at + limit.asked.waitMs, entry.at + 8e14);
      if (entry.resumeAtMs < latest - 1)
        yield { at: entry.at, seen: `resumeAt ${latest - entry.resumeAtMs} ms too early` };
    }
  },
};

const fallbacksDouble: Invariant = {
  rule: 'W6',
  view: 'gate',
  title: 'waits of the client’s own choosing double until a request gets through',
  *check({ entries, schedule }) {
    let epoch = 0;
    const epochs = new Map<number, number>();
    let limit: Limit | undefined;
    let last: number | undefined;
    for (const entry of entries) {
      if (entry.what === 'sent') epochs.set(entry.exchange, epoch);
      // A 401 says nothing about limits, and neither does a request that fails.
      if (passes(entry)) last = undefined;
      if (isLimit(entry)) limit = entry;
      if (entry.what !== 'pause') continue;
      const repeated = limit !== undefined && epochs.get(limit.exchange) === epoch;
      epoch++;
      if (entry.source !== 'fallback') continue;
      const least =
        last === undefined || !repeated ? 0 : Math.min(last * 2, Math.max(schedule.client.fallbackWaitMs, 900_000));
      if (entry.waitMs < least) yield { at: entry.at, seen: `${entry.waitMs} ms after ${last} ms` };
      last = entry.waitMs;
    }
  },
};

/** Late answers to what was sent before a pause say nothing new: they do not count as one more refusal in a row. */
const nobodyHammers: Invariant = {
  rule: 'W5',
  view: 'gate',
  title: 'a connector that says "now" and goes on refusing is asked at most every 10, 20, 40 … ms',
  *check({ entries }) {
    let epoch = 0;
    const epochs = new Map<number, number>();
    let refusals = 0;
    let last = 0;
    let isClosing = false;
    for (const entry of entries) {
      if (entry.what === 'pause') epoch++;
      if (passes(entry)) refusals = 0;
      if (isLimit(entry) && epochs.get(entry.exchange) === epoch) {
        refusals++;
        last = entry.at;
      }
      if (entry.what === 'closing') isClosing = true;
      // A client that closes reports no pause, and a late answer may begin one, too.
      if (isClosing && isLimit(entry)) epoch++;
      if (entry.what !== 'sent') continue;
      epochs.set(entry.exchange, epoch);
      const least = refusals < 2 ? 0 : Math.min(10 * 2 ** (refusals - 2), 1000);
      if (entry.at - last < least - tolerance) {
        yield { at: entry.at, seen: `sent ${entry.at - last} ms after refusal ${refusals} in a row` };
      }
    }
  },
};

/** After a pause at most one request more is on its way than have come back without a limit. */
const releaseIsStaggered: Invariant = {
  rule: 'G3',
  view: 'shared gate',
  title:
    'after a pause one request goes first, and each that gets through lets two more follow, or all where the quota is known',
  *check({ entries, schedule }) {
    let allowed = Number.POSITIVE_INFINITY;
    let flying = new Set<number>();
    let quotaIsKnown = false;
    const atOnce = schedule.client.concurrency * (sharesGates(schedule) ? (schedule.fleet?.size ?? 1) : 1);
    for (const entry of entries) {
      if (entry.what === 'quota') quotaIsKnown = entry.quota !== undefined;
      if (entry.what === 'resume') {
        allowed = 1;
        flying = new Set();
      }
      if (entry.what === 'sent' && entry.by !== 'cleanup') {
        flying.add(entry.exchange);
        if (flying.size > allowed) yield { at: entry.at, seen: `${flying.size} on their way, ${allowed} allowed` };
      }
      if (entry.what !== 'answered' && entry.what !== 'failed' && entry.what !== 'cancelled') continue;
      if (flying.delete(entry.exchange) && passes(entry))
        allowed = quotaIsKnown || allowed >= atOnce ? Number.POSITIVE_INFINITY : allowed + 1;
    }
  },
};

const concurrencyIsKept: Invariant = {
  rule: 'G1',
  view: 'gate',
  title: 'no more requests are on their way than `concurrency` allows, logins apart',
  *check({ entries, schedule }) {
    const flying = new Set<number>();
    for (const entry of entries) {
      if (entry.what === 'sent' && typeof entry.by === 'number') flying.add(entry.exchange);
      if (entry.what === 'answered' || entry.what === 'failed' || entry.what === 'cancelled')
        flying.delete(entry.exchange);
      if (flying.size > schedule.client.concurrency) yield { at: entry.at, seen: `${flying.size} on their way` };
    }
  },
};

/** A limit ends when it says, give or take jitter and the floor of repeated refusals: nobody waits for nothing. */
const pausesEnd: Invariant = {
  rule: 'G2',
  view: 'gate',
  title: 'a pause lasts until the latest limit has ended, and not longer than jitter and floor explain',
  *check({ entries, schedule }: Trace): Iterable<Finding> {
    if (isShared(schedule)) return;
    let epoch = 0;
    const epochs = new Map<number, number>();
    let until = 0;
    let refusals = 0;
    for (const entry of entries) {
      if (entry.what === 'sent') epochs.set(entry.exchange, epoch);
      if (isLimit(entry)) {
        const wait = entry.asked.source === 'fallback' ? Number.POSITIVE_INFINITY : entry.asked.waitMs;
        until = Math.max(until, entry.at + Math.max(wait, Math.min(10 * 2 ** refusals, 1000)));
      } else if (entry.what === 'pause') {
        refusals++;
        epoch++;
      } else if (passes(entry)) {
        // Late answers to what was sent before the pause say nothing about it.
        if ('exchange' in entry && epochs.get(entry.exchange) === epoch) refusals = 0;
      } else if (entry.what === 'resume') {
        if (entry.at > until + schedule.client.jitterMs + tolerance) {
          yield { at: entry.at, seen: `resumed ${entry.at - until} ms late` };
        }
        until = 0;
      }
    }
  },
};

/**
 * How long the gate may be open and nothing go out: what is known of a quota holds back for a minute at most, and no other delay of a
 * schedule is longer than two seconds.
 */
const longestSilenceMs = 62_000;

const nobodyWaitsForNothing: Invariant = {
  rule: 'G9',
  view: 'gate',
  title: 'while calls wait and the gate is open, something is on its way or goes out before long',
  *check({ entries }) {
    const waiting = new Set<number>();
    const flying = new Set<number>();
    let paused = false;
    let quietSince: number | undefined;
    for (const entry of entries) {
      if (quietSince !== undefined && entry.at - quietSince > longestSilenceMs) {
        yield {
          at: entry.at,
          seen: `nothing was sent for ${entry.at - quietSince} ms, although ${waiting.size} calls waited`,
        };
      }
      if (entry.what === 'called') waiting.add(entry.call);
      if (entry.what === 'settled') waiting.delete(entry.call);
      if (entry.what === 'sent') flying.add(entry.exchange);
      if (entry.what === 'answered' || entry.what === 'failed' || entry.what === 'cancelled')
        flying.delete(entry.exchange);
      if (entry.what === 'pause') paused = true;
      if (entry.what === 'resume') paused = false;
      const isQuiet = waiting.size > 0 && flying.size === 0 && !paused;
      quietSince = isQuiet ? (quietSince ?? entry.at) : undefined;
    }
  },
};

/** Nothing but an unchanging quota and answers well within its window, so that what was learned is right and stays so. */
function isSteady(schedule: Schedule): boolean {
  if (isShared(schedule)) return false;
  const { client, connector, commands } = schedule;
  const { quota, session, logins, faults, waits, limitsLogins } = connector;
  return (
    client.pacing === 'auto' &&
    quota?.type === 'fixed' &&
    8 * slowestMs(connector) < quota.windowMs &&
    connector.announces === undefined &&
    !limitsLogins &&
    session.ttlMs === undefined &&
    session.maxRequests === undefined &&
    session.refusedForMs === 0 &&
    waits.every((style) => style === 'exact') &&
    commands.length === 0 &&
    [...logins.map(({ type }) => type === 'ok'), ...faults.map(({ type }) => type === 'none')].every(Boolean)
  );
}

const learnedQuotasCostOneRefusal: Invariant = {
  rule: 'pacing',
  view: 'gate',
  title: 'once a quota is learned, a window costs at most one refused request',
  *check({ entries, schedule }) {
    if (!isSteady(schedule)) return;
    const limit = schedule.connector.quota?.limit;
    let isLearned = false;
    let wasLearned = false;
    let epoch = 0;
    let refused = 0;
    const epochs = new Map<number, number>();
    for (const entry of entries) {
      if (entry.what === 'quota') isLearned = entry.quota?.limit === limit;
      if (entry.what === 'resume') {
        epoch++;
        refused = 0;
        wasLearned = true;
      }
      // What was learned of a window is told when it opens: a quota that is told later was not known to all of it.
      if (entry.what === 'quota' && !isLearned) wasLearned = false;
      if (entry.what === 'sent') epochs.set(entry.exchange, isLearned && wasLearned ? epoch : -1);
      if (isLimit(entry) && epochs.get(entry.exchange) === epoch && ++refused > 1) {
        yield { at: entry.at, seen: `${refused} refused in a window, although the quota of ${limit} was known` };
      }
    }
  },
};

export const gateInvariants: readonly Invariant[] = [
  waitsAreNeverShortened,
  nothingIsSentDuringAPause,
  everyLimitPauses,
  pausesTellTheirWait,
  fallbacksDouble,
  nobodyHammers,
  releaseIsStaggered,
  concurrencyIsKept,
  pausesEnd,
  nobodyWaitsForNothing,
  learnedQuotasCostOneRefusal,
];
