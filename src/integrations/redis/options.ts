import type { Redis } from 'ioredis';
import {
  bool,
  checkOptions as check,
  count,
  option,
  optionsOf,
  readBy,
  type ShapeOf,
  text,
} from '../../internal/index.js';

export interface RedisStateOptions {
  /** A connection of ioredis. It stays the caller's to close; a second one, for messages, is opened beside it. */
  redis: Redis;
  /** Names what is shared: processes with the same name and redis share login and pauses. One name for each set of credentials. */
  connection: string;
  /**
   * Encrypts the session (AES-256-GCM): 32 bytes or more that every process has, and redis has not. With another key than the one it
   * was written with, a session is as good as none: the client logs in.
   */
  encryptionKey?: string | Uint8Array;
  /** Instead of a key: whoever can read redis can then use the session. @default false */
  storeSessionInPlainText?: boolean;
  /** What the names of all keys in redis begin with. @default 'concordat:' */
  prefix?: string;
  /** How long redis may take to answer before a process goes on by itself, in milliseconds. @default 1000 */
  timeoutMs?: number;
  /** How long a session stays in redis, in milliseconds. @default 86400000 (a day) */
  sessionTtlMs?: number;
  /** How long a refused login keeps all other processes from trying the same, in milliseconds (rule S5). @default 30000 */
  loginCooldownMs?: number;
  /** How long after the death of a process that was logging in another one takes over, in milliseconds. @default 10000 */
  takeoverMs?: number;
}

const shortestKeyBytes = 32;

const schema = optionsOf({
  redis: option<Redis>(
    (value) => typeof (value as Redis)?.duplicate === 'function' && typeof (value as Redis).eval === 'function',
    'must be a connection of ioredis: `new Redis(…)`',
  ),
  connection: option<string>(
    (value) => typeof value === 'string' && /^[^{}]+$/.test(value),
    'must be a name, without "{" and "}"',
  ),
  encryptionKey: readBy(readKey).optional(),
  storeSessionInPlainText: bool.default(false),
  prefix: text.default('concordat:'),
  timeoutMs: count(1).default(1000),
  sessionTtlMs: count(1).default(24 * 3_600_000),
  loginCooldownMs: count(1).default(30_000),
  takeoverMs: count(1).default(10_000),
} satisfies ShapeOf<RedisStateOptions>);

export type Settings = ReturnType<typeof checkOptions>;

/** Fills in the defaults. @throws TypeError naming the options that are wrong. */
export function checkOptions(options: RedisStateOptions) {
  const { storeSessionInPlainText, ...settings } = check(schema, options);
  const { encryptionKey } = settings;
  if (encryptionKey === undefined && !storeSessionInPlainText) {
    throw new TypeError(
      '`encryptionKey` is missing: a session is a credential and is not stored in redis as it is, unless `storeSessionInPlainText` says so.',
    );
  }
  if (encryptionKey !== undefined && storeSessionInPlainText) {
    throw new TypeError('`encryptionKey` and `storeSessionInPlainText` exclude each other.');
  }
  return { ...settings, encryptionKey };
}

function readKey(encryptionKey: unknown): Uint8Array {
  const key = typeof encryptionKey === 'string' ? Buffer.from(encryptionKey) : encryptionKey;
  if (key instanceof Uint8Array && key.length >= shortestKeyBytes) return key;
  throw new TypeError(`must be a string or a Uint8Array of ${shortestKeyBytes} bytes or more`);
}
