import type { LeaseRequest, SharedWindow } from './shared-window.js';
import { countSince, sliceOf } from './slices.js';

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
    const later = askers >= workers ? 0 : Math.ceil((windowMs / 16) * (1 + (7 * askers) / workers));
    return { granted, probe, ticket: 0, waitMs: shared.out < limit ? Math.min(later, leftMs) : leftMs };
  }
  if (isDue) return { granted, probe, ticket, waitMs: leftMs };
  const place = ticket > 0 && ticket < shared.tail ? ticket : shared.tail++;
  // Half of the way to its turn, because windows end earlier or later than they should.
  const windows = Math.floor(Math.floor((place - shared.head) / limit) / 2);
  return { granted, probe, ticket: place, waitMs: leftMs + windows * windowMs };
}

/** How often a process that found nothing at its turn waits for the next permit, before it goes behind the others. */
const tries = 4;

/**
 * Permits of a window that slides: they come back one window after they were leased. Each process comes back at the pace
 * of the quota; one that finds nothing then waits for the next permit, and after that behind the others.
 */
export function grantSliding(shared: SharedWindow, { want, ticket, probed }: LeaseRequest, now: number) {
  const { limit, windowMs, askers, before, announced } = shared;
  const cycleMs = windowMs + 2 * sliceOf(shared);
  const room = Math.max(0, limit - countSince(shared, now - cycleMs));
  const workers = Math.max(askers, before);
  const granted = Math.min(want, Math.max(1, Math.floor(limit / workers)), room);
  let probe = 0;
  // The next probe follows only if the last one went into a window that was certainly full.
  const isFull = probed === 1 && countSince(shared, now - windowMs) >= limit;
  if (announced === 0 && room <= granted && (shared.probing === 0 || isFull)) {
    shared.probing = 1;
    probe = 1;
  }
  shared.out += granted + probe;
  const freeAt = room > granted ? now : Math.max(now, (shared.slices[0] ?? now) + cycleMs) + 1;
  if (granted === 0 && ticket > 0) return { granted, probe, ticket: Math.min(ticket, tries) - 1, waitMs: freeAt - now };
  const paceMs = Math.ceil((Math.max(1, granted) * cycleMs) / limit);
  const latestAt = now + Math.ceil(cycleMs * Math.max(1, workers / limit));
  shared.slotAt = Math.min(Math.max(shared.slotAt, now) + paceMs, latestAt);
  return { granted, probe, ticket: tries, waitMs: Math.max(shared.slotAt, freeAt) - now };
}
