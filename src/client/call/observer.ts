import type { FailedRequest } from '../../contract/index.js';
import type { Clock } from '../../internal/index.js';
import type { AttemptOutcome, CallWrapper, ClientCall, ClientCallEvents, Publish } from '../events.js';
import { type Answer, failureOf, statusOf } from './failure.js';
import type { AnswerKind } from './release.js';

type WaitReason = ClientCallEvents['wait']['reason'];

export interface ObserverOptions {
  request: FailedRequest;
  /** Of the call; a tracer may add to them. */
  headers: Record<string, string>;
  /** What must not be shown, beside the headers of a request (rules E5, S7). */
  secrets: readonly string[];
  clock: Clock;
  publish: Publish;
}

/** Tells of one call what happens to it (rule G6). Made only for calls that somebody watches. */
export class CallObserver {
  readonly #options: ObserverOptions;
  readonly #call: ClientCall;
  #attempts = 0;
  #status: number | undefined;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#call = { method: options.request.method, path: options.request.path };
  }

  /** Runs the call from its first event to its last, inside what tracers want it to run in. */
  async run<T>(perform: () => Promise<T>): Promise<T> {
    const { clock, publish } = this.#options;
    const startedAt = clock.monotonic();
    const call = this.#call;
    const perhaps = this.#begin()(() => perform());
    const end = (failure: { error?: unknown }) => {
      const status = this.#status === undefined ? {} : { status: this.#status };
      const durationMs = clock.monotonic() - startedAt;
      publish('result', { call, ...status, ...failure, durationMs, attempts: this.#attempts });
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
  readonly attempt = (answer: Answer, startedAt: number): void => {
    if (answer.kind === 'held-back') return;
    const { secrets, clock, publish } = this.#options;
    const facts = describeAttempt(answer, secrets, clock.monotonic() - startedAt);
    this.#attempts++;
    this.#status = facts.status;
    publish('attempt', { call: this.#call, ...this.#call, number: this.#attempts, ...facts });
  };

  /** Tells of a wait when it is over, however it ended. */
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

const outcomes: Readonly<Record<AnswerKind, AttemptOutcome>> = {
  success: 'success',
  cut: 'success',
  'too-large': 'success',
  packed: 'success',
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

/** What tracers are told of one request of a call or of a login. */
export function describeAttempt(answer: Answer, secrets: readonly string[], durationMs: number): AttemptFacts {
  const { kind, attempt, outcome } = answer;
  const status = statusOf(outcome);
  const failed = outcomes[kind] === 'failed' || kind === 'aborted';
  return {
    outcome: attempt.signal?.aborted && failed ? 'aborted' : outcomes[kind],
    ...(status === undefined ? {} : { status }),
    ...(failed ? { error: failureOf(answer, secrets) } : {}),
    durationMs,
  };
}
