import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../internal/index.js';

interface Proof {
  readonly tag: Buffer;
  readonly endsAt: number;
  misses: number;
}

const lifetimeMs = 5 * 60_000;
/** So many wrong passwords cost no scrypt; then the proof is dropped. */
const missesAllowed = 10;
const maxEntries = 10_000;

/** A username and password as presented, and the user found for them; made by {@link PasswordProofs.present}. */
export interface PresentedPassword {
  /** The user and the source. */
  readonly place: string;
  /** HMAC of user, stored hash and password: a new hash or user gives a new tag. */
  readonly tag: Buffer;
}

/**
 * Remembers which passwords were right a moment ago. A program that sends Basic with every request costs one scrypt in
 * five minutes, and is served although others at its address fail (rule K14). It keeps no password, only an HMAC with a
 * random key of this process. The user is still looked up at every request (rule K11).
 */
export class PasswordProofs {
  readonly #key = randomBytes(32);
  readonly #clock: Pick<Clock, 'monotonic'>;
  // Both in the order of the latest success, oldest first.
  readonly #proofs = new Map<string, Proof>();
  readonly #sources = new Map<string, true>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  present(
    source: string,
    username: string,
    password: string,
    user: { id: string | undefined; passwordHash: string | undefined },
  ): PresentedPassword {
    const text = JSON.stringify([username, user.id, user.passwordHash, password]);
    return {
      place: JSON.stringify([source, user.id]),
      tag: createHmac('sha256', this.#key).update(text).digest(),
    };
  }

  holds({ place, tag }: PresentedPassword): boolean {
    const proof = this.#proofs.get(place);
    if (proof === undefined) return false;
    if (this.#clock.monotonic() < proof.endsAt) {
      if (timingSafeEqual(proof.tag, tag)) return true;
      proof.misses += 1;
      if (proof.misses < missesAllowed) return false;
    }
    this.#proofs.delete(place);
    return false;
  }

  /** Adds a password that has just been checked and was right. */
  add(source: string, { place, tag }: PresentedPassword): void {
    setLatest(this.#proofs, place, { tag, endsAt: this.#clock.monotonic() + lifetimeMs, misses: 0 });
    this.addSource(source);
  }

  /** Remembers only that somebody has signed in from here. */
  addSource(source: string): void {
    setLatest(this.#sources, source, true);
  }

  /** Whether somebody has signed in from this source. */
  knows(source: string): boolean {
    return this.#sources.has(source);
  }
}

function setLatest<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxEntries && oldest !== undefined) map.delete(oldest);
}
