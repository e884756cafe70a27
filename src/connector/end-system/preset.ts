import type { ErrorKind, WaitFormat } from '../../contract/index.js';
import type { BodyFormat, EndSystemFailure } from './failure.js';
import type { PresetName } from './presets/index.js';

/**
 * Where something is in a JSON body: `error.code`, `errors.0.message`, or an array where a key itself has a dot. `*` stands
 * for every entry of a list or an object: a condition holds if one of them matches, a code or a wait is the first that can
 * be read, a message is all of them, those of an object with their keys (`title: is too long`).
 */
export type BodyPath = string | readonly (string | number)[];

/** `true`: it is there; text: it is exactly this; a pattern: it matches the first 8,192 characters. */
export type Match = true | string | RegExp;

export interface BodyCondition {
  path: BodyPath;
  /** In a rule also `false`: nothing is there, or only null. */
  matches: Match | false;
}

/**
 * How a wait is written. The formats of the contract's wait header, with decimals allowed in numbers; `guess` takes small
 * numbers for seconds to wait and large ones for a time (seconds or milliseconds since 1970).
 */
export type WaitUnit = WaitFormat | 'guess';

/** A budget that fills up steadily, as a body reports it: the wait is what is missing, divided by what comes in a second. */
export interface WaitBucket {
  /** What the refused request costs. */
  cost: BodyPath;
  /** What is left. */
  available: BodyPath;
  /** What comes back in a second. */
  restorePerSecond: BodyPath;
}

interface WaitReading {
  unit: WaitUnit;
  /** Its first group is what is read; without flags `g` and `y`. Values over 1,024 characters are no waits. @default the whole value */
  pattern?: RegExp | undefined;
  /** Added to what is read, where a product says that its time is not exact. @default 0 */
  marginMs?: number | undefined;
}

/**
 * Where a limit says how long it holds: a header, a place in the body, a budget in the body, or a function that works it
 * out in milliseconds.
 */
export type WaitSource =
  | ({ header: string; body?: undefined; bucket?: undefined } & WaitReading)
  | ({ body: BodyPath; header?: undefined; bucket?: undefined } & WaitReading)
  | { bucket: WaitBucket; header?: undefined; body?: undefined }
  | ((failure: EndSystemFailure) => number | undefined);

/**
 * Headers in which a product tells its quota of requests, on successes as on failures; `announceQuota` hands it on.
 * Nothing else belongs here: what is left of a quota of points or of one route would mislead the service.
 */
export interface QuotaSource {
  /** Headers that have to be there, for products that have several quotas. */
  when?: Readonly<Record<string, Match>> | undefined;
  /** The header with what is left: a whole number. */
  remaining: string;
  /** The header with how many requests a window holds. */
  limit?: string | undefined;
  /** Where it says when there is more. */
  reset?: HeaderReading | undefined;
  /** How long a window is: milliseconds, or the header that says so. Without it no policy is announced. */
  window?: number | HeaderReading | undefined;
}

export type HeaderReading = { header: string } & WaitReading;

export interface PresetRule {
  /**
   * All that is given here has to hold. A status below 400 is looked at only if a rule names it, and its body only if that
   * rule has conditions on it: up to 1 MiB of JSON. A larger one is a success.
   */
  when: {
    status?: readonly number[] | undefined;
    headers?: Readonly<Record<string, Match>> | undefined;
    body?: BodyCondition | readonly BodyCondition[] | undefined;
  };
  /** What the failure is (rule E2). */
  is: ErrorKind;
  /** The connector's status where `is` is `other`. @default 502 for a 5xx, else the end system's */
  status?: number | undefined;
  /** The code where the end system gives none. @default the kind's own */
  code?: string | undefined;
  /** For a rate limit: the first source that can be read counts. */
  wait?: readonly WaitSource[] | undefined;
  /** For a rate limit that does not say how long. @default 60000 */
  fallbackWaitMs?: number | undefined;
  /** A limit holds at least this long, whatever it says: one that says "now" would be asked again at once. @default 1000 */
  leastWaitMs?: number | undefined;
}

/** How one product reports its failures: data, no code. What no rule matches is judged by its status alone. */
export interface Preset {
  name: string;
  /** A preset to go on from, where nothing here matches: its rules, codes and messages come after the ones given here. */
  extends?: PresetName | Preset | undefined;
  /**
   * What the body of a failure is: JSON, or a SOAP 1.1 or 1.2 fault, of which rules and paths see `fault.code`, `fault.subcode`,
   * `fault.string` and `fault.detail`, all of them text, names without their prefix.
   *
   * @default 'json'
   */
  body?: BodyFormat | undefined;
  /** The first rule that matches decides. */
  rules: readonly PresetRule[];
  /**
   * Where the end system's error code is: the first place that leads to one counts (rule E3). With a condition it counts
   * only if it matches, for members that are a code in one answer and a sentence in the next.
   */
  code?: readonly (BodyPath | BodyCondition)[] | undefined;
  /** Where the end system's message is. */
  message?: readonly BodyPath[] | undefined;
  /** Where the end system tells its quota: the first source that can be read counts (rule W8). */
  quota?: readonly QuotaSource[] | undefined;
}
