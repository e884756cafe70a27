import { entriesOf } from '../trace.js';
import type { Invariant } from './invariant.js';
import { mayQueue } from './session.js';

const everythingEnds: Invariant = {
  rule: 'S6',
  title: 'every call settles, and so does close()',
  *check(trace) {
    for (const { at, text } of entriesOf(trace, 'stuck')) yield { at, seen: text };
  },
};

const nothingIsLeft: Invariant = {
  rule: 'G4',
  title: 'no timer, no listener and no request is left behind',
  *check(trace) {
    for (const { at, when, timers, held, listeners, exchanges } of entriesOf(trace, 'left')) {
      if (held > 0) yield { at, seen: `${held} timers keep the process alive (${when})` };
      if (listeners > 0) yield { at, seen: `${listeners} listeners are still on the callers' signals (${when})` };
      if (exchanges > 0) yield { at, seen: `${exchanges} requests are still on their way (${when})` };
      if (timers > 0 && when === 'closed') yield { at, seen: `${timers} timers are still set (${when})` };
    }
  },
};

const closingEndsTraffic: Invariant = {
  rule: 'close',
  view: 'client',
  title: 'after close() nothing but the clean-up is sent, and every waiting call ends as closed',
  *check({ entries, schedule }) {
    let closing: number | undefined;
    const flying = new Set<unknown>();
    const waiting = new Map<number, number>();
    for (const entry of entries) {
      if (entry.what === 'closing') closing = entry.at;
      if (entry.what === 'called') waiting.set(entry.call, entry.at);
      if (entry.what === 'sent') flying.add(entry.by);
      if (entry.what === 'answered' || entry.what === 'failed' || entry.what === 'cancelled') {
        flying.delete(entry.by);
        if (waiting.has(entry.by as number)) waiting.set(entry.by as number, entry.at);
      }
      if (entry.what === 'settled') waiting.delete(entry.call);
      if (closing === undefined) continue;
      if (entry.what === 'sent' && entry.by !== 'cleanup')
        yield { at: entry.at, seen: `${entry.by} was sent after close()` };
      if (entry.what === 'closed' && waiting.size > 0)
        yield { at: entry.at, seen: `closed before the end of ${[...waiting.keys()]}` };
      // A request that waits for a socket ends when it gets one: it is not seen here until then.
      if (mayQueue(schedule)) continue;
      for (const [call, calledAt] of waiting) {
        if (flying.has(call) || entry.at <= Math.max(closing, calledAt)) continue;
        waiting.delete(call);
        yield { at: entry.at, seen: `call ${call} was neither on its way nor over after close() at ${closing}` };
      }
    }
  },
};

export const lifetimeInvariants: readonly Invariant[] = [everythingEnds, nothingIsLeft, closingEndsTraffic];
