import * as z from 'zod';
import type { RequestLine } from '../../contract/index.js';
import { type Clock, describeValue, option, text } from '../../internal/index.js';
import { closedError } from '../errors.js';
import type { Emit, Quota } from '../events.js';
import { withoutQuery } from '../http/request-target.js';
import { Gate } from './gate.js';
import { Lane } from './lane.js';
import { AnnouncedQuota } from './quota/announced.js';
import { tightestFirst } from './quota/announcement.js';
import { LearnedQuota } from './quota/learned.js';
import type { Lease, LeaseRequest } from './quota/lease.js';
import { LeasedQuota } from './quota/leased.js';
import type { WaitLimits } from './wait-limits.js';

type PauseElsewhere = { scope: string; resumeAt: Date; status?: number | undefined };

/** The pauses and gates that clients of one connection share. */
export interface SharedGates {
  pause(pause: PauseElsewhere): void | Promise<void>;
  onPause(listener: (pause: PauseElsewhere) => void): () => void;
  gate?: (<Shared extends object>(key: string, create: () => Shared) => Shared) | undefined;
  take?: ((scope: string, request: LeaseRequest) => Promise<Lease | undefined>) | undefined;
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
    scope?: ((request: RequestLine) => string) | undefined;
  };
}

/** What a client knows of the connector's limits, as JSON for the next process. Nothing from the session (rule S7). */
export interface ClientSnapshot {
  readonly version: 1;
  /** The pauses in effect. `scope` is `''` if the connection has only one; `resumeAt` is ISO 8601. */
  readonly pauses: readonly { readonly scope: string; readonly resumeAt: string }[];
  /** The quotas learned so far. */
  readonly quotas: readonly { readonly scope: string; readonly limit: number; readonly windowMs: number }[];
}

const isoTime = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const time = option<string>(
  (value) => typeof value === 'string' && isoTime.test(value) && !Number.isNaN(Date.parse(value)),
  'must be an ISO 8601 time',
);

const count = option<number>(
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  'must be a whole number, 1 or more',
);

const error = 'must be what `client.snapshot()` returned';
const listOf = <Shape extends z.ZodRawShape>(shape: Shape) => z.array(z.object(shape, { error }), { error });

/** A snapshot from outside, such as a file. */
export const snapshotOption = z.object(
  {
    version: z.literal(1, 'must be 1'),
    pauses: listOf({ scope: text, resumeAt: time }),
    quotas: listOf({ scope: text, limit: count, windowMs: count }),
  },
  { error },
) satisfies z.ZodType<ClientSnapshot>;

/** A state may come from outside, too. */
const limitStatuses: ReadonlySet<number> = new Set([403, 429, 503]);

/** The gates of one client, by scope: normally one for the whole connection (rule G1). */
export class Gates {
  readonly #lanes = new Map<string, Lane>();
  readonly #options: GatesOptions;
  readonly #stopSharing: () => void;
  #isClosed = false;

  constructor(options: GatesOptions) {
    this.#options = options;
    const stop = options.state.onPause(({ scope, resumeAt, status = 0 }) => {
      const { gate } = this.#lane(scope);
      gate.pauseUntil(new Date(resumeAt), limitStatuses.has(status) ? status : undefined);
    });
    if (typeof stop !== 'function') throw new TypeError('`state.onPause` must return a function that ends it.');
    this.#stopSharing = stop;
  }

  for({ method, path }: RequestLine): Lane {
    const { scope: scopeOf } = this.#options.rateLimit;
    if (scopeOf === undefined) return this.#lane('');
    const scope: unknown = scopeOf({ method, path: withoutQuery(path) });
    if (typeof scope === 'string') return this.#lane(scope);
    throw new TypeError(`\`rateLimit.scope\` must return a string, got ${describeValue(scope)}.`);
  }

  get paused(): boolean {
    return this.#all.some(({ gate }) => gate.pause.on);
  }

  /** The latest end of all pauses in effect. */
  get resumeAt(): Date | undefined {
    const times = this.#all.flatMap(({ gate }) => gate.pause.resumeAt?.getTime() ?? []);
    return times.length === 0 ? undefined : new Date(Math.max(...times));
  }

  get pausedMs(): number {
    return this.#all.reduce((sum, { pausedMs }) => sum + pausedMs, 0);
  }

  /** The quota that is known; with several scopes, the one that allows the fewest requests in a given time. */
  get quota(): Quota | undefined {
    return tightestFirst(this.#all.flatMap(({ gate }) => gate.quota ?? []))[0];
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

  /** Never opens a gate: a pause in effect stays as it is or grows (rule G2). */
  restore(snapshot: ClientSnapshot): void {
    if (this.#isClosed) return;
    for (const { scope, limit, windowMs } of snapshot.quotas) this.#lane(scope).gate.seedQuota({ limit, windowMs });
    for (const pause of snapshot.pauses) {
      const resumeAt = new Date(pause.resumeAt);
      if (resumeAt.getTime() <= this.#options.clock.now()) continue;
      const { gate } = this.#lane(pause.scope);
      gate.pauseUntil(resumeAt);
      gate.publish(resumeAt);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stopSharing();
    const error = () => closedError({ method: 'close', path: '' });
    for (const lane of this.#all) lane.close(error);
  }

  get #all(): Lane[] {
    return [...this.#lanes.values()];
  }

  #lane(scope: string): Lane {
    const existing = this.#lanes.get(scope);
    if (existing !== undefined) return existing;
    const { emit, concurrency, rateLimit } = this.#options;
    const lane = new Lane(this.#gate(scope), { emit, concurrency, limits: rateLimit });
    this.#lanes.set(scope, lane);
    return lane;
  }

  /** The gate shared by all clients with the same state and the same options for it. */
  #gate(scope: string): Gate {
    const { state, clock, pacing, rateLimit } = this.#options;
    const { fallbackWaitMs, jitterMs, remaining } = rateLimit;
    const create = () => createGate(scope, this.#options);
    const key = JSON.stringify([scope, pacing, fallbackWaitMs, jitterMs, remaining]);
    const shared: object = state.gate?.(key, create) ?? create();
    // A gate from another copy of this package, or on another clock, cannot be used.
    return shared instanceof Gate && shared.clock === clock ? shared : create();
  }
}

/** The state keeps a gate longer than the client that made it: nothing of that client may be reached from it. */
function createGate(scope: string, { state, clock, pacing, rateLimit }: GatesOptions): Gate {
  const { fallbackWaitMs, jitterMs, remaining } = rateLimit;
  let isDown = false;
  const publish = async (resumeAt: Date, status?: number) => {
    try {
      await state.pause({ scope, resumeAt, ...(status !== undefined && { status }) });
      isDown = false;
    } catch (error) {
      // Once for each outage (rule G11).
      if (!isDown) gate.lanes.emit('error', { method: 'state', path: '', error });
      isDown = true;
    }
  };
  const createQuota = () => {
    if (pacing === 'off') return remaining && new AnnouncedQuota(clock);
    const learned = new LearnedQuota(clock);
    const take = state.take?.bind(state);
    if (take === undefined) return new AnnouncedQuota(clock, learned);
    const onAnswer = () => gate.pump();
    return new LeasedQuota({ clock, learned, take: async (request) => take(scope, request), onAnswer });
  };
  const gate: Gate = new Gate({
    clock,
    scope,
    waits: { fallbackWaitMs, jitterMs },
    quota: createQuota(),
    startsAlone: remaining !== undefined,
    publish,
  });
  return gate;
}
