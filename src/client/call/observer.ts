import { headerProblem, type RequestLine } from '../../contract/index.js';
import type { Clock } from '../../internal/index.js';
import type { AttemptOutcome, CallWrapper, ClientCallEvents, Publish } from '../events.js';
import { failureOf, isBodyLost, statusOf } from './failure.js';
import type { SentAttempt } from './run.js';

type WaitReason = ClientCallEvents['wait']['reason'];

export interface ObserverOptions {
  request: RequestLine;
  /** The headers of the call; a tracer may add to them. */
  headers: Record<string, string>;
  secrets: readonly string[];
  clock: Clock;
  publish: Publish;
}

/** Publishes what happens to one call (rule G6). Created only if a tracer listens. */
export class CallObserver {
  readonly #options: ObserverOptions;
  readonly #startedAt: number;
  /** Those of the call, and what tracers have added. */
  readonly headers: Readonly<Record<string, string>>;
  /** Runs a part of the call inside the wrappers of tracers. */
  inside: CallWrapper = (run) => run();
  #attempts = 0;
  #status: number | undefined;
  #isOver = false;

  /** Tells that the call begins. */
  constructor(options: ObserverOptions) {
    const { request, headers, clock, publish } = options;
    this.#options = options;
    this.headers = headers;
    this.#startedAt = clock.monotonic();
    publish('call', {
      call: request,
      runIn: (wrapper) => {
        const before = this.inside;
        this.inside = (run) => before(() => wrapper(run));
      },
      setHeader: (name, value) => {
        // A tracer's mistake must not fail the call.
        if (headerProblem(name, value) === undefined) headers[name.toLowerCase()] ??= value;
      },
    });
  }

  /** Tells that the call is over; of a stream, that is the end of its body. Only the first time counts. */
  end(failure: { error?: unknown } = {}): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { request, clock, publish } = this.#options;
    const status = this.#status === undefined ? {} : { status: this.#status };
    const durationMs = clock.monotonic() - this.#startedAt;
    publish('result', { call: request, ...status, ...failure, durationMs, attempts: this.#attempts });
  }

  readonly attempt = (sent: SentAttempt): void => {
    const { request, secrets, clock, publish } = this.#options;
    const facts = describeAttempt(sent, secrets, clock);
    this.#attempts++;
    this.#status = facts.status;
    publish('attempt', { call: request, ...request, number: this.#attempts, ...facts });
  };

  async wait<T>(waiting: Promise<T>, reason: () => WaitReason): Promise<T> {
    const { request, clock, publish } = this.#options;
    const startedAt = clock.monotonic();
    try {
      return await waiting;
    } finally {
      const waitedMs = clock.monotonic() - startedAt;
      publish('wait', { call: request, reason: reason(), waitedMs });
    }
  }
}

type AttemptFacts = Omit<ClientCallEvents['attempt'], 'call' | 'method' | 'path' | 'number'>;

/** An attempt of a call or of a login, as tracers see it. */
export function describeAttempt(sent: SentAttempt, secrets: readonly string[], clock: Clock): AttemptFacts {
  const status = statusOf(sent.outcome);
  const result = attemptOutcome(sent);
  const failed = result === 'failed' || result === 'aborted';
  return {
    outcome: result,
    ...(status === undefined ? {} : { status }),
    ...(failed ? { error: failureOf(sent, secrets) } : {}),
    durationMs: clock.monotonic() - sent.attempt.permit.startedAt,
  };
}

function attemptOutcome({ kind, attempt }: SentAttempt): AttemptOutcome {
  if (isBodyLost(kind)) return 'success';
  if (kind !== 'redirect' && kind !== 'unexpected' && kind !== 'timeout' && kind !== 'failed') return kind;
  return attempt.signal?.aborted ? 'aborted' : 'failed';
}
