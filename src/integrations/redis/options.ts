import type { Redis } from 'ioredis';

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

export type Settings = ReturnType<typeof checkOptions>;

const shortestKeyBytes = 32;

/** Fills in the defaults. @throws TypeError naming the option that is wrong. */
export function checkOptions(options: RedisStateOptions) {
  if (typeof options !== 'object' || options === null) throw new TypeError('`options` must be an object.');
  const { redis, connection, prefix = 'concordat:' } = options;
  if (typeof redis?.duplicate !== 'function' || typeof redis.eval !== 'function') {
    throw new TypeError('`redis` must be a connection of ioredis: `new Redis(…)`.');
  }
  if (typeof connection !== 'string' || connection === '' || /[{}]/.test(connection)) {
    throw new TypeError('`connection` must be a name, without "{" and "}".');
  }
  if (typeof prefix !== 'string') throw new TypeError('`prefix` must be a string.');
  return {
    redis,
    connection,
    prefix,
    encryptionKey: checkKey(options),
    timeoutMs: duration(options.timeoutMs, 1000, 'timeoutMs'),
    sessionTtlMs: duration(options.sessionTtlMs, 24 * 3_600_000, 'sessionTtlMs'),
    loginCooldownMs: duration(options.loginCooldownMs, 30_000, 'loginCooldownMs'),
    takeoverMs: duration(options.takeoverMs, 10_000, 'takeoverMs'),
  };
}

function checkKey({ encryptionKey, storeSessionInPlainText = false }: RedisStateOptions): Uint8Array | undefined {
  if (typeof storeSessionInPlainText !== 'boolean') {
    throw new TypeError('`storeSessionInPlainText` must be a boolean.');
  }
  if (encryptionKey === undefined) {
    if (storeSessionInPlainText) return undefined;
    throw new TypeError(
      '`encryptionKey` is missing: a session is a credential and is not stored in redis as it is, unless `storeSessionInPlainText` says so.',
    );
  }
  if (storeSessionInPlainText) throw new TypeError('`encryptionKey` and `storeSessionInPlainText` exclude each other.');
  const key = typeof encryptionKey === 'string' ? Buffer.from(encryptionKey) : encryptionKey;
  if (key instanceof Uint8Array && key.length >= shortestKeyBytes) return key;
  throw new TypeError(`\`encryptionKey\` must be a string or a Uint8Array of ${shortestKeyBytes} bytes or more.`);
}

function duration(value: unknown, fallback: number, name: string): number {
  const number = value === undefined ? fallback : value;
  if (typeof number === 'number' && Number.isInteger(number) && number > 0) return number;
  throw new TypeError(`\`${name}\` must be a whole number of milliseconds, more than 0, got ${String(value)}.`);
}
