import type { Schedule } from '../schedule.js';
import { entriesOf, type Trace } from '../trace.js';
import { isCalm, longestCallMs } from './calm.js';
import { type Finding, type Invariant, tolerance } from './invariant.js';
import { mayQueue } from './session.js';

const somethingWakesThem: Invariant = {
  rule: 'G9',
  title: 'while calls wait at an open gate, a request is on its way or a timer is due within a minute',
  *check(trace) {
    for (const { at, waiting, dueInMs } of entriesOf(trace, 'asleep')) {
      const due = dueInMs === undefined ? 'no timer was set' : `the next timer was due in ${dueInMs} ms`;
      yield { at, seen: `before this, ${waiting} calls waited, nothing was on its way, and ${due}` };
    }
  },
};

const quotasAreFinite: Invariant = {
  rule: 'G9',
  title: 'a quota that the client knows is finite, and 1 or more',
  *check(trace) {
    for (const { at, quota } of entriesOf(trace, 'quota')) {
      if (quota === undefined || (isCount(quota.limit) && isCount(quota.windowMs))) continue;
      yield { at, seen: `${quota.limit} requests in ${quota.windowMs} ms` };
    }
  },
};

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 1;

/** With nothing on its way, what is known of a quota holds calls back for a window of it, and for a minute at most. */
const longestHoldMs = 60_000;
/** What is told of a window is rounded, and may change by a tenth before it is told again. */
const untoldPart = 0.1;

interface GateSeen {
  waiting: Set<number>;
  flying: Set<number>;
  paused: boolean;
  holdMs: number;
  quietSince: number | undefined;
}

const openGatesLetSomebodyThrough: Invariant = {
  rule: 'G9',
  title:
    'while calls wait at an open gate and nothing is on its way, one goes at once, or within a window that is known',
  view: 'client',
  *check({ entries, schedule }: Trace): Iterable<Finding> {
    // Who waits for a socket, or for another client's login, waits for what is not seen here.
    if (!isCalm(schedule) || mayQueue(schedule) || schedule.fleet !== undefined) return;
    const otherwiseMs = mayEndSessions(schedule) ? freshSessionDelayMs : 0;
    const roundedMs = schedule.connector.announces === undefined ? 0 : 1000; // `t` is in whole seconds, rounded up
    const gates = new Map<string | undefined, GateSeen>();
    const logins = new Set<number>();
    let isClosing = false;
    let hasSession = false;
    for (const entry of entries) {
      const { scope } = entry;
      const gate = gates.get(scope) ?? newGate(otherwiseMs);
      gates.set(scope, gate);
      for (const seen of gates.values()) {
        if (seen.quietSince === undefined || isClosing) continue;
        const quietMs = entry.at - seen.quietSince;
        if (quietMs > seen.holdMs + tolerance) {
          yield {
            at: entry.at,
            seen: `nothing was sent for ${quietMs} ms, although ${seen.waiting.size} calls waited`,
          };
          seen.quietSince = undefined;
        }
      }
      if (entry.what === 'closing') isClosing = true;
      if (entry.what === 'session') hasSession = true;
      if (entry.what === 'called') gate.waiting.add(entry.call);
      if (entry.what === 'settled') gate.waiting.delete(entry.call);
      if (entry.what === 'sent') (entry.by === 'login' ? logins : gate.flying).add(entry.exchange);
      if (entry.what === 'answered' || entry.what === 'failed' || entry.what === 'cancelled') {
        gate.flying.delete(entry.exchange);
        logins.delete(entry.exchange);
      }
      if (entry.what === 'pause') gate.paused = true;
      if (entry.what === 'resume') gate.paused = false;
      if (entry.what === 'quota') gate.holdMs = Math.max(otherwiseMs, holdMs(entry.quota?.windowMs) + roundedMs);
      // A login may have to wait for another gate than those who wait for it.
      const mayGo = hasSession || [...gates.values()].every(({ paused }) => !paused);
      for (const seen of gates.values()) {
        const isQuiet = mayGo && seen.waiting.size > 0 && seen.flying.size + logins.size === 0 && !seen.paused;
        seen.quietSince = isQuiet ? (seen.quietSince ?? entry.at) : undefined;
      }
    }
  },
};

/** A fresh session that was refused is tried again after so long (rule S4). */
const freshSessionDelayMs = 1000;

function mayEndSessions({ connector, commands }: Schedule): boolean {
  return connector.session.ttlMs !== undefined || commands.some(({ type }) => type === 'expire');
}

function newGate(holdMs: number): GateSeen {
  return { waiting: new Set(), flying: new Set(), paused: false, holdMs, quietSince: undefined };
}

function holdMs(windowMs: number | undefined): number {
  return windowMs === undefined ? 0 : Math.min(longestHoldMs, windowMs * (1 + untoldPart) + 1);
}

const callsEndInTime: Invariant = {
  rule: 'G9',
  title: 'where nothing but a quota is in the way, every call ends within a few times the time that its windows take',
  *check({ entries, schedule }) {
    if (!isCalm(schedule)) return;
    const mostMs = longestCallMs(schedule);
    const called = new Map<number, number>();
    for (const entry of entries) {
      if (entry.what === 'called' && !called.has(entry.call)) called.set(entry.call, entry.at);
      if (entry.what !== 'settled') continue;
      const tookMs = entry.at - (called.get(entry.call) as number);
      if (tookMs > mostMs) yield { at: entry.at, seen: `call ${entry.call} took ${tookMs} ms, of ${mostMs}` };
    }
  },
};

const callsGetThrough: Invariant = {
  rule: 'G1',
  title: 'where nothing but a quota and ended sessions is in the way, every call gets through',
  *check({ entries, schedule }) {
    if (!isCalm(schedule)) return;
    const closed = new Set<number | undefined>();
    for (const entry of entries) {
      if (entry.what === 'closing') closed.add(entry.client);
      if (entry.what !== 'settled' || entry.outcome.type !== 'rejected') continue;
      const { kind, code, status, name } = entry.outcome;
      if (kind === 'rate-limit' && schedule.client.onLimit === 'reject') continue;
      if (code === 'CLIENT_CLOSED' && closed.has(entry.client)) continue;
      const rule = kind === 'unauthorized' || name === 'InitializeError' ? 'S4' : 'G1';
      yield {
        rule,
        at: entry.at,
        seen: `call ${entry.call} ended in ${[name, status, code].filter(Boolean).join(' ')}`,
      };
    }
  },
};

export const livenessInvariants: readonly Invariant[] = [
  somethingWakesThem,
  quotasAreFinite,
  openGatesLetSomebodyThrough,
  callsEndInTime,
  callsGetThrough,
];
