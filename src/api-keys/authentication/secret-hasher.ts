import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { bool, option, optionsOf, type ShapeOf } from '../../internal/index.js';
import type { Pepper, PepperSecret } from './types.js';

/** The version of keys that were created without a pepper. */
const unpeppered = 0;
const leastPepperBytes = 32;
const dummy = Buffer.alloc(32);

/** Hashes secrets for storage and compares them (rule K2). */
export interface SecretHasher {
  /** The pepper version of new keys; 0 without a pepper. */
  readonly version: number;
  /** By version, a fingerprint that recognizes the pepper without revealing it. */
  readonly fingerprints: ReadonlyMap<number, string>;
  hash(secret: string): Buffer;
  /** Constant time, and the same work when there is no such key. */
  matches(secret: string, stored: { secretHash: Uint8Array; pepperVersion: number } | undefined): boolean;
}

/** @param pepper checked by {@link pepperOption} */
export function createSecretHasher(pepper: PepperSecret | Pepper | undefined): SecretHasher {
  const { version, secrets } = secretsOf(pepper);
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
      // timingSafeEqual throws on different lengths: a damaged row must not match, and must not crash.
      const comparable = computed !== undefined && expected.length === computed.length;
      const equal = timingSafeEqual(computed ?? dummy, comparable ? expected : dummy);
      return equal && comparable;
    },
  };
}

function secretsOf(pepper: PepperSecret | Pepper | undefined) {
  if (pepper === undefined) return { version: unpeppered, secrets: new Map([[unpeppered, null]]) };
  const {
    version,
    secret,
    previous = {},
    acceptUnpeppered,
  } = isSecret(pepper) ? { version: 1, secret: pepper } : pepper;
  const secrets = new Map<number, Buffer | null>();
  for (const [text, old] of Object.entries(previous)) secrets.set(Number(text), toBytes(old));
  secrets.set(version, toBytes(secret));
  if (acceptUnpeppered === true) secrets.set(unpeppered, null);
  return { version, secrets };
}

function isSecret(value: unknown): value is PepperSecret {
  return typeof value === 'string' || value instanceof Uint8Array;
}

function isLongEnough(value: unknown): boolean {
  return isSecret(value) && toBytes(value).length >= leastPepperBytes;
}

function isVersion(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1_000_000;
}

function toBytes(secret: PepperSecret): Buffer {
  return Buffer.from(secret as string);
}

const longEnough = `text or bytes of at least ${leastPepperBytes} bytes`;
const secretOption = option<PepperSecret>(isLongEnough, `must be ${longEnough}`);

export const pepperOption = z.union(
  [
    secretOption,
    optionsOf({
      version: option<number>(isVersion, 'must be a whole number from 1', true),
      secret: secretOption,
      previous: option<Pepper['previous']>(
        (value) =>
          value === undefined ||
          Object.entries(value ?? {}).every(([version, secret]) => isVersion(Number(version)) && isLongEnough(secret)),
        `must hold secrets by their version, a whole number from 1, each of them ${longEnough}`,
      ).optional(),
      acceptUnpeppered: bool.optional(),
    } satisfies ShapeOf<Pepper>),
  ],
  { error: `must be ${longEnough}, or an object with \`version\` and \`secret\`` },
);
