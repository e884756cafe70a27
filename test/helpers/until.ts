/** Long enough for any machine under load, and shorter than the time-out of a test: only a failure ever takes that long. */
const patienceMs = 30_000;

/** Waits until something is so; fails, saying what it waited for, when it does not happen. */
export async function until(condition: () => boolean, what = condition.toString()): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited ${patienceMs / 1000} s in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/**
 * Gives a request that must not happen the time to happen: loopback takes well under a millisecond. Always used beside a
 * control that shows the same request arriving once it may.
 */
export function grace(milliseconds = 25): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** How a promise ended, or 'pending', without waiting for it. */
export function track<T>(promise: Promise<T>) {
  const state: { settled: boolean; value?: T; error?: unknown } = { settled: false };
  promise.then(
    (value) => Object.assign(state, { settled: true, value }),
    (error: unknown) => Object.assign(state, { settled: true, error }),
  );
  return state;
}

/** The error that a promise is rejected with; fails when it is not. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever the error carries
export async function rejection(promise: Promise<unknown>): Promise<any> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`Expected a rejection, got ${JSON.stringify(value)}`);
}
