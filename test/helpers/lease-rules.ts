import type { Lease, LeaseRequest } from 'concordat/client';
import { opensLateMs } from '../../src/client/rate-limit/quota/lease.js';

/** What is stored of a quota that many processes share. Times are on the clock of the state. */
export interface SharedQuota {
  /** When it was last asked. */
  at: number;
  /** Counts the windows, and never goes back; 0 before the first limit. */
  window: number;
  limit: number;
  windowMs: number;
  opensAt: number;
  endsAt: number;
  /** 1 if the window began where a limit ended, which is where the connector's begins. */
  aligned: number;
  /** 1 once a limit has ended the window, 2 once limits say that it slides. */
  closed: number;
  /** 1 once a limit has moved it: it teaches nothing. */
  moved: number;
  /** How many windows in a row were moved. */
  moves: number;
  /** 1 if a limit has shown in the last window that the quota was right. */
  settled: number;
  /** How many permits are out in this window. */
  out: number;
  /** When permits were last granted in it. */
  grantedAt: number;
  /** How many processes have asked in this window, and in the one before. */
  askers: number;
  before: number;
  /** Places in line: the next to give, the first whose turn has not come, and those due that have not asked yet. */
  tail: number;
  head: number;
  due: number;
}

const unknown: SharedQuota = {
  ...{ at: 0, window: 0, limit: 0, windowMs: 0, opensAt: 0, endsAt: 0, aligned: 1, closed: 0, moved: 0, moves: 0 },
  ...{ settled: 0, out: 0, grantedAt: 0, askers: 0, before: 1, tail: 1, head: 1, due: 0 },
};

/**
 * The rules of the shared quota (rule G10): what is stored, one request and the time make what is stored next, and the
 * answer. Models of the Redis state run this; Redis itself runs the same rules in Lua
 * (src/integrations/redis/lease-script.ts), and a test holds them equal.
 */
export function lease(stored: SharedQuota | undefined, request: LeaseRequest, now: number): [SharedQuota, Lease] {
  // A clock that was set back: what was known belongs to another time.
  const known = stored === undefined || now < stored.at - 1000 ? unknown : stored;
  const shared = { ...known, at: now };
  const lost = request.window > shared.window ? 1 : 0;
  tell(shared, request, now);
  const slackMs = Math.min(100, shared.windowMs / 50); // what is told takes its time
  if (isKnown(shared) && now >= shared.endsAt - slackMs) open(shared, now);
  const { limit, windowMs, opensAt, endsAt, closed } = shared;
  const window = isKnown(shared) ? shared.window : 0;
  const startsInMs = Math.max(0, opensAt - now);
  const endsInMs = Math.max(0, endsAt - now);
  const permits = { granted: 0, probe: 0, startsInMs, endsInMs, waitMs: endsInMs, ticket: 0 };
  const nothing = { window, limit, windowMs, ...permits, lost };
  if (limit === 0 || closed > 0 || request.want === 0) return [shared, nothing];
  return [shared, { ...nothing, ...grant(shared, request, now) }];
}

/** What has become of the permits of a window. Before the quota is known: what passed until the first limit. */
function tell(shared: SharedQuota, { window, unused, limitedMs, windowMs }: LeaseRequest, now: number): void {
  if (window === 0 && limitedMs > 0) {
    if (shared.limit === 0 && now >= shared.endsAt) forget(shared, now);
    if (!isKnown(shared)) Object.assign(shared, { window: shared.window + 1, opensAt: now, endsAt: now, closed: 1 });
    // For a whole window nobody has asked: the state was away, and this window teaches nothing.
    const isStale = shared.limit > 0 && now >= shared.endsAt + shared.windowMs;
    if (isStale) Object.assign(shared, { endsAt: now, aligned: 0, closed: 1, moved: 0, out: shared.limit });
    shared.out -= unused;
    if (shared.limit === 0) {
      shared.windowMs = Math.max(shared.windowMs, windowMs);
      shared.askers++;
    }
  } else if (window === shared.window) {
    shared.out = Math.max(0, shared.out - unused);
  }
  if (isKnown(shared) && limitedMs > 0) close(shared, now + limitedMs, now);
}

/** Whether there is a quota, or a limit that will teach one. */
function isKnown({ limit, closed }: SharedQuota): boolean {
  return limit > 0 || closed > 0;
}

/** The next limit teaches the quota anew. */
function forget(shared: SharedQuota, now: number): void {
  const { window, tail, head } = shared;
  Object.assign(shared, unknown, { at: now, window, tail, head });
}

/** Two windows in a row may begin at other times than expected; after that, what is known must be wrong. */
const mostMoves = 2;

