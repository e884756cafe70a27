import type { SharedPause } from '../../client/index.js';
import { latestDateMs } from '../../internal/index.js';
import type { Link } from './link.js';
import { type Names, pause, readPauses } from './scripts.js';

type Listener = (pause: SharedPause) => void;
type Left = { scope: string; remainingMs: number };

/** The pauses of a connection, shared through Redis. A process keeps its own pauses even while Redis is down. */
export function sharedPauses(link: Link, names: Names, toMessage: (pause: Left) => string) {
  const pauses = new Map<string, SharedPause>();
  const listeners = new Set<Listener>();

  function note(pause: SharedPause): boolean {
    const known = pauses.get(pause.scope);
    if (known !== undefined && known.resumeAt >= pause.resumeAt) return false;
    pauses.set(pause.scope, pause);
    for (const listener of [...listeners]) listener(pause);
    return true;
  }

  async function publish({ scope, resumeAt }: SharedPause): Promise<void> {
    const remainingMs = resumeAt.getTime() - Date.now();
    if (remainingMs <= 0) return;
    const message = toMessage({ scope, remainingMs });
    await link.run((redis) => pause(redis, names, { scope, remainingMs, message })).catch(() => {});
  }

  /** A pause of another process. */
  function receive({ scope, remainingMs }: Left): void {
    note({ scope, resumeAt: new Date(Math.min(Date.now() + remainingMs, latestDateMs)) });
  }

  return {
    receive,
    /** See `ConnectionState.pause`. Never rejects: a pause that cannot be published now is published when Redis is back. */
    async share(pause: SharedPause): Promise<void> {
      if (note(pause)) await publish(pause);
    },
    onPause(listener: Listener): () => void {
      listeners.add(listener);
      for (const pause of pauses.values()) if (pause.resumeAt.getTime() > Date.now()) listener(pause);
      return () => {
        listeners.delete(listener);
      };
    },
    /** Exchanges pauses with Redis after an outage. */
    async synchronize(): Promise<void> {
      const own = [...pauses.values()];
      const theirs = await link.run((redis) => readPauses(redis, names)).catch(() => []);
      for (const pause of theirs) receive(pause);
      await Promise.all(own.map(publish));
    },
  };
}
