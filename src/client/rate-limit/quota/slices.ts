import type { SharedWindow } from './shared-window.js';

/** So many slices has a sliding window: its permits come back that much late. */
const slicesInWindow = 64;

/** Writes down permits in the slice of now; a negative number takes back from the latest. */
export function note(shared: SharedWindow, permits: number, now: number): void {
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
export function countSince({ slices }: SharedWindow, time: number): number {
  let count = 0;
  for (let index = 0; index < slices.length; index += 2) {
    if ((slices[index] as number) > time) count += slices[index + 1] as number;
  }
  return count;
}

export function sliceOf({ windowMs }: SharedWindow): number {
  return Math.max(1, Math.ceil(windowMs / slicesInWindow));
}
