import type { FailedRequest } from '../../contract/index.js';
import type { Clock } from '../../internal/index.js';
import { RequestError } from '../errors.js';
import type { Emit, Quota } from '../events.js';
import { Gate } from './gate.js';
import { Lane } from './lane.js';
import { AnnouncedQuota, tightest } from './quota/announced.js';
import { LearnedQuota } from './quota/learned.js';
import { mayRefuseLimit, type WaitLimits } from './refusal.js';
import type { ClientSnapshot } from './snapshot.js';

/** What is shared of pauses and gates, by clients of one connection. */
export interface SharedGates {
  pause(pause: { scope: string; resumeAt: Date }): void | Promise<void>;
  onPause(listener: (pause: { scope: string; resumeAt: Date }) => void): () => void;
  gate?<Shared extends object>(key: string, create: () => Shared): Shared;
}

export interface GatesOptions {
  clock: Clock;
  emit: Emit;
  state: SharedGates;
  concurrency: number;
  pacing: 'auto' | 'off';
  rateLimit: WaitLimits & {
    fallbackWaitMs: number;
    jitterMs: number;
    remaining?: object | undefined;
    scope?: ((request: FailedRequest) => string) | undefined;
  };
}

/** The gates of one client, by scope: normally one for the whole connection (rule G1). */
export class Gates {
  readonly #lanes = new Map<string, Lane>();
  readonly #options: GatesOptions;
  readonly #stopSharing: () => void;

  constructor(options: GatesOptions) {
    this.#options = options;
    this.#stopSharing = options.state.onPause(({ scope, resumeAt }) => this.#lane(scope).gate.pauseUntil(resumeAt));
  }

  /** The way that a request has to pass. */
  for(request: FailedRequest): Lane {
    const { scope } = this.#options.rateLimit;
    return this.#lane(scope === undefined ? '' : String(scope({ method: request.method, path: request.path })));
  }

  get paused(): boolean {
    return this.#all.some(({ gate }) => gate.pause.on);
  }

  /** The latest end of a pause that is on. */
  get resumeAt(): Date | undefined {
    const times = this.#all.flatMap(({ gate }) => gate.pause.resumeAt?.getTime() ?? []);
    return times.length === 0 ? undefined : new Date(Math.max(...times));
  }

  get pausedMs(): number {
    return this.#all.reduce((sum, { pausedMs }) => sum + pausedMs, 0);
  }

  /** What is known; of several scopes the one that allows the fewest requests in a given time. */
  get quota(): Quota | undefined {
    return tightest(this.#all.flatMap(({ gate }) => gate.quota ?? []));
  }

  snapshot(): ClientSnapshot {
    const gates = [...this.#lanes].map(([scope, { gate }]) => ({ scope, gate }));
    return {
      version: 1,
      pauses: gates.flatMap(({ scope, gate: { pause } }) =>
        pause.askedUntil === undefined ? [] : { scope, resumeAt: pause.askedUntil.toISOString() },
      ),
      quotas: gates.flatMap(({ scope, gate: { quota } }) => (quota === undefined ? [] : { scope, ...quota })),
    };
  }

  /** Only ever closes: a pause that is on stays as it is, or becomes longer (rule G2). */
  restore(snapshot: ClientSnapshot): void {
    for (const { scope, limit, windowMs } of snapshot.quotas) this.#lane(scope).gate.learn({ limit, windowMs });
    for (const pause of snapshot.pauses) {
      const resumeAt = new Date(pause.resumeAt);
      if (resumeAt.getTime() <= this.#options.clock.now()) continue;
      this.#lane(pause.scope).gate.pauseUntil(resumeAt);
      void this.#options.state.pause({ scope: pause.scope, resumeAt });
    }
  }

  close(): void {
    this.#stopSharing();
    const request = { method: 'close', path: '' };
    const error = () =>
      new RequestError('the client was closed while this call waited', { code: 'CLIENT_CLOSED', request });
    for (const lane of this.#all) lane.close(error);
  }

  get #all(): Lane[] {
    return [...this.#lanes.values()];
  }

  #lane(scope: string): Lane {
    const known = this.#lanes.get(scope);
    if (known !== undefined) return known;
    const { emit, concurrency, rateLimit } = this.#options;
    const mayRefuse = (remainingMs: number) => mayRefuseLimit(remainingMs, rateLimit);
    const lane = new Lane(this.#gate(scope), { emit, concurrency, mayRefuse });
    this.#lanes.set(scope, lane);
    return lane;
  }

  /** The gate of all clients with the same state, where they ask the same of it. */
  #gate(scope: string): Gate {
    const { state, clock, pacing, rateLimit } = this.#options;
    const { fallbackWaitMs, jitterMs, remaining } = rateLimit;
    const create = () => {
      const learned = pacing === 'auto' ? new LearnedQuota(clock) : undefined;
      const quota = pacing === 'auto' || remaining !== undefined ? new AnnouncedQuota(clock, learned) : undefined;
      const publish = (resumeAt: Date) => void state.pause({ scope, resumeAt });
      const waits = { fallbackWaitMs, jitterMs };
      return new Gate({ clock, scope, waits, quota, startsAlone: remaining !== undefined, publish });
    };
    const key = JSON.stringify([scope, pacing, fallbackWaitMs, jitterMs, remaining]);
    const shared: object = state.gate?.(key, create) ?? create();
    // One of another copy of this package, or by another clock, is not for this client.
    return shared instanceof Gate && shared.clock === clock ? shared : create();
  }
}
