import { type Clock, type ConnectionState, memoryState, type SharedPause } from 'concordat/client';
import { lease, type SharedQuota } from '../../test/helpers/lease-rules.js';
import type { Time } from './time.js';

/** A connection that is silent for so long is taken for broken: `timeoutMs` of `redisState`. */
const patienceMs = 1000;

export type Sharing = 'none' | 'pause' | 'quota';

/** What Redis is to a fleet, on the virtual clock: every command and every message takes its time. */
export class Fleet {
  readonly #time: Time;
  readonly #latencyMs: () => number;
  readonly #windows = new Map<string, SharedQuota>();
  readonly #listeners = new Set<{ id: number; clock: Clock; tell: (pause: SharedPause) => void }>();
  readonly #pausedUntil = new Map<string, number>();
  readonly #sessions = memoryState();
  #members = 0;
  #silentSince = Number.POSITIVE_INFINITY;
  /** Commands for the quota, and for pauses. */
  takes = 0;
  pauses = 0;
  /** Every command fails. */
  isAway = false;

  constructor(time: Time, latencyMs = () => 1) {
    this.#time = time;
    this.#latencyMs = latencyMs;
  }

  window(scope = ''): SharedQuota | undefined {
    return this.#windows.get(scope);
  }

  get isSilent(): boolean {
    return this.#silentSince < Number.POSITIVE_INFINITY;
  }

  /** Nothing is answered, as by a Redis that hangs. */
  set isSilent(isSilent: boolean) {
    this.#silentSince = isSilent ? this.#time.now : Number.POSITIVE_INFINITY;
  }

  /** As after `FLUSHALL`. */
  forget(): void {
    this.#windows.clear();
    this.#pausedUntil.clear();
  }

  async #hang(): Promise<void> {
    while (this.isSilent && this.#time.now < this.#silentSince + patienceMs) await this.#time.sleep(10);
    if (this.isSilent) throw new Error('hangs');
  }

  /** The state of one process. */
  join(sharing: Sharing, clock: Clock): ConnectionState {
    if (sharing === 'none') return memoryState();
    const id = ++this.#members;
    const { renew, newer } = this.#sessions;
    const state: ConnectionState = {
      renew,
      newer: newer as NonNullable<typeof newer>,
      pause: async (pause) => {
        this.pauses++;
        const remainingMs = Math.ceil(pause.resumeAt.getTime() - clock.now());
        await this.#time.sleep(this.#latencyMs());
        await this.#hang();
        if (this.isAway || this.#time.now + remainingMs <= (this.#pausedUntil.get(pause.scope) ?? 0)) return;
        this.#pausedUntil.set(pause.scope, this.#time.now + remainingMs);
        await this.#time.sleep(this.#latencyMs());
        for (const listener of this.#listeners) {
          const resumeAt = new Date(listener.clock.now() + remainingMs);
          if (listener.id !== id) listener.tell({ scope: pause.scope, resumeAt });
        }
      },
      onPause: (tell) => {
        const listener = { id, clock, tell };
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
    if (sharing === 'pause') return state;
    return {
      ...state,
      take: async (scope, request) => {
        this.takes++;
        await this.#time.sleep(this.#latencyMs());
        await this.#hang();
        if (this.isAway) throw new Error('away');
        const [stored, answer] = lease(this.#windows.get(scope), request, Math.floor(this.#time.now));
        this.#windows.set(scope, stored);
        await this.#time.sleep(this.#latencyMs());
        return answer;
      },
    };
  }
}
