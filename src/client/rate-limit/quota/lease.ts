import { grant, grantSliding } from './grant.js';
import type { Lease, LeaseRequest, SharedWindow } from './shared-window.js';
import { countSince, cycleOf, forget, note, sliceOf, takeBack } from './slices.js';

const unknown: SharedWindow = {
  ...{ window: 0, limit: 0, windowMs: 0, opensAt: 0, endsAt: 0, closed: 0, slides: 0, announced: 0, learning: 0 },
  ...{ out: 0, askers: 0, before: 0, probing: 0, tail: 1, head: 1, due: 0, lineAt: 0, slices: [] },
};

/**
 * The rules of the shared quota (rule G10): what is stored, one request and the time make what is stored next and the
 * answer. The redis state has the same rules in Lua (src/integrations/redis/lease-script.ts); a test holds them equal.
 */
export function lease(stored: SharedWindow | undefined, request: LeaseRequest, now: number): [SharedWindow, Lease] {
  // A clock that was set back: what was known belongs to another time.
  const known = stored === undefined || stored.opensAt > now ? unknown : stored;
  const shared = { ...known, slices: [...known.slices] };
  if (request.announced > 0) announce(shared, request, now);
  if (request.learned > 0 || (request.window === 0 && request.limitedMs > 0)) learn(shared, request, now);
  else settle(shared, request, now);
  const slackMs = Math.min(100, shared.windowMs / 50); // reports take their time
  if (shared.window > 0 && now >= shared.endsAt - slackMs) open(shared, now);
  forget(shared, now);
  const { window, limit, windowMs } = shared;
  const endsInMs = Math.max(0, shared.endsAt - now);
  const none = { window, limit, windowMs, endsInMs, granted: 0, probe: 0, ticket: 0, startsInMs: 0, waitMs: endsInMs };
  if (limit === 0 || shared.closed === 1 || request.want === 0) return [shared, none];
  const isFirst = request.window !== window;
  const asked = isFirst ? { ...request, probed: 0 } : request;
  if (isFirst) shared.askers++;
  const granted = shared.slides === 1 ? grantSliding(shared, asked, now) : grant(shared, asked, now, isFirst);
  return [shared, { ...none, ...granted }];
}

/** The announced quota replaces what was known. It may be of any kind of window, so it is treated as sliding. */
function announce(shared: SharedWindow, { announced, announcedMs }: LeaseRequest, now: number): void {
  if (shared.announced === announced && shared.windowMs === announcedMs) return;
  const { before, askers, tail, head, slices } = shared;
  const known = { limit: announced, windowMs: announcedMs, slides: 1, announced, before: Math.max(before, askers) };
  const window = shared.window + 1;
  const times = { window, learning: window, opensAt: now, endsAt: now + announcedMs };
  Object.assign(shared, unknown, known, times, { tail, head, slices });
}

/** The first limit: what all processes have got through until then is the quota. */
function learn(shared: SharedWindow, { learned, learnedMs, limitedMs }: LeaseRequest, now: number): void {
  if (shared.limit === 0 && shared.closed === 0) {
    shared.window++;
    shared.learning = shared.window;
    shared.opensAt = now;
    shared.windowMs = 0;
    shared.askers = 0;
  }
  const isCounting = shared.announced === 0 && shared.learning === shared.window;
  if (isCounting) {
    shared.limit += learned;
    shared.windowMs = Math.max(shared.windowMs, Math.ceil(learnedMs));
    shared.askers++;
  }
  if (isCounting || shared.announced > 0) note(shared, learned, now);
  if (limitedMs > 0) close(shared, limitedMs, now);
}

/** What has become of the permits of a window. */
function settle(shared: SharedWindow, { window, returned, probed, limitedMs }: LeaseRequest, now: number): void {
  if (window === shared.window || shared.slides === 1) {
    shared.out = Math.max(0, shared.out - returned);
    takeBack(shared, returned, now);
  }
  const { slides, limit, windowMs } = shared;
  // A probe found room: one more, or what is certainly in the window. After a limit: no more than may be in it.
  if (slides === 1 && probed > 0) shared.limit = Math.max(limit + 1, countSince(shared, now - windowMs, now));
  if (limitedMs === 0) return;
  // Not at first: what was sent before the quota was known is not counted.
  if (slides === 1 && shared.window > shared.learning + 1)
    shared.limit = Math.max(1, Math.min(limit, countSince(shared, now - cycleOf(shared), now)));
  close(shared, limitedMs, now);
}

function close(shared: SharedWindow, limitedMs: number, now: number): void {
  const { closed, endsAt, opensAt, windowMs, learning, window, limit, out } = shared;
  const end = now + Math.ceil(limitedMs);
  shared.endsAt = closed === 1 ? Math.max(endsAt, end) : end;
  shared.closed = 1;
  // Far too early for the end of a window: it slides, if permits of the one before explain that.
  if (learning === window || end > opensAt + 0.75 * windowMs) return;
  if (countSince(shared, end - windowMs - sliceOf(shared)) - out >= limit / 4) shared.slides = 1;
}

/** The time of the window is over: the next one begins, with what this one has taught. */
function open(shared: SharedWindow, now: number): void {
  const { limit, windowMs, opensAt, endsAt, slides, closed, probing } = shared;
  const out = shared.out - (closed === 0 ? probing : 0); // nobody has told what came of the probe
  shared.closed = 0;
  if (slides === 1 && now < opensAt + windowMs) {
    shared.endsAt = opensAt + windowMs;
    return;
  }
  const wasLimited = closed === 1 && shared.learning !== shared.window;
  const measuredMs = endsAt - opensAt;
  if (slides === 0 && ((wasLimited && measuredMs > windowMs / 2) || out > limit)) {
    // Believed in steps: another client may have left more than usual, and late requests may have met the next window.
    shared.limit = Math.max(Math.ceil(limit / 2), Math.min(out, limit + 1 + Math.floor(limit / 16)));
    if (wasLimited && measuredMs > windowMs) shared.windowMs = measuredMs;
  }
  if (shared.limit === 0) shared.learning = 0;
  shared.window++;
  shared.opensAt = now;
  shared.endsAt = now + shared.windowMs;
  shared.out = 0;
  shared.probing = 0;
  shared.before = Math.max(1, shared.askers);
  shared.askers = 0;
  const head = Math.min(shared.tail, shared.head + shared.limit);
  shared.due = head - shared.head;
  shared.head = head;
}
