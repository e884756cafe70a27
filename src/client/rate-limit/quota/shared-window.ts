/** What a process tells the state about its permits, and what it asks for. All numbers are finite; none is negative. */
export interface LeaseRequest {
  /** The window that the process last heard of; 0 for none. What it reports belongs to that window. */
  readonly window: number;
  /** How many permits it can use; 0 only reports. */
  readonly want: number;
  /** Its place in line from an earlier answer; 0 for none. */
  readonly ticket: number;
  /** How many of its permits were not used or were refused. */
  readonly returned: number;
  /** 1 if the probe that it was given has passed. */
  readonly probed: number;
  /** How long a limit still lasts, if it has met or heard of one; else 0. */
  readonly limitedMs: number;
  /** The first limit: how many requests passed before it, and how long their window is. */
  readonly learned: number;
  readonly learnedMs: number;
  /** A quota that the connector has announced; 0 for none. */
  readonly announced: number;
  readonly announcedMs: number;
}

/** The state's answer. */
export interface Lease {
  readonly window: number;
  /** The quota of all processes; 0 while none is known, and then nothing is leased. */
  readonly limit: number;
  readonly windowMs: number;
  /** How many requests this process may start in this window. */
  readonly granted: number;
  /** 1 if it may start one more, alone, to find out whether the quota has grown. */
  readonly probe: number;
  /** How long the permits are good for. */
  readonly endsInMs: number;
  /** How long it does not ask again. */
  readonly waitMs: number;
  /** Its place in line; 0 for none. */
  readonly ticket: number;
}

/** The book-keeping of one quota that many processes share. Times are on the clock of the state. */
export interface SharedWindow {
  /** Counts the windows; 0 before the first limit or announcement. */
  window: number;
  limit: number;
  windowMs: number;
  opensAt: number;
  endsAt: number;
  /** 1 once a limit has ended the window early. */
  closed: number;
  /** 1 for a window that slides, or for an announced quota, whose kind is unknown. */
  slides: number;
  /** 1 if the limit was announced: no probes. */
  announced: number;
  /** The window in which the limit was first met; 0 if there was none. */
  learning: number;
  /** 1 if the limit comes from the count of the window before. */
  counted: number;
  /** How many permits are out in this window, without those that were returned. */
  out: number;
  /** How many processes have asked in this window, and in the one before. */
  askers: number;
  before: number;
  /** 1 once somebody has the right to probe. */
  probing: number;
  /** Places in line: the next one to give, the first one whose turn has not come, and those due that have not asked. */
  tail: number;
  head: number;
  due: number;
  /** When the next process that found no room in a sliding window may ask. */
  slotAt: number;
  /** Permits by time: start of a slice of the window, number, and so on. */
  slices: number[];
}

/** So many slices has a sliding window: its permits come back that much late. */
const slicesInWindow = 64;

const unknown: SharedWindow = {
  ...{ window: 0, limit: 0, windowMs: 0, opensAt: 0, endsAt: 0, closed: 0, slides: 0, announced: 0, learning: 0 },
  ...{ counted: 0 },
  ...{ out: 0, askers: 0, before: 0, probing: 0, tail: 1, head: 1, due: 0, slotAt: 0, slices: [] },
};

/**
 * The rules of the shared quota (rule G10): what is stored, one request and the time make what is stored next and the
 * answer. The redis state has the same rules in Lua (src/integrations/redis/lease-script.ts); a test holds them equal.
 */
export function lease(stored: SharedWindow | undefined, request: LeaseRequest, now: number): [SharedWindow, Lease] {
  const shared = { ...(stored ?? unknown), slices: [...(stored ?? unknown).slices] };
  if (request.announced > 0) announce(shared, request, now);
  if (request.learned > 0 || (request.window === 0 && request.limitedMs > 0)) learn(shared, request, now);
  else settle(shared, request, now);
  const probed = request.window === shared.window ? request.probed : 0;
  const slackMs = Math.min(100, shared.windowMs / 50); // reports take their time
  if (shared.window > 0 && now >= shared.endsAt - slackMs) open(shared, now);
  const none = { granted: 0, probe: 0, ticket: 0, waitMs: Math.max(0, shared.endsAt - now) };
  let answer: Pick<Lease, 'granted' | 'probe' | 'ticket' | 'waitMs'> = none;
  if (shared.limit > 0 && shared.closed === 0 && request.want > 0) {
    const asked = { ...request, probed };
    const isFirst = request.window !== shared.window;
    if (isFirst) shared.askers++;
    answer = shared.slides === 1 ? grantSliding(shared, asked, now) : grant(shared, asked, now, isFirst);
    note(shared, answer.granted + answer.probe, now);
  }
  const { window, limit, windowMs } = shared;
  return [shared, { window, limit, windowMs, endsInMs: Math.max(0, shared.endsAt - now), ...answer }];
}

/** The announced quota replaces what was known. It may be of any kind of window, so it is treated as sliding. */
function announce(shared: SharedWindow, { announced, announcedMs }: LeaseRequest, now: number): void {
  if (shared.announced === 1 && shared.limit === announced && shared.windowMs === announcedMs) return;
  const { before, askers, tail, head } = shared;
  const window = shared.window + 1;
  const known = { limit: announced, windowMs: announcedMs, slides: 1, announced: 1, before: Math.max(before, askers) };
  Object.assign(shared, { ...unknown, ...known, tail, head, window, opensAt: now, endsAt: now + announcedMs });
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
  const isCounting = shared.learning > 0 && shared.learning >= shared.window - 1;
  if (isCounting) {
    shared.limit += learned;
    shared.windowMs = Math.max(shared.windowMs, Math.ceil(learnedMs));
    if (shared.learning === shared.window) shared.askers++;
    else shared.before++;
    note(shared, learned, now);
  }
  if (limitedMs > 0) close(shared, limitedMs, now);
}

