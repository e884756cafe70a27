import { checkOptions, duration, option } from '../internal/index.js';
import type { Delay } from './fault-types.js';

/** A delay as an option. */
export const delayOption = option<Delay>(
  (value) => typeof value === 'function' || duration().safeParse(value).success,
  'must be a number of milliseconds, zero or more, or a function that returns one',
);

/** @throws TypeError naming the option when its function returns no delay. */
export function drawDelay(delay: Delay | undefined, random: () => number, name: string): number {
  return typeof delay === 'function' ? checkOptions(duration(), delay(random), `${name}()`) : (delay ?? 0);
}
