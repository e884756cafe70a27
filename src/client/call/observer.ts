import type { RequestLine } from '../../contract/index.js';
import type { Clock } from '../../internal/index.js';
import type { AttemptOutcome, CallWrapper, ClientCall, ClientCallEvents, Publish } from '../events.js';
import { failureOf, statusOf } from './failure.js';
import type { FinishedAttempt, OutcomeKind } from './run.js';

type WaitReason = ClientCallEvents['wait']['reason'];

export interface ObserverOptions {
  request: RequestLine;
  /** The headers of the call; a tracer may add to them. */
  headers: Record<string, string>;
  /** What must not be shown, besides the headers of a request (rules E5, S7). */
  secrets: readonly string[];
  clock: Clock;
  publish: Publish;
}

/** Publishes what happens to one call (rule G6). Created only if a tracer listens. */
export class CallObserver {
  readonly #options: ObserverOptions;
  readonly #call: ClientCall;
  #attempts = 0;
  #status: number | undefined;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#call = { method: options.request.method, path: options.request.path };
  }

  /** Runs the call from its first event to its last, inside the wrappers of tracers. */
  async run<T>(perform: () => Promise<T>): Promise<T> {
    const { clock, publish } = this.#options;
    const startedAt = clock.monotonic();
    const call = this.#call;
    const pending = this.#begin()(perform);
    const end = (failure: { error?: unknown }) => {
      const status = this.#status === undefined ? {} : { status: this.#status };
      const durationMs = clock.monotonic() - startedAt;
      publish('result', { call, ...status, ...failure, durationMs, attempts: this.#attempts });
    };
    try {
      const result = await pending;
      end({});
      return result;
    } catch (error) {
      end({ error });
      throw error;
    }
  }

  /** Publishes a finished attempt, unless it was never sent. */
  readonly attempt = (finished: FinishedAttempt, startedAt: number): void => {
    if (finished.kind === 'held-back') return;
    const { secrets, clock, publish } = this.#options;
    const facts = describeAttempt(finished, secrets, clock.monotonic() - startedAt);
    this.#attempts++;
    this.#status = facts.status;
    publish('attempt', { call: this.#call, ...this.#call, number: this.#attempts, ...facts });
  };

  /** Publishes a wait when it is over, however it ended. */
  async wait<T>(waiting: Promise<T>, reason: () => WaitReason): Promise<T> {
    const { clock, publish } = this.#options;
    const startedAt = clock.monotonic();
    try {
      return await waiting;
    } finally {
      const waitedMs = clock.monotonic() - startedAt;
      publish('wait', { call: this.#call, reason: reason(), waitedMs });
    }
  }

  #begin(): CallWrapper {
    let run: CallWrapper = (inner) => inner();
    const { headers, publish } = this.#options;
    publish('call', {
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

interface AttemptFacts {
  outcome: AttemptOutcome;
  status?: number;
  error?: unknown;
  durationMs: number;
}

const outcomes: Readonly<Record<OutcomeKind, AttemptOutcome>> = {
  success: 'success',
  truncated: 'success',
  'too-large': 'success',
  undecodable: 'success',
  limit: 'limit',
  unauthorized: 'unauthorized',
  error: 'error',
  redirect: 'failed',
  unexpected: 'failed',
  failed: 'failed',
  timeout: 'failed',
  aborted: 'aborted',
  'held-back': 'aborted',
};

/** An attempt of a call or of a login, as tracers see it. */
export function describeAttempt(
  finished: FinishedAttempt,
  secrets: readonly string[],
  durationMs: number,
): AttemptFacts {
  const { kind, attempt, outcome } = finished;
  const status = statusOf(outcome);
  const failed = outcomes[kind] === 'failed' || kind === 'aborted';
  return {
    outcome: attempt.signal?.aborted && failed ? 'aborted' : outcomes[kind],
    ...(status === undefined ? {} : { status }),
    ...(failed ? { error: failureOf(finished, secrets) } : {}),
    durationMs,
  };
}
