import type { SharedPause } from '../../client/index.js';
import { latestDateMs, systemClock } from '../../internal/index.js';
import type { Link } from './link.js';
import { type Names, pause, readPauses } from './scripts.js';

type Listener = (pause: SharedPause) => void;
type Left = { scope: string; remainingMs: number };

/**
 * The pauses of a connection, shared through Redis. A process keeps its own pauses even while Redis is down, with their ends on
 * its monotonic clock: on a calendar that is set back, a pause that is over would begin again.
 */
export function sharedPauses(link: Link, names: Names, toMessage: (pause: Left) => string) {
  /** By scope. */
  const ends = new Map<string, number>();
  /** The pauses that this process has met itself. */
  const own = new Map<string, number>();
  const listeners = new Set<Listener>();

  function leftOf(all: ReadonlyMap<string, number>): Left[] {
    const now = systemClock.monotonic();
    return [...all].map(([scope, end]) => ({ scope, remainingMs: end - now })).filter((left) => left.remainingMs > 0);
  }

  function note({ scope, remainingMs }: Left): boolean {
    const end = systemClock.monotonic() + remainingMs;
    // The calendar, from which a caller has its end, is not exact to the millisecond.
    if ((ends.get(scope) ?? Number.NEGATIVE_INFINITY) > end - 1) return false;
    ends.set(scope, end);
    for (const listener of [...listeners]) listener(toPause({ scope, remainingMs }));
    return true;
  }

  async function publish(left: Left): Promise<void> {
    if (left.remainingMs <= 0) return;
    await link.run((redis) => pause(redis, names, { ...left, message: toMessage(left) })).catch(() => {});
  }

  async function read(): Promise<void> {
    for (const left of await link.run((redis) => readPauses(redis, names))) note(left);
  }

  return {
    /** Another process pauses. What is left of it Redis knows, even if this process was stopped when the message arrived. */
    async receive(left: Left): Promise<void> {
      await read().catch(() => note(left));
    },
    /** See `ConnectionState.pause`. Never rejects: a pause that cannot be published now is published when Redis is back. */
    async share({ scope, resumeAt }: SharedPause): Promise<void> {
      const left = { scope, remainingMs: resumeAt.getTime() - Date.now() };
      if (!note(left)) return;
      own.set(scope, systemClock.monotonic() + left.remainingMs);
      await publish(left);
    },
    onPause(listener: Listener): () => void {
      listeners.add(listener);
      for (const left of leftOf(ends)) listener(toPause(left));
      return () => {
        listeners.delete(listener);
      };
    },
    /** Exchanges pauses with Redis after an outage. */
    async synchronize(): Promise<void> {
      await read().catch(() => {});
      await Promise.all(leftOf(own).map(publish));
    },
  };
}

function toPause({ scope, remainingMs }: Left): SharedPause {
  return { scope, resumeAt: new Date(Math.min(Date.now() + remainingMs, latestDateMs)) };
}
