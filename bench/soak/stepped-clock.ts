import { type Clock, systemClock } from '../../src/internal/index.js';

let stepMs = 0;

/** This process's time of day, which can be set; what measures waits goes on as it does. */
export const clock: Clock = { ...systemClock, now: () => systemClock.now() + stepMs };

/** Sets the time of day so far before or after the machine's. */
export function step(ms: number): void {
  stepMs = ms;
}
