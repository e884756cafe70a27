import { checkOptions, duration, option } from '../internal/index.js';
import type { Delay } from './fault-types.js';

/** A delay as an option. */
export const delayOption = option<Delay>(
  (value) => typeof value === 'function' || duration().safeParse(value).success,
  'must be a number of milliseconds, zero or more, or a function that returns one',
);

/** Numbers from 0 up to 1, the same ones for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @throws TypeError naming the option when its function returns no delay. */
export function drawDelay(delay: Delay | undefined, random: () => number, name: string): number {
  return typeof delay === 'function' ? checkOptions(duration(), delay(random), `${name}()`) : (delay ?? 0);
}
