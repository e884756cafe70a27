import { type Clock, setTimeLimit, type Timer } from './clock.js';

type Signals = readonly (AbortSignal | null | undefined)[];
type Follower = (signal: AbortSignal) => void;

const followersOf = new WeakMap<AbortSignal, Set<Follower>>();

/** One listener for all followers of a signal: Node warns of more than ten, and looks through them all each time. */
const tellFollowers = ({ target }: Event): void => {
  const signal = target as AbortSignal;
  for (const tell of followersOf.get(signal) ?? []) tell(signal);
};

/**
 * Calls back as soon as one of the signals aborts; at once if one has aborted already.
 *
 * Not `AbortSignal.any`: on Node 20 it loses a timeout that nothing else references, and each use leaves something
 * behind on a long-lived signal.
 *
 * @returns a function that ends this and leaves nothing on the signals.
 */
export function follow(signals: Signals, onAbort: (reason: unknown) => void): () => void {
  const followed = signals.flatMap((signal) => signal ?? []);
  const leave = () => {
    for (const signal of followed) {
      const followers = followersOf.get(signal);
      if (followers?.delete(tell) && followers.size === 0) signal.removeEventListener('abort', tellFollowers);
    }
  };
  const tell: Follower = ({ reason }) => {
    leave();
    onAbort(reason);
  };
  const aborted = followed.find((signal) => signal.aborted);
  if (aborted !== undefined) {
    onAbort(aborted.reason);
    return leave;
  }
  for (const signal of followed) {
    const followers = followersOf.get(signal) ?? new Set();
    followersOf.set(signal, followers.add(tell));
    if (followers.size === 1) signal.addEventListener('abort', tellFollowers, { once: true });
  }
  return leave;
}

/**
 * Waits on the given clock.
 *
 * @throws (rejects with) the reason of a signal as soon as it aborts. Leaves no listener and no timer behind.
 */
export async function sleep(clock: Clock, delayMs: number, ...signals: Signals): Promise<void> {
  for (const signal of signals) signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = clock.setTimer(delayMs, () => {
      leave();
      resolve();
    });
    const leave = follow(signals, (reason) => {
      timer.cancel();
      reject(reason);
    });
  });
}

/**
 * Waits for a promise until a signal aborts. The promise itself is not affected; a rejection that comes later is
 * handled.
 */
export function abortable<T>(promise: Promise<T>, ...signals: Signals): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = follow(signals, reject);
    promise.finally(leave).then(resolve, reject);
  });
}

/** Waits no longer than `timeoutMs`. @throws Error naming `what` and the time; the promise itself is not affected */
export async function within<T>(
  timeoutMs: number,
  what: string,
  clock: Pick<Clock, 'setTimer'>,
  promise: Promise<T>,
  { holdsProcess = true } = {},
): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeLimit(clock, timeoutMs, () => reject(new Error(`${what} took longer than ${timeoutMs} ms.`)));
    if (!holdsProcess) timer.hold(false);
  });
  return await Promise.race([promise, late]).finally(() => timer?.cancel());
}

/**
 * Runs `task` at most once at a time: calls while it runs get the same promise. Once it has settled, the next call runs it again.
 */
export function singleFlight<T>(task: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= task().finally(() => {
      running = undefined;
    });
    return running;
  };
}
