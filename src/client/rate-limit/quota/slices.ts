import type { SharedWindow } from './shared-window.js';

/** So many slices has a window: permits of a sliding one come back that much late. */
const slicesInWindow = 64;

export function sliceOf({ windowMs }: SharedWindow): number {
  return Math.max(1, Math.ceil(windowMs / slicesInWindow));
}

/** After so long permits of a sliding window are back: it was a slice ago, and their requests took their time. */
export function cycleOf(shared: SharedWindow): number {
  return shared.windowMs + 2 * sliceOf(shared);
}

/** Writes down permits for a time, or for the latest that is written down. */
export function note(shared: SharedWindow, permits: number, at: number): void {
  const { slices } = shared;
  const sliceMs = sliceOf(shared);
  const start = Math.max(Math.floor(at / sliceMs) * sliceMs, slices.at(-2) ?? 0);
  if (permits === 0) return;
  if (slices.at(-2) === start) slices[slices.length - 1] = (slices.at(-1) as number) + permits;
  else slices.push(start, permits);
}

/** Takes back the latest permits that are not for later. */
export function takeBack({ slices }: SharedWindow, permits: number, now: number): void {
  let left = permits;
  for (let index = slices.length - 2; index >= 0 && left > 0; index -= 2) {
    if ((slices[index] as number) > now) continue;
    const taken = Math.min(left, slices[index + 1] as number);
    slices[index + 1] = (slices[index + 1] as number) - taken;
    left -= taken;
  }
}

/** Forgets permits that are certainly back. */
export function forget(shared: SharedWindow, now: number): void {
  const { slices } = shared;
  while (slices.length > 0 && (slices[0] as number) <= now - cycleOf(shared)) slices.splice(0, 2);
}

/** How many permits are in slices that began after one time, and not after another. */
export function countSince({ slices }: SharedWindow, from: number, to = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (let index = 0; index < slices.length; index += 2) {
    if ((slices[index] as number) > from && (slices[index] as number) <= to) count += slices[index + 1] as number;
  }
  return count;
}
