import * as z from 'zod';
import { isObject } from './body.js';

/** A schema for each option of a type; use it with `satisfies`, so that the options match the type. */
export type ShapeOf<Options> = { readonly [Name in keyof Required<Options>]: z.ZodType };

/**
 * Checks options and fills in the schema's defaults. Clocks, functions, signals and the like are returned unchanged.
 *
 * @param name what to call the value in messages; with `options` its options are named without a prefix
 * @throws TypeError that names each wrong option by its path, in backticks.
 */
export function checkOptions<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  name = 'options',
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const nameOf = (path: readonly PropertyKey[]) =>
    path.reduce<string>(joinName, name === 'options' ? '' : name) || name;
  throw new TypeError(`${problems(result.error.issues, nameOf).join('; ')}.`);
}

/** An object with these options and no others, so that a misspelt one is not silently ignored. */
export function optionsOf<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? notAnOption(issue.keys, known) : `must be an object with ${listed(known)}`,
  });
}

/** The message for options that do not exist, to follow their names. */
export function notAnOption(names: readonly string[], known: readonly string[]): string {
  const meant = names.flatMap((name) => nearest(name, known) ?? []);
  const problem = names.length === 1 ? 'is not an option' : 'are not options';
  const others = known.length > 50 ? `${known.length} others` : listed(known);
  if (meant.length === 0) return `${problem}: there are ${others}`;
  return `${problem}: did you mean ${listed(meant)}? There are ${others}`;
}

/**
 * Refuses names that are no options, of an object whose values are checked elsewhere. Anything else has no names.
 *
 * @throws TypeError that names them, in backticks
 */
export function checkNames(known: readonly string[], value: unknown, name = ''): void {
  const wrong = isObject(value) ? Object.keys(value).filter((key) => !known.includes(key)) : [];
  if (wrong.length === 0) return;
  throw new TypeError(`${wrong.map((key) => `\`${joinName(name, key)}\``).join(', ')} ${notAnOption(wrong, known)}.`);
}

/** A value that is checked as a whole. The message contains it only if `shown`, because it may be a secret. */
export function option<T>(isValid: (value: unknown) => boolean, must: string, shown = false) {
  const error = ({ input }: { input?: unknown }) => (shown ? `${must}, got ${shortText(input)}` : must);
  return z.custom<T>(isValid, { error });
}

/** A value that a function reads. The message is that of the error the function throws, without the option's name. */
export function readBy<T>(read: (value: unknown) => T) {
  return z.unknown().transform((value, context): T => {
    try {
      return read(value);
    } catch (error) {
      context.addIssue((error as Error).message.replace(/^`[^`]*` /, '').replace(/\.$/, ''));
      return z.NEVER;
    }
  });
}

/** A number of milliseconds: `least` or more, and `Infinity` only if `endless`. */
export function duration({ least = 0, endless = false } = {}) {
  const isValid = (value: unknown) =>
    typeof value === 'number' && value >= least && (endless || value !== Number.POSITIVE_INFINITY);
  return option<number>(isValid, `must be a number of milliseconds, ${least || 'zero'} or more`, true);
}

/** A timeout in milliseconds; may be `Infinity`. */
export const timeLimit = option<number>(
  (value) => typeof value === 'number' && value > 0,
  'must be a number of milliseconds, more than 0',
  true,
);

export function count(least: number, { endless = false } = {}) {
  const isValid = (value: unknown) =>
    (Number.isInteger(value) && (value as number) >= least) || (endless && value === Number.POSITIVE_INFINITY);
  return option<number>(isValid, `must be a whole number, ${least} or more`, true);
}

/** An HTTP status, `least` to 599. */
export function statusFrom(least: number) {
  const isValid = (value: unknown) => Number.isInteger(value) && (value as number) >= least && (value as number) <= 599;
  return option<number>(isValid, `must be a status from ${least} to 599`, true);
}

export function oneOf<const Name extends string>(names: readonly Name[]) {
  const choice = names.length > 2 ? `one of ${names.join(', ')}` : names.map((name) => `'${name}'`).join(' or ');
  return option<Name>((value) => names.includes(value as Name), `must be ${choice}`, true);
}

export const text = option<string>((value) => typeof value === 'string', 'must be text');

/** A record of strings. The message does not contain them, because they may be secrets. */
export const texts = option<Readonly<Record<string, string>>>(
  (value) => isObject(value) && Object.values(value).every((item) => typeof item === 'string'),
  'must be an object whose values are all text',
);

/** Any object but an array; its contents are not checked. */
export function anyObject<T = object>() {
  return option<T>(isObject, 'must be an object');
}

export const bool = option<boolean>((value) => typeof value === 'boolean', 'must be true or false', true);

/** The path of a route, without a query. */
export const routePath = option<string>(
  (value) => typeof value === 'string' && /^\/[^\s?#]*$/.test(value),
  'must be a path that starts with "/"',
  true,
);

export function functionOf<T>() {
  return option<T>((value) => typeof value === 'function', 'must be a function');
}

/** A name, or a function that returns one. */
export function nameOrFunction<T>(what: string) {
  const isValid = (value: unknown) => typeof value === 'function' || (typeof value === 'string' && value !== '');
  return option<T>(isValid, `must be ${what}'s name, or a function that returns it`);
}

/** An object with these methods; it may come from another copy of a package. */
export function withMethods<T>(...names: (keyof T & string)[]) {
  const isValid = (value: unknown) => isObject(value) && names.every((name) => typeof value[name] === 'function');
  return option<T>(isValid, `must have the ${names.length === 1 ? 'method' : 'methods'} ${listed(names)}`);
}

function problems(issues: readonly z.core.$ZodIssue[], nameOf: (path: readonly PropertyKey[]) => string): string[] {
  return issues.flatMap((issue) => {
    const { path } = issue;
    if (issue.code === 'unrecognized_keys') {
      return `${issue.keys.map((key) => `\`${nameOf([...path, key])}\``).join(', ')} ${issue.message}`;
    }
    if (issue.code === 'invalid_union') {
      // The kind that was meant is the one whose only problems are further inside.
      const meant = issue.errors.filter((errors) => errors.every(isFurtherIn));
      if (meant[0] !== undefined && meant.length === 1) return problems(meant[0], (rest) => nameOf([...path, ...rest]));
    }
    const must = /^(?:must|has|is|needs) /.test(issue.message);
    return `\`${nameOf(path)}\` ${must ? issue.message : `is not valid: ${issue.message}`}`;
  });
}

function isFurtherIn({ code, path }: z.core.$ZodIssue): boolean {
  return path.length > 0 || code === 'unrecognized_keys';
}

function joinName(name: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${name}[${key}]`;
  return name === '' ? String(key) : `${name}.${String(key)}`;
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** A short form of a value, without the contents of objects. */
function shortText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

/** The name that was probably meant: other letter case, a prefix, or one or two typos. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const text = name.toLowerCase();
  const begins = (other: string) => text.length > 2 && (other.startsWith(text) || text.startsWith(other));
  const distance = (other: string) => (begins(other) ? 1 : editDistance(text, other));
  const [best] = known
    .map((other) => ({ other, distance: distance(other.toLowerCase()) }))
    .filter((candidate) => candidate.distance <= Math.min(2, Math.floor(candidate.other.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return best?.other;
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (to[column - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
