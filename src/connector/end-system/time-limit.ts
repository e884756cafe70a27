import { ConnectorError } from '../../contract/index.js';
import type { EndSystemRequest } from './failure.js';

/** What ends a call of an end system: its time, or the caller's signal. */
export interface TimeLimit {
  /** Aborts with the error to throw: a 504 when the time is over, else the reason of the caller's signal. */
  readonly signal: AbortSignal;
  /** Stops the time once the head is there, and has it go on while the body is read as a whole. */
  leaveBody(response: Response): void;
  /** The call is over: nothing is left of it, neither timer nor listener. */
  end(): void;
}

/**
 * Not `AbortSignal.any`: on Node 20 it forgets a time-out that nobody else holds, and grows with every call on a signal
 * that lives long.
 *
 * @param timeoutMs of the head and of a body that is read as a whole, together; it may be endless.
 */
export function limitTime(
  timeoutMs: number,
  caller: AbortSignal | null | undefined,
  request: EndSystemRequest,
): TimeLimit {
  const controller = new AbortController();
  const { signal } = controller;
  const endsAt = performance.now() + timeoutMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const start = () => {
    clearTimeout(timer);
    const leftMs = endsAt - performance.now();
    // What Node would fire at once is as good as endless.
    if (leftMs < 2 ** 31) timer = setTimeout(() => controller.abort(timeoutError(request)), leftMs);
  };
  const stop = () => clearTimeout(timer);
  const follow = () => {
    stop();
    controller.abort(isTimeout(caller?.reason) ? timeoutError(request, caller?.reason) : abortReason(caller));
  };
  const end = () => {
    stop();
    if (caller) leave(caller, follow);
  };
  if (caller?.aborted) follow();
  else {
    if (caller) join(caller, follow);
    start();
  }
  return {
    signal,
    end,
    leaveBody(response) {
      stop();
      if (response.body === null) {
        end();
        return;
      }
      unread?.register(response.body, end);
      for (const name of wholeReads) {
        const read: unknown = response[name];
        if (typeof read !== 'function') continue;
        const timed = (): Promise<unknown> => {
          start();
          return (read.call(response) as Promise<unknown>).finally(end);
        };
        Object.defineProperty(response, name, { value: timed, configurable: true, writable: true });
      }
    },
  };
}

/** One listener for all that follow a signal: Node warns of more than ten, and many calls may end with one request. */
const followed = new WeakMap<AbortSignal, Set<() => void>>();

function join(signal: AbortSignal, follow: () => void): void {
  const followers = followed.get(signal);
  if (followers) {
    followers.add(follow);
    return;
  }
  const first = new Set([follow]);
  followed.set(signal, first);
  const followAll = () => {
    for (const each of first) each();
  };
  signal.addEventListener('abort', followAll, { once: true });
}

function leave(signal: AbortSignal, follow: () => void): void {
  followed.get(signal)?.delete(follow);
}

/**
 * A listener holds no body, so one that is read as a stream, or never, takes its listener along when it goes. Some runtimes
 * for the edge of the network have no such registry: there it goes with the signal.
 */
const unread = globalThis.FinalizationRegistry && new FinalizationRegistry<() => void>((end) => end());

const wholeReads = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const;

export function timeoutError({ method, url }: EndSystemRequest, cause?: unknown): ConnectorError {
  return new ConnectorError(`${method} ${url}: the end system did not answer in time.`, {
    status: 504,
    code: 'END_SYSTEM_TIMEOUT',
    cause,
  });
}

/** The signal's own reason. Servers of Node abort with a mere text, from which nobody could tell what happened. */
export function abortReason(signal: AbortSignal | null | undefined): unknown {
  const reason: unknown = signal?.reason;
  return typeof reason === 'string' ? new DOMException(reason, 'AbortError') : reason;
}

/** What `AbortSignal.timeout` aborts with. */
export function isTimeout(reason: unknown): boolean {
  return (reason as { name?: unknown } | undefined | null)?.name === 'TimeoutError';
}
