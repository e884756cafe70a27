import type { FailedRequest } from '../contract/index.js';
import { RequestError } from './errors.js';
import type { Emit } from './events.js';
import { Gate } from './gate.js';
import type { Settings } from './options.js';

/** One gate for each scope: normally one for the whole connection (rule G1). */
export class Gates {
  readonly #gates = new Map<string, Gate>();
  readonly #settings: Settings;
  readonly #emit: Emit;
  readonly #stopSharing: () => void;

  constructor(settings: Settings, emit: Emit) {
    this.#settings = settings;
    this.#emit = emit;
    this.#stopSharing = settings.state.onPause(({ scope, resumeAt }) => this.#gate(scope).pauseUntil(resumeAt));
  }

  /** The gate that a request has to pass. */
  for(request: FailedRequest): Gate {
    const { scope } = this.#settings.rateLimit;
    return this.#gate(scope === undefined ? '' : String(scope({ method: request.method, path: request.path })));
  }

  get paused(): boolean {
    return [...this.#gates.values()].some((gate) => gate.paused);
  }

  /** The latest end of a pause that is on. */
  get resumeAt(): Date | undefined {
    const times = [...this.#gates.values()].flatMap((gate) => gate.resumeAt?.getTime() ?? []);
    return times.length === 0 ? undefined : new Date(Math.max(...times));
  }

  get pausedMs(): number {
    return [...this.#gates.values()].reduce((sum, gate) => sum + gate.pausedMs, 0);
  }

  shutDown(): void {
    this.#stopSharing();
    const error = () =>
      new RequestError('the client was closed while this call waited', {
        code: 'CLIENT_CLOSED',
        request: { method: 'close', path: '' },
      });
    for (const gate of this.#gates.values()) gate.shutDown(error);
  }

  #gate(scope: string): Gate {
    const known = this.#gates.get(scope);
    if (known !== undefined) return known;
    const { clock, concurrency, rateLimit, state } = this.#settings;
    const gate: Gate = new Gate({
      clock,
      emit: this.#emit,
      scope,
      concurrency,
      fallbackWaitMs: rateLimit.fallbackWaitMs,
      jitterMs: rateLimit.jitterMs,
      onPause: (pause) => void state.pause(pause),
    });
    this.#gates.set(scope, gate);
    return gate;
  }
}
