import { setMaxListeners } from 'node:events';

/**
 * Lets hundreds of calls listen to one signal without Node's warning of a leak: each removes its listener again.
 *
 * @returns the signal.
 */
export function expectManyListeners(signal: AbortSignal): AbortSignal {
  try {
    setMaxListeners(0, signal);
  } catch {
    // Not a signal of this runtime: it does not warn either.
  }
  return signal;
}
