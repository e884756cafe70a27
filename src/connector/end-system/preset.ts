import { type ErrorKind, errorTable, type WaitFormat, waitFormats } from '../../contract/index.js';
import type { EndSystemFailure } from './failure.js';

/**
 * Where something is in a JSON body: `error.code`, `errors.0.message`, or an array where a key itself has a dot. `*` stands
 * for every entry of a list or an object: a condition holds if one of them matches, a code or a wait is the first that can
 * be read, a message is all of them, those of an object with their keys (`title: is too long`).
 */
export type BodyPath = string | readonly (string | number)[];

/** `true`: it is there; text: it is exactly this; a pattern: it matches. */
export type Match = true | string | RegExp;

export interface BodyCondition {
  path: BodyPath;
  matches: Match;
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

/**
 * Where a limit says how long it holds: a header, a place in the body, a budget in the body, or a function that works it
 * out in milliseconds. With a `pattern`, its first group is what is read.
 */
export type WaitSource =
  | { header: string; body?: undefined; bucket?: undefined; unit: WaitUnit; pattern?: RegExp | undefined }
  | { body: BodyPath; header?: undefined; bucket?: undefined; unit: WaitUnit; pattern?: RegExp | undefined }
  | { bucket: WaitBucket; header?: undefined; body?: undefined }
  | ((failure: EndSystemFailure) => number | undefined);

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
  /** The first rule that matches decides. */
  rules: readonly PresetRule[];
  /** Where the end system's error code is: the first path that leads to one counts (rule E3). */
  code?: readonly BodyPath[] | undefined;
  /** Where the end system's message is. */
  message?: readonly BodyPath[] | undefined;
}

/**
 * Checks a preset for {@link endSystemFetch}.
 *
 * @throws TypeError naming what is wrong, such as `rules[2].when.status`.
 * @example
 * const ledger = definePreset({
 *   name: 'ledger',
 *   code: ['fault.id'],
 *   message: ['fault.text'],
 *   rules: [
 *     {
 *       when: { status: [403], body: { path: 'fault.id', matches: 'QUOTA' } },
 *       is: 'rate-limit',
 *       wait: [{ header: 'x-quota-reset', unit: 'epoch-seconds' }],
 *     },
 *   ],
 * })
 */
export function definePreset(preset: Preset): Preset {
  if (typeof preset !== 'object' || preset === null) throw new TypeError('`preset` must be an object.');
  if (typeof preset.name !== 'string' || preset.name === '') throw new TypeError('`name` must be a non-empty string.');
  checkPaths(preset.code, 'code');
  checkPaths(preset.message, 'message');
  if (!Array.isArray(preset.rules)) throw new TypeError('`rules` must be an array.');
  preset.rules.forEach((rule, index) => {
    checkRule(rule, `rules[${index}]`);
  });
  return Object.freeze({ ...preset });
}

function checkRule(rule: PresetRule, name: string): void {
  if (typeof rule?.when !== 'object' || rule.when === null) throw new TypeError(`\`${name}.when\` must be an object.`);
  const { status, headers, body } = rule.when;
  if (status !== undefined && !(Array.isArray(status) && status.every(isStatus))) {
    throw new TypeError(`\`${name}.when.status\` must be an array of HTTP statuses.`);
  }
  for (const [header, match] of Object.entries(headers ?? {})) checkMatch(match, `${name}.when.headers.${header}`);
  for (const condition of conditionsOf(body)) {
    checkPaths([condition.path], `${name}.when.body.path`);
    checkMatch(condition.matches, `${name}.when.body.matches`);
  }
  if (!Object.hasOwn(errorTable, rule.is)) {
    throw new TypeError(`\`${name}.is\` must be one of ${Object.keys(errorTable).join(', ')}.`);
  }
  if (rule.status !== undefined && (rule.is !== 'other' || !isStatus(rule.status) || rule.status < 400)) {
    throw new TypeError(`\`${name}.status\` must be a status from 400 to 599, and \`is\` must be other.`);
  }
  for (const key of ['fallbackWaitMs', 'leastWaitMs'] as const) {
    const value = rule[key];
    if (value !== undefined && !(Number.isFinite(value) && value >= 0)) {
      throw new TypeError(`\`${name}.${key}\` must be a number of milliseconds.`);
    }
  }
  rule.wait?.forEach((source, index) => {
    checkSource(source, `${name}.wait[${index}]`);
  });
}

function checkSource(source: WaitSource, name: string): void {
  if (typeof source === 'function') return;
  const given = (['header', 'body', 'bucket'] as const).filter((key) => source?.[key] !== undefined);
  if (given.length !== 1) {
    throw new TypeError(`\`${name}\` must have one of \`header\`, \`body\` and \`bucket\`, or be a function.`);
  }
  if (source.bucket !== undefined) {
    const { cost, available, restorePerSecond } = source.bucket;
    checkPaths([cost, available, restorePerSecond], `${name}.bucket`);
    return;
  }
  if (source.unit !== 'guess' && !waitFormats.includes(source.unit)) {
    throw new TypeError(`\`${name}.unit\` must be one of ${waitFormats.join(', ')}, guess.`);
  }
}

function checkPaths(paths: readonly BodyPath[] | undefined, name: string): void {
  if (paths === undefined) return;
  const isPath = (path: unknown) =>
    (typeof path === 'string' && path !== '') || (Array.isArray(path) && path.length > 0);
  if (!Array.isArray(paths) || !paths.every(isPath)) throw new TypeError(`\`${name}\` must hold paths into the body.`);
}

function checkMatch(match: unknown, name: string): void {
  if (match === true || typeof match === 'string' || match instanceof RegExp) return;
  throw new TypeError(`\`${name}\` must be true, a text or a pattern.`);
}

function isStatus(status: unknown): boolean {
  return Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 599;
}

export function conditionsOf(body: PresetRule['when']['body']): readonly BodyCondition[] {
  if (body === undefined) return [];
  return Array.isArray(body) ? body : [body as BodyCondition];
}
