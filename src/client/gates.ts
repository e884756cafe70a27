import type { FailedRequest } from '../contract/index.js';
import { RequestError } from './errors.js';
import type { Emit } from './events.js';
import { Gate } from './gate.js';
import type { Quota } from './pacing.js';
import { mayRefuseLimit } from './parking.js';
import type { Settings } from './settings.js';
import type { ClientSnapshot } from './snapshot.js';

/** One gate for each scope: normally one for the whole connection (rule G1). */
export class Gates {
  readonly #gates = new Map<string, Gate>();
  readonly #settings: Settings;
  readonly #emit: Emit;
  readonly #stopSharing: () => void;
  /** What this client tells the others comes back to it, too. */
  #telling = false;

  constructor(settings: Settings, emit: Emit) {
    this.#settings = settings;
    this.#emit = emit;
    this.#stopSharing = settings.state.onPause(({ scope, resumeAt }) => {
      if (!this.#telling) this.#gate(scope).pauseUntil(resumeAt);
    });
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

  /** What has been learned; of several scopes the one that allows the fewest requests in a given time. */
  get quota(): Quota | undefined {
    const quotas = [...this.#gates.values()].flatMap((gate) => gate.quota ?? []);
    return quotas.sort((one, other) => one.limit / one.windowMs - other.limit / other.windowMs)[0];
  }

  snapshot(): ClientSnapshot {
    const gates = [...this.#gates];
    return {
      version: 1,
      pauses: gates.flatMap(([scope, { limitedUntil }]) =>
        limitedUntil === undefined ? [] : { scope, resumeAt: limitedUntil.toISOString() },
      ),
      quotas: gates.flatMap(([scope, { quota }]) => (quota === undefined ? [] : { scope, ...quota })),
    };
  }

  /** Only ever closes: a pause that is on stays as it is, or becomes longer (rule G2). */
  restore(snapshot: ClientSnapshot): void {
    for (const { scope, limit, windowMs } of snapshot.quotas) this.#gate(scope).learn({ limit, windowMs });
    for (const pause of snapshot.pauses) {
      const resumeAt = new Date(pause.resumeAt);
      if (resumeAt.getTime() <= this.#settings.clock.now()) continue;
      this.#gate(pause.scope).pauseUntil(resumeAt);
      this.#tell({ scope: pause.scope, resumeAt });
    }
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

  #tell(pause: { scope: string; resumeAt: Date }): void {
    this.#telling = true;
    try {
      void this.#settings.state.pause(pause);
    } finally {
      this.#telling = false;
    }
  }

  #gate(scope: string): Gate {
    const known = this.#gates.get(scope);
    if (known !== undefined) return known;
    const { clock, concurrency, rateLimit, pacing } = this.#settings;
    const { fallbackWaitMs, jitterMs, remaining } = rateLimit;
    const gate: Gate = new Gate({
      clock,
      emit: this.#emit,
      scope,
      concurrency,
      waits: { fallbackWaitMs, jitterMs },
      pacing: pacing === 'auto',
      readsRemaining: remaining !== undefined,
      mayRefuse: (remainingMs) => mayRefuseLimit(remainingMs, rateLimit),
      onPause: (pause) => this.#tell(pause),
    });
    this.#gates.set(scope, gate);
    return gate;
  }
}
