import type { SharedPause } from '../../client/index.js';
import { latestDateMs, systemClock } from '../../internal/index.js';
import type { Link } from './link.js';
import { type Left, type Names, pause, readPauses } from './scripts.js';

type Listener = (pause: SharedPause) => void;
/** `end` is on the monotonic clock. */
type Known = Pick<Left, 'status'> & { end: number };

/**
 * The pauses of a connection, shared through Redis. A process keeps its own pauses even while Redis is down, with their ends on
 * its monotonic clock: on a calendar that is set back, a pause that is over would begin again.
 */
export function sharedPauses(link: Link, names: Names, toMessage: (pause: Left) => string) {
  /** By scope. */
  const ends = new Map<string, Known>();
  /**
   * By scope, the ends that this process has met itself or read, and so puts back: none is later than the true one, or each
   * exchange would make a pause longer. A message may be read late, and is not among them.
   */
  const certain = new Map<string, Known>();
  const listeners = new Set<Listener>();

  function leftOf(all: ReadonlyMap<string, Known>): Left[] {
    const now = systemClock.monotonic();
    const left = [...all].map(([scope, { end, status }]) => ({ scope, remainingMs: end - now, status }));
    return left.filter(({ remainingMs }) => remainingMs > 0);
  }

  function note({ scope, remainingMs, status }: Left): boolean {
    const end = systemClock.monotonic() + remainingMs;
    // The calendar, from which a caller has its end, is not exact to the millisecond.
    if (endIn(ends, scope) > end - 1) return false;
    ends.set(scope, { end, status });
    for (const listener of [...listeners]) listener(toPause({ scope, remainingMs, status }));
    return true;
  }

  function confirm({ scope, remainingMs, status }: Left, since: number): void {
    const end = since + remainingMs;
    if (end > endIn(certain, scope)) certain.set(scope, { end, status });
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
      confirm(left, askedAt);
    }
    return all;
  }

  return {
    /** Another process pauses. What is left of it Redis knows, even if this process was stopped when the message arrived. */
    async receive(left: Left): Promise<void> {
      await read().catch(() => void note(left));
    },
    /** See `ConnectionState.pause`. Never rejects: a pause that cannot be published now is published when Redis is back. */
    async share({ scope, resumeAt, status }: SharedPause): Promise<void> {
      const left = { scope, remainingMs: resumeAt.getTime() - Date.now(), status };
      confirm(left, systemClock.monotonic());
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

function endIn(all: ReadonlyMap<string, Known>, scope: string): number {
  return all.get(scope)?.end ?? Number.NEGATIVE_INFINITY;
}

function toPause({ scope, remainingMs, status }: Left): SharedPause {
  return { scope, status, resumeAt: new Date(Math.min(Date.now() + remainingMs, latestDateMs)) };
}
