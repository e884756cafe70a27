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
  /**
   * By scope, the ends that this process has met itself or read, and so puts back: none is later than the true one, or each
   * exchange would make a pause longer. A message may be read late, and is not among them.
   */
  const certain = new Map<string, number>();
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

  function confirm(scope: string, end: number): void {
    certain.set(scope, Math.max(certain.get(scope) ?? Number.NEGATIVE_INFINITY, end));
  }

  async function publish(left: Left): Promise<void> {
    if (left.remainingMs <= 0) return;
    await link.run((redis) => pause(redis, names, { ...left, message: toMessage(left) })).catch(() => {});
  }

  async function read(): Promise<Left[]> {
    const askedAt = systemClock.monotonic();
    const all = await link.run((redis) => readPauses(redis, names));
    for (const left of all) {
      note(left);
      confirm(left.scope, askedAt + left.remainingMs);
    }
    return all;
  }

  return {
    /** Another process pauses. What is left of it Redis knows, even if this process was stopped when the message arrived. */
    async receive(left: Left): Promise<void> {
      await read().catch(() => void note(left));
    },
    /** See `ConnectionState.pause`. Never rejects: a pause that cannot be published now is published when Redis is back. */
    async share({ scope, resumeAt }: SharedPause): Promise<void> {
      const left = { scope, remainingMs: resumeAt.getTime() - Date.now() };
      confirm(scope, systemClock.monotonic() + left.remainingMs);
      if (note(left)) await publish(left);
    },
    onPause(listener: Listener): () => void {
      listeners.add(listener);
      for (const left of leftOf(ends)) listener(toPause(left));
      return () => {
        listeners.delete(listener);
      };
    },
    /** Exchanges pauses with Redis after an outage: whatever it has lost, each process that knows it puts it back. */
    async synchronize(): Promise<void> {
      const stored = await read().catch(() => undefined);
      if (stored === undefined) return; // away again: this is called when it is back
      const storedMs = new Map(stored.map(({ scope, remainingMs }) => [scope, remainingMs]));
      // Redis counts in whole milliseconds.
      const isLost = ({ scope, remainingMs }: Left) => remainingMs > (storedMs.get(scope) ?? 0) + 1;
      await Promise.all(leftOf(certain).filter(isLost).map(publish));
    },
  };
}

function toPause({ scope, remainingMs }: Left): SharedPause {
  return { scope, resumeAt: new Date(Math.min(Date.now() + remainingMs, latestDateMs)) };
}
