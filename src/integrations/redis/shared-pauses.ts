import type { SharedPause } from '../../client/index.js';
import { latestDateMs } from '../../internal/index.js';
import type { Link } from './link.js';
import { type Names, pause, readPauses } from './scripts.js';

type Listener = (pause: SharedPause) => void;

/** The pauses of a connection, shared through Redis. A process keeps its own pauses even while Redis is down. */
export class SharedPauses {
  readonly #link: Link;
  readonly #names: Names;
  readonly #toMessage: (pause: { scope: string; remainingMs: number }) => string;
  readonly #pauses = new Map<string, SharedPause>();
  readonly #listeners = new Set<Listener>();

  constructor(link: Link, names: Names, toMessage: (pause: { scope: string; remainingMs: number }) => string) {
    this.#link = link;
    this.#names = names;
    this.#toMessage = toMessage;
  }

  /** See `ConnectionState.pause`. Never rejects: a pause that cannot be published now is published when Redis is back. */
  async share(pause: SharedPause): Promise<void> {
    if (this.#note(pause)) await this.#publish(pause);
  }

  /** See `ConnectionState.onPause`. */
  onPause(listener: Listener): () => void {
    this.#listeners.add(listener);
    for (const pause of this.#pauses.values()) if (pause.resumeAt.getTime() > Date.now()) listener(pause);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** A pause of another process. */
  receive({ scope, remainingMs }: { scope: string; remainingMs: number }): void {
    this.#note({ scope, resumeAt: new Date(Math.min(Date.now() + remainingMs, latestDateMs)) });
  }

  /** Exchanges pauses with Redis after an outage. */
  async synchronize(): Promise<void> {
    const own = [...this.#pauses.values()];
    const theirs = await this.#link.run((redis) => readPauses(redis, this.#names)).catch(() => []);
    for (const pause of theirs) this.receive(pause);
    await Promise.all(own.map((pause) => this.#publish(pause)));
  }

  async #publish({ scope, resumeAt }: SharedPause): Promise<void> {
    const remainingMs = resumeAt.getTime() - Date.now();
    if (remainingMs <= 0) return;
    const message = this.#toMessage({ scope, remainingMs });
    await this.#link.run((redis) => pause(redis, this.#names, { scope, remainingMs, message })).catch(() => {});
  }

  #note(pause: SharedPause): boolean {
    const known = this.#pauses.get(pause.scope);
    if (known !== undefined && known.resumeAt >= pause.resumeAt) return false;
    this.#pauses.set(pause.scope, pause);
    for (const listener of [...this.#listeners]) listener(pause);
    return true;
  }
}
