import { setMaxListeners } from 'node:events';

/**
 * Lets hundreds of calls listen to one signal without Node warning of a leak: each takes its listener away again.
 *
 * @returns the signal.
 */
export function expectManyListeners(signal: AbortSignal): AbortSignal {
  try {
    setMaxListeners(0, signal);
  } catch {
    // A signal of another kind than this runtime's: then it gives no such warning either.
  }
  return signal;
}
