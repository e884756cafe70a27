import type { Redis } from 'ioredis';
import {
  bool,
  checkOptions as check,
  count,
  oneOf,
  option,
  optionsOf,
  readBy,
  type ShapeOf,
  text,
} from '../../internal/index.js';

export interface RedisStateOptions {
  /**
   * An ioredis connection, which you close yourself. It only says how to connect: the state opens two connections of its own,
   * which all states with this `redis` share.
   */
  redis: Redis;
  /** Processes with the same `connection` on the same Redis share the session and pauses. Use one name per set of credentials. */
  connection: string;
  /**
   * Encrypts the session (AES-256-GCM). At least 32 bytes, the same in every process. With a different key, a process cannot use the
   * session and logs in.
   */
  encryptionKey?: string | Uint8Array | undefined;
  /** Stores the session without encryption: anybody who can read Redis can then use it. @default false */
  storeSessionInPlainText?: boolean | undefined;
  /** The prefix of all keys in Redis. @default 'concordat:' */
  prefix?: string | undefined;
  /** The timeout of a Redis command, in milliseconds; after it the process continues on its own. @default 1000 */
  timeoutMs?: number | undefined;
  /** How long a session stays in Redis, in milliseconds. @default 86400000 (a day) */
  sessionTtlMs?: number | undefined;
  /** How long no process logs in after a refused login, in milliseconds (rule S5). @default 30000 */
  loginCooldownMs?: number | undefined;
  /** How long until another process takes over from one that died while logging in, in milliseconds. @default 3000 */
  takeoverMs?: number | undefined;
  /**
   * What a process does that needs a session while Redis is away: logs in `'alone'`, or `'wait'`s until Redis is back, for
   * `maxAwayMs` at most. Wait if the system has one session for each account, where each login ends the session of another
   * process (rule G11).
   * @default 'alone'
   */
  whenAway?: 'alone' | 'wait' | undefined;
  /** How long a process waits with `whenAway: 'wait'` until it logs in alone, in milliseconds. @default 30000 */
  maxAwayMs?: number | undefined;
}

const shortestKeyBytes = 32;

const schema = optionsOf({
  redis: option<Redis>(
    (value) => typeof (value as Redis)?.duplicate === 'function' && (value as Redis).isCluster === false,
    'must be an ioredis connection: `new Redis(…)`, also with `sentinels`, but no `Cluster`',
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
  takeoverMs: count(1).default(3000),
  whenAway: oneOf(['alone', 'wait']).default('alone'),
  maxAwayMs: count(0).default(30_000),
} satisfies ShapeOf<RedisStateOptions>);

export type Settings = ReturnType<typeof checkOptions>;

/** Fills in the defaults. @throws TypeError naming the options that are wrong. */
export function checkOptions(options: RedisStateOptions) {
  const { storeSessionInPlainText, ...settings } = check(schema, options);
  const { encryptionKey } = settings;
  if (encryptionKey === undefined && !storeSessionInPlainText) {
    throw new TypeError(
      '`encryptionKey` is missing: a session is a credential and is stored in plain text only with `storeSessionInPlainText`.',
    );
  }
  if (encryptionKey !== undefined && storeSessionInPlainText) {
    throw new TypeError('`encryptionKey` and `storeSessionInPlainText` cannot be combined.');
  }
  return settings;
}

function readKey(encryptionKey: unknown): Uint8Array {
  const key = typeof encryptionKey === 'string' ? Buffer.from(encryptionKey) : encryptionKey;
  if (key instanceof Uint8Array && key.length >= shortestKeyBytes) return key;
  throw new TypeError(`must be a string or a Uint8Array of ${shortestKeyBytes} bytes or more`);
}