/** What has become of the permits of a window. */
function settle(shared: SharedWindow, { window, returned, probed, limitedMs }: LeaseRequest, now: number): void {
  if (window === shared.window) {
    shared.out = Math.max(0, shared.out - returned);
    note(shared, -returned, now);
  } else if (window === shared.window - 1 && shared.counted === 1) {
    // Too late to be counted when the window ended.
    shared.limit = Math.max(1, shared.limit - returned);
  }
  const { slides, limit, windowMs } = shared;
  // What is certainly in the window was let through: there are at least so many. What may be in it was too much.
  if (slides === 1 && probed > 0) shared.limit = Math.max(limit, countSince(shared, now - windowMs));
  if (limitedMs === 0) return;
  if (slides === 1) shared.limit = Math.max(1, Math.min(limit, countSince(shared, now - windowMs - 2 * sliceOf(shared))));
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
  const { limit, out, windowMs, opensAt, endsAt, slides, closed } = shared;
  shared.closed = 0;
  if (slides === 1 && now < opensAt + windowMs) {
    shared.endsAt = opensAt + windowMs;
    return;
  }
  const wasLimited = closed === 1 && shared.learning !== shared.window;
  const measuredMs = endsAt - opensAt;
  shared.counted = 0;
  if (slides === 0 && ((wasLimited && measuredMs > windowMs / 2) || out > limit)) {
    shared.counted = 1;
    // One that is larger by far is believed in steps: another client may have left more than usual.
    shared.limit = Math.max(1, Math.min(out, limit + 1 + Math.floor(limit / 4)));
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

/** Permits of a window that ends as a whole. */
function grant(shared: SharedWindow, { want, ticket, probed }: LeaseRequest, now: number, isFirst: boolean) {
  const { limit, windowMs, opensAt, endsAt, askers, before } = shared;
  const isDue = ticket > 0 && ticket < shared.head;
  if (isDue && shared.due > 0) shared.due--;
  if (now - opensAt > windowMs / 4) shared.due = 0; // whoever has not come is gone
  const free = limit - shared.out - shared.due;
  const workers = Math.max(askers, before);
  let share = Math.ceil(Math.max(0, free) / 2);
  if (isFirst) share = Math.floor((askers * limit) / workers) - Math.floor(((askers - 1) * limit) / workers);
  if (isDue || limit >= workers) share = Math.max(1, share);
  const granted = Math.max(0, Math.min(want, share, free));
  shared.out += granted;
  let probe = 0;
  if ((shared.out >= limit && shared.probing === 0) || probed === 1) {
    shared.probing = 1;
    probe = 1;
    shared.out++;
  }
  const leftMs = Math.max(0, endsAt - now);
  // Whoever wants more than a share asks again when others have had time to take theirs.
  if (granted + probe > 0) {
    const later = Math.ceil((windowMs / 16) * (1 + (7 * Math.min(askers, workers)) / workers));
    return { granted, probe, ticket: 0, waitMs: shared.out < limit ? Math.min(later, leftMs) : leftMs };
  }
  if (isDue) return { granted, probe, ticket, waitMs: leftMs };
  const place = ticket > 0 && ticket < shared.tail ? ticket : shared.tail++;
  // Half of the way to its turn, because windows end earlier or later than they should.
  const windows = Math.floor(Math.floor((place - shared.head) / limit) / 2);
  return { granted, probe, ticket: place, waitMs: leftMs + windows * windowMs };
}

/** Permits of a window that slides: they come back one window after they were leased. */
function grantSliding(shared: SharedWindow, { want, probed }: LeaseRequest, now: number) {
  const { limit, windowMs, askers, before } = shared;
  const room = limit - countSince(shared, now - windowMs - 2 * sliceOf(shared));
  const share = Math.max(1, Math.floor(limit / (4 * Math.max(askers, before))));
  const granted = Math.max(0, Math.min(want, share, room));
  let probe = 0;
  if (shared.announced === 0 && ((room <= granted && shared.probing === 0) || probed === 1)) {
    shared.probing = 1;
    probe = 1;
  }
  shared.out += granted + probe;
  let waitMs = 0;
  if (granted === 0) {
    shared.slotAt = Math.max(shared.slotAt, now + Math.ceil(windowMs / slicesInWindow));
    waitMs = shared.slotAt - now;
    shared.slotAt += Math.ceil((windowMs * share) / limit);
  }
  return { granted, probe, ticket: 0, waitMs };
}

/** Writes down permits in the slice of now; a negative number takes back from the latest. */
function note(shared: SharedWindow, permits: number, now: number): void {
  const { slices, windowMs } = shared;
  const sliceMs = sliceOf(shared);
  const start = Math.floor(now / sliceMs) * sliceMs;
  if (permits > 0) {
    if (slices.at(-2) === start) slices[slices.length - 1] = (slices.at(-1) as number) + permits;
    else slices.push(start, permits);
  }
  for (let left = -permits; left > 0 && slices.length > 0; ) {
    const last = slices.at(-1) as number;
    if (last > left) slices[slices.length - 1] = last - left;
    else slices.length -= 2;
    left -= last;
  }
  while (slices.length > 0 && (slices[0] as number) <= now - windowMs - 2 * sliceMs) slices.splice(0, 2);
}

/** How many permits are in slices that began after a given time. */
function countSince({ slices }: SharedWindow, time: number): number {
  let count = 0;
  for (let index = 0; index < slices.length; index += 2) {
    if ((slices[index] as number) > time) count += slices[index + 1] as number;
  }
  return count;
}

function sliceOf({ windowMs }: SharedWindow): number {
  return Math.max(1, Math.ceil(windowMs / slicesInWindow));
}
