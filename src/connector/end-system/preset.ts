import type { ErrorKind, WaitFormat } from '../../contract/index.js';
import type { BodyFormat, EndSystemFailure } from './failure.js';
import type { PresetName } from './presets/index.js';

/**
 * A path into a JSON body: `error.code`, `errors.0.message`, or an array if a key contains a dot. `*` stands for every entry
 * of a list or an object: a condition holds if one of them matches, a code or a wait is the first that can be read, and a
 * message joins them all, those of an object with their keys (`title: is too long`).
 */
export type BodyPath = string | readonly (string | number)[];

/** `true`: the value exists; a string: it is equal; a pattern: it matches the first 8,192 characters. */
export type Match = true | string | RegExp;

export interface BodyCondition {
  path: BodyPath;
  /** In a rule also `false`: the value is missing or null. */
  matches: Match | false;
}

/**
 * How a wait is written: the formats of the contract's wait header, with decimals allowed; `guess` reads small numbers as
 * seconds to wait and large ones as a time (seconds or milliseconds since 1970).
 */
export type WaitUnit = WaitFormat | 'guess';

/** A token bucket, as a body reports it: the wait is the missing amount divided by the refill rate. */
export interface WaitBucket {
  /** The cost of the refused request. */
  cost: BodyPath;
  /** The remaining amount. */
  available: BodyPath;
  /** The refill per second. */
  restorePerSecond: BodyPath;
}

interface WaitReading {
  unit: WaitUnit;
  /** Its first group is the value; without the flags `g` and `y`. Values over 1,024 characters are ignored. @default the whole value */
  pattern?: RegExp | undefined;
  /** Milliseconds added to the wait, for products whose times are not exact. @default 0 */
  marginMs?: number | undefined;
}

/**
 * Where a rate limit says how long to wait: a header, a value in the body, a token bucket in the body, or a function that
 * returns milliseconds.
 */
export type WaitSource =
  | ({ header: string; body?: undefined; bucket?: undefined } & WaitReading)
  | ({ body: BodyPath; header?: undefined; bucket?: undefined } & WaitReading)
  | { bucket: WaitBucket; header?: undefined; body?: undefined }
  | ((failure: EndSystemFailure) => number | undefined);

/**
 * Headers in which a product reports its quota of requests; `announceQuota` announces it. Quotas of points or of a single
 * route do not belong here: they would mislead the service.
 */
export interface QuotaSource {
  /** Headers that must be present, for products with several quotas. */
  when?: Readonly<Record<string, Match>> | undefined;
  /** The header with the remaining requests, a whole number. */
  remaining: string | CountReading;
  /** The header with the number of requests per window. */
  limit?: string | CountReading | undefined;
  /** Where the response says when the quota resets. */
  reset?: HeaderReading | undefined;
  /** The length of a window: milliseconds, or a header. Without it no policy is announced. */
  window?: number | HeaderReading | undefined;
}

export type HeaderReading = { header: string } & WaitReading;

/** A whole number in a header that may hold more. */
export interface CountReading {
  header: string;
  /** Its first group is the number; as in {@link WaitSource}. @default the whole value */
  pattern?: RegExp | undefined;
}

export interface PresetRule {
  /**
   * All conditions must hold. A status below 400 is examined only if a rule names it, and its body only if that rule has
   * conditions on it: up to 1 MiB of JSON, or of XML if `body` is `'soap'`. A larger body is a success.
   */
  when: {
    status?: readonly number[] | undefined;
    headers?: Readonly<Record<string, Match>> | undefined;
    body?: BodyCondition | readonly BodyCondition[] | undefined;
  };
  /** What the failure is (rule E2). */
  is: ErrorKind;
  /** The connector's status if `is` is `other`. @default 502 for a 5xx, otherwise the end system's */
  status?: number | undefined;
  /** The code if the end system gives none. @default the kind's own */
  code?: string | undefined;
  /** For a rate limit: the first source that can be read counts. */
  wait?: readonly WaitSource[] | undefined;
  /** For a rate limit that does not say how long. @default 60000 */
  fallbackWaitMs?: number | undefined;
  /** The minimum wait in milliseconds: a rate limit that says "now" would be retried at once. @default 1000 */
  leastWaitMs?: number | undefined;
}

/** How one product reports its failures. A failure that no rule matches is judged by its status. */
export interface Preset {
  name: string;
  /** A preset whose rules, codes and messages come after those given here. */
  extends?: PresetName | Preset | undefined;
  /**
   * The format of a failure's body: JSON, or a SOAP 1.1 or 1.2 fault, which rules and paths see as strings at `fault.code`,
   * `fault.subcode`, `fault.string` and `fault.detail`, with names without their prefix.
   *
   * @default 'json'
   */
  body?: BodyFormat | undefined;
  /** The first rule that matches decides. */
  rules: readonly PresetRule[];
  /**
   * Where the end system's error code is: the first place with a code is used (rule E3). A condition is for members that are
   * a code in one response and a sentence in the next.
   */
  code?: readonly (BodyPath | BodyCondition)[] | undefined;
  /** Where the end system's message is. */
  message?: readonly BodyPath[] | undefined;
  /**
   * Removes from the end system's messages and details what the service's users must not see, such as paths on its server. Gets
   * up to 64 KiB; where nothing is left of a message, it names the status. @default nothing is taken out
   */
  clean?: ((text: string) => string) | undefined;
  /** Whether the end system's response is the error's detail. @default true */
  detail?: boolean | undefined;
  /** Where the end system reports its quota: the first source that can be read counts (rule W8). */
  quota?: readonly QuotaSource[] | undefined;
}
