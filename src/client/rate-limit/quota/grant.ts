import type { LeaseRequest, SharedWindow } from './shared-window.js';
import { countSince, cycleOf, note } from './slices.js';

/** Permits of a window that ends as a whole. */
export function grant(shared: SharedWindow, { want, ticket, probed }: LeaseRequest, now: number, isFirst: boolean) {
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
  let probe = 0;
  if ((shared.out + granted >= limit && shared.probing === 0) || probed === 1) {
    shared.probing = 1;
    probe = 1;
  }
  shared.out += granted + probe;
  note(shared, granted + probe, now);
  const leftMs = Math.max(0, endsAt - now);
  // Whoever wants more than a share asks again when others have had time to take theirs.
  if (granted + probe > 0) {
    const later = askers >= workers ? 0 : Math.ceil((windowMs / 16) * (1 + (7 * askers) / workers));
    return { granted, probe, ticket: 0, waitMs: shared.out < limit ? Math.min(later, leftMs) : leftMs };
  }
  if (isDue) return { granted, probe, ticket, waitMs: leftMs };
  const place = ticket > 0 && ticket < shared.tail ? ticket : shared.tail++;
  // Half of the way to its turn, because windows end earlier or later than they should.
  const windows = Math.floor(Math.floor((place - shared.head) / limit) / 2);
  return { granted, probe, ticket: place, waitMs: leftMs + windows * windowMs };
}

/**
 * Permits of a window that slides: they come back one window after they were leased. What is not there yet is leased in
 * advance, up to one window, to those who ask first. Whoever asks when all of that is gone gets a time to ask again.
 */
export function grantSliding(shared: SharedWindow, { want, ticket, probed }: LeaseRequest, now: number) {
  const { limit, windowMs, askers, before, announced } = shared;
  const workers = Math.max(askers, before);
  const cycleMs = cycleOf(shared);
  const share = Math.max(1, Math.floor(limit / workers));
  const { at, room } = nextRoom(shared, now);
  const lineAt = Math.max(shared.lineAt, at);
  const isEarly = ticket > 0 ? at > now + 2 * cycleMs : lineAt > now + cycleMs;
  if (isEarly) {
    const latestAt = now + Math.ceil(cycleMs * (2 + workers / limit));
    shared.lineAt = Math.min(lineAt + Math.ceil((share * cycleMs) / limit), latestAt);
    const startsInMs = shared.lineAt - cycleMs - now;
    return { granted: 0, probe: 0, ticket: 1, startsInMs, waitMs: startsInMs };
  }
  const granted = Math.min(want, share, room);
  // The next probe follows only if the last one went into a window that was certainly full.
  const isFull = probed === 1 && countSince(shared, now - windowMs, now) >= limit;
  const mayGrow = announced === 0 || limit < announced;
  const probe = mayGrow && room <= granted && (shared.probing === 0 || isFull) ? 1 : 0;
  if (probe === 1) shared.probing = 1;
  shared.out += granted + probe;
  note(shared, granted + probe, at);
  const startsInMs = at - now;
  return { granted, probe, ticket: 0, startsInMs, waitMs: startsInMs, endsInMs: startsInMs + windowMs };
}

/** The first time at which permits are not leased to anybody, and how many. */
function nextRoom(shared: SharedWindow, now: number): { at: number; room: number } {
  const { slices, limit } = shared;
  const cycleMs = cycleOf(shared);
  let at = Math.max(now, slices.at(-2) ?? 0);
  let room = limit - countSince(shared, at - cycleMs);
  for (let index = 0; index < slices.length && room <= 0; index += 2) {
    const backAt = (slices[index] as number) + cycleMs;
    if (backAt <= at) continue;
    at = backAt;
    room += slices[index + 1] as number;
  }
  return { at, room };
}
