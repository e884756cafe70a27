import type { FailedRequest } from '../contract/index.js';
import type { Clock } from '../internal/index.js';
import type { AttemptOutcome, CallWrapper, ClientCall, ClientCallEvents, Publish } from './events.js';
import type { Exchange } from './exchange.js';

type WaitReason = ClientCallEvents['wait']['reason'];

/** Tells of one call what happens to it (rule G6). Made only for calls that somebody watches. */
export class CallObserver {
  readonly #call: ClientCall;
  readonly #headers: Record<string, string>;
  readonly #signal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #publish: Publish;
  #attempts = 0;
  #status: number | undefined;

  /** @param headers of the call; a tracer may add to them. */
  constructor(
    request: FailedRequest,
    headers: Record<string, string>,
    signal: AbortSignal | undefined,
    clock: Clock,
    publish: Publish,
  ) {
    this.#call = { method: request.method, path: request.path };
    this.#headers = headers;
    this.#signal = signal;
    this.#clock = clock;
    this.#publish = publish;
  }

  /** Runs the call from its first event to its last, inside what tracers want it to run in. */
  async run<T>(perform: () => Promise<T>): Promise<T> {
    const startedAt = this.#clock.monotonic();
    const call = this.#call;
    const perhaps = this.#begin()(() => perform());
    const end = (failure: { error?: unknown }) => {
      const status = this.#status === undefined ? {} : { status: this.#status };
      const durationMs = this.#clock.monotonic() - startedAt;
      this.#publish('result', { call, ...status, ...failure, durationMs, attempts: this.#attempts });
    };
    try {
      const result = await perhaps;
      end({});
      return result;
    } catch (error) {
      end({ error });
      throw error;
    }
  }

  /** Tells of a request when it has come to its end; of one that was held back there is nothing to tell. */
  attempt(sending: Promise<Exchange>): Promise<Exchange> {
    return observeAttempt(sending, this.#clock, this.#signal, (facts) => {
      this.#attempts++;
      this.#status = facts.status;
      this.#publish('attempt', { call: this.#call, ...this.#call, number: this.#attempts, ...facts });
    });
  }

  /** Tells of a wait when it is over, however it ended. */
  async wait<T>(waiting: Promise<T>, reason: () => WaitReason): Promise<T> {
    const startedAt = this.#clock.monotonic();
    try {
      return await waiting;
    } finally {
      const waitedMs = this.#clock.monotonic() - startedAt;
      this.#publish('wait', { call: this.#call, reason: reason(), waitedMs });
    }
  }

  #begin(): CallWrapper {
    let run: CallWrapper = (inner) => inner();
    const headers = this.#headers;
    this.#publish('call', {
      call: this.#call,
      runIn(wrapper) {
        const before = run;
        run = (inner) => before(() => wrapper(inner));
      },
      setHeader(name, value) {
        headers[name.toLowerCase()] ??= value;
      },
    });
    return run;
  }
}

type AttemptFacts = { outcome: AttemptOutcome; status?: number; error?: unknown; durationMs: number };

/** Watches one request of a call or of a login. */
export async function observeAttempt(
  sending: Promise<Exchange>,
  clock: Clock,
  signal: AbortSignal | undefined,
  tell: (facts: AttemptFacts) => void,
): Promise<Exchange> {
  const startedAt = clock.monotonic();
  try {
    const sent = await sending;
    if (sent.type === 'held-back') return sent;
    const outcome = sent.type === 'limited' ? 'limit' : sent.kind;
    tell({ outcome, status: sent.response.status, durationMs: clock.monotonic() - startedAt });
    return sent;
  } catch (error) {
    const outcome = signal?.aborted ? 'aborted' : 'failed';
    tell({ outcome, ...statusOf(error), error, durationMs: clock.monotonic() - startedAt });
    throw error;
  }
}

function statusOf(error: unknown): { status?: number } {
  const status = (error as { status?: unknown } | null | undefined)?.status;
  return typeof status === 'number' ? { status } : {};
}
