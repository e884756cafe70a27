import { ConnectorError } from '../../contract/index.js';
import { type Clock, follow, setTimeLimit, type Timer } from '../../internal/index.js';
import { type EndSystemRequest, nameRequest } from './failure.js';

/**
 * What ends a call of the end system: a timeout, or the caller's signal.
 *
 * @param timeoutMs for the head and a body that is read as a whole, together; may be infinite.
 */
export function limitTime(
  timeoutMs: number,
  clock: Clock,
  caller: AbortSignal | null | undefined,
  request: EndSystemRequest,
) {
  const controller = new AbortController();
  const { signal } = controller;
  let leftMs = timeoutMs;
  let startedAt: number | undefined;
  let timer: Timer | undefined;
  const start = () => {
    if (startedAt !== undefined) return;
    startedAt = clock.monotonic();
    timer = setTimeLimit(clock, leftMs, () => controller.abort(timeoutError(request)));
  };
  /** Only the time of the end system counts, not what the connector does between the head and the body. */
  const stop = () => {
    timer?.cancel();
    if (startedAt !== undefined) leftMs -= clock.monotonic() - startedAt;
    startedAt = undefined;
  };
  start();
  const leave = follow([caller], (reason) => {
    stop();
    controller.abort(isTimeout(reason) ? timeoutError(request, reason) : abortReason(caller));
  });
  const end = () => {
    stop();
    leave();
  };
  const timeReads = (response: Response): void => {
    const replace = (name: string, value: () => unknown) =>
      Object.defineProperty(response, name, { value, configurable: true, writable: true });
    for (const name of wholeReads) {
      const read: unknown = response[name];
      if (typeof read !== 'function') continue;
      replace(name, (): Promise<unknown> => {
        const isOpen = isReadable(response);
        start();
        const whole = (read.call(response) as Promise<unknown>).finally(end);
        const explain = (error: unknown) =>
          Promise.reject(error instanceof TypeError ? brokenOff(request, error) : error);
        return isOpen && name !== 'formData' ? whole.catch(explain) : whole;
      });
    }
    const { clone } = response;
    replace('clone', () => {
      const copy = clone.call(response);
      timeReads(copy);
      return copy;
    });
  };
  return {
    /** Aborts with the error to throw: a 504 after the timeout, otherwise the reason of the caller's signal. */
    signal,
    /** Ends the call: removes its timer and its listener. */
    end,
    /** Stops the timer at the head, and resumes it while the body is read as a whole. */
    leaveBody(response: Response): void {
      stop();
      if (response.body === null) {
        end();
        return;
      }
      unread?.register(response.body, end);
      timeReads(response);
    },
  };
}

/**
 * Removes the listener when a body that is streamed, or never read, is garbage-collected. Some edge runtimes have no such
 * registry: there the listener goes with the signal.
 */
const unread = globalThis.FinalizationRegistry && new FinalizationRegistry<() => void>((end) => end());

const wholeReads = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'] as const;

/** Of a body that cannot be read, fetch throws the same kind of error as when the connection breaks. */
export function isReadable({ bodyUsed, body }: Response): boolean {
  return !bodyUsed && !body?.locked;
}

export function timeoutError(request: EndSystemRequest, cause?: unknown): ConnectorError {
  return new ConnectorError(`${nameRequest(request)}: the end system did not respond in time.`, {
    status: 504,
    code: 'END_SYSTEM_TIMEOUT',
    cause,
  });
}

function brokenOff(request: EndSystemRequest, cause: unknown): ConnectorError {
  return new ConnectorError(`${nameRequest(request)}: the end system's response broke off.`, {
    status: 502,
    code: 'END_SYSTEM_UNREACHABLE',
    cause,
  });
}

/** The signal's reason. Node servers abort with a bare string, which becomes an `AbortError`. */
export function abortReason(signal: AbortSignal | null | undefined): unknown {
  const reason: unknown = signal?.reason;
  return typeof reason === 'string' ? new DOMException(reason, 'AbortError') : reason;
}

/** What `AbortSignal.timeout` aborts with. */
export function isTimeout(reason: unknown): boolean {
  return (reason as { name?: unknown } | undefined | null)?.name === 'TimeoutError';
}