/** A limit that lasts until about the end of the window has ended it. */
function close(shared: SharedQuota, end: number, now: number): void {
  const { closed, moved, moves, limit, out, opensAt, endsAt, windowMs, grantedAt } = shared;
  if (closed > 0) {
    shared.endsAt = Math.max(endsAt, end);
  } else if (end >= opensAt + 0.75 * windowMs) {
    // One that slides has room for all when it has for the last: where it was moved to.
    Object.assign(shared, { closed: 1, endsAt: moved === 1 ? Math.max(endsAt, end) : end });
  } else if (out > 1.5 * limit || (moved === 0 && moves >= mostMoves)) {
    forget(shared, now); // so much does not fit into one window, or so many do not begin elsewhere: they are shorter
  } else if (moved === 1) {
    // It slides, and one request has room at a time: nobody sends until all have.
    Object.assign(shared, { closed: 2, endsAt: Math.max(end, grantedAt + windowMs) });
  } else {
    // The connector's window began at another time, or slides: this one begins where the limit ends.
    const begin = Math.max(opensAt, end);
    Object.assign(shared, { opensAt: begin, endsAt: begin + windowMs, moved: 1, moves: moves + 1 });
  }
}

/** The window is over: the next one begins, with what this one has taught. */
function open(shared: SharedQuota, now: number): void {
  const { window, limit, opensAt, endsAt, aligned, closed, moved, settled, out, askers, tail, head } = shared;
  // What got through is the quota, unless the window was moved. Late requests may have met the next one, so one window
  // halves it at most. One that began by itself may lie across two of the connector's: it does not raise the quota. Nor
  // does the first one after it was right: probes also take the place of permits that a killed process has not used.
  const least = closed > 0 ? Math.ceil(limit / 2) : limit;
  const most = settled === 1 || (closed > 0 && aligned === 0) ? limit : out;
  const next = moved === 1 ? limit : Math.max(least, Math.min(out, most));
  if (next === 0 || shared.windowMs === 0) {
    forget(shared, now);
    return;
  }
  if (closed === 1 && aligned === 1 && moved === 0 && limit > 0) shared.windowMs = endsAt - opensAt;
  const nextHead = Math.min(tail, head + next);
  // All begin together, a little late: a window that slides has room when the requests of the last one are that old.
  const begin = now + opensLateMs(shared.windowMs);
  Object.assign(shared, {
    ...{
      window: window + 1,
      limit: next,
      opensAt: begin,
      endsAt: begin + shared.windowMs,
      aligned: closed === 1 ? 1 : 0,
    },
    ...{ closed: 0, moved: 0, moves: moved === 1 ? shared.moves : 0 },
    ...{ settled: closed === 1 && moved === 0 && out <= limit ? 1 : 0 },
    ...{ out: 0, grantedAt: begin, before: Math.max(1, askers), askers: 0, head: nextHead, due: nextHead - head },
  });
}

/** A share for each process of the last window; then half of what is left, and so on; then one probe at a time. */
function grant(shared: SharedQuota, request: LeaseRequest, now: number): Partial<Lease> {
  const { limit, windowMs, opensAt, endsAt, before, head } = shared;
  const { window, want, ticket, probed } = request;
  const isFirst = window !== shared.window;
  const isDue = ticket > 0 && ticket < head;
  if (isDue && shared.due > 0) shared.due--;
  if (now > opensAt + windowMs / 4) shared.due = 0; // whoever has not come is gone
  const free = Math.max(0, limit - shared.out - shared.due);
  const share = Math.ceil(free / (isFirst ? Math.max(1, before - shared.askers) : 2));
  if (isFirst) shared.askers++;
  const restMs = endsAt - now;
  const soonMs = Math.min(10_000, Math.ceil(windowMs / 8));
  const isProbe = shared.out >= limit && ((probed === 1 && !isFirst) || now >= shared.grantedAt + soonMs);
  const granted = isProbe ? 1 : Math.min(want, share);
  if (granted > 0) {
    shared.out += granted;
    shared.grantedAt = now;
    // Whoever took the last one probes soon; whoever wants more comes when others have had time to take theirs.
    const laterMs = shared.out >= limit ? soonMs : shared.askers >= before ? 0 : 2 * soonMs;
    return { granted, probe: isProbe ? 1 : 0, waitMs: isProbe ? 0 : Math.min(restMs, laterMs) };
  }
  const isInLine = ticket > 0 && ticket < shared.tail;
  return { ticket: isInLine ? ticket : shared.tail++, waitMs: Math.min(restMs, 2 * soonMs) };
}
