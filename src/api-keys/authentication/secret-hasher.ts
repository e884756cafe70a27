import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Pepper, PepperSecret } from './types.js';

/** Keys made without a pepper. */
const unpeppered = 0;
const leastPepperBytes = 32;
const dummy = Buffer.alloc(32);

/** Turns secrets into what is stored, and compares (rule K2). */
export interface SecretHasher {
  /** The pepper's version that new keys get; 0 without one. */
  readonly version: number;
  /** Proof, by version, that a pepper is the one a database was written with; says nothing about it. */
  readonly fingerprints: ReadonlyMap<number, string>;
  hash(secret: string): Buffer;
  /** In constant time, and with the same work when there is no such key. */
  matches(secret: string, stored: { secretHash: Uint8Array; pepperVersion: number } | undefined): boolean;
}

/** @throws TypeError naming `pepper` when it is too short or its version is wrong */
export function createSecretHasher(pepper: PepperSecret | Pepper | undefined): SecretHasher {
  const { version, secrets } = readPepper(pepper);
  const digest = (secret: string, ofVersion: number): Buffer | undefined => {
    const key = secrets.get(ofVersion);
    if (key === undefined) return undefined;
    return key === null ? hash('sha256', secret, 'buffer') : createHmac('sha256', key).update(secret).digest();
  };
  return {
    version,
    fingerprints: new Map(
      [...secrets.keys()].map((known) => [known, digest('concordat pepper', known)?.toString('hex') ?? '']),
    ),
    hash: (secret) => digest(secret, version) as Buffer,
    matches(secret, stored) {
      const computed = digest(secret, stored?.pepperVersion ?? version);
      const expected = stored?.secretHash ?? dummy;
      // timingSafeEqual throws on different lengths: a damaged row is a key that does not match, not a crash.
      const comparable = computed !== undefined && expected.length === computed.length;
      const equal = timingSafeEqual(computed ?? dummy, comparable ? expected : dummy);
      return equal && comparable;
    },
  };
}

function readPepper(pepper: PepperSecret | Pepper | undefined) {
  if (pepper === undefined) return { version: unpeppered, secrets: new Map([[unpeppered, null]]) };
  const { version, secret, previous, acceptUnpeppered } = isSecret(pepper)
    ? { version: 1, secret: pepper, previous: undefined, acceptUnpeppered: undefined }
    : pepper;
  const secrets = new Map<number, Buffer | null>();
  for (const [text, old] of Object.entries(previous ?? {})) secrets.set(readVersion(Number(text)), readSecret(old));
  secrets.set(readVersion(version), readSecret(secret));
  if (acceptUnpeppered === true) secrets.set(unpeppered, null);
  return { version, secrets };
}

function isSecret(value: PepperSecret | Pepper): value is PepperSecret {
  return typeof value === 'string' || value instanceof Uint8Array;
}

function readVersion(version: number): number {
  if (!Number.isInteger(version) || version < 1 || version > 1_000_000) {
    throw new TypeError('`pepper` versions must be whole numbers from 1.');
  }
  return version;
}

function readSecret(secret: PepperSecret): Buffer {
  const bytes = isSecret(secret) ? Buffer.from(secret as string) : Buffer.alloc(0);
  if (bytes.length < leastPepperBytes) {
    throw new TypeError(`\`pepper\` secrets must be text or bytes of at least ${leastPepperBytes} bytes.`);
  }
  return bytes;
}
