import type { z } from 'zod';
import { checkWaitFormat, headerProblem, type WaitFormat } from '../contract/index.js';

/** How a `RateLimitError` is written (rules W1, W4). */
export interface RateLimitHeaderOptions {
  /** Name of the wait header: the one that the service is configured to read. @default 'Retry-After' */
  header?: string | undefined;
  /** @default 'seconds' */
  format?: WaitFormat | undefined;
}

export interface RateLimitHeader {
  readonly header: string;
  readonly format: WaitFormat;
}

/** Headers that describe the body of an answer, so none of them can be the wait header or be added by an error. */
export const bodyHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-range',
  'transfer-encoding',
]);

/** @throws TypeError naming `rateLimit`, `rateLimit.header` or `rateLimit.format`. */
export function checkRateLimit(option: RateLimitHeaderOptions | undefined, name = 'rateLimit'): RateLimitHeader {
  if (option === undefined) return { header: 'Retry-After', format: 'seconds' };
  checkKeys(option, ['header', 'format'], name);
  const header = option.header ?? 'Retry-After';
  const problem = typeof header === 'string' ? headerProblem(header, '') : 'it is not a string';
  if (problem !== undefined || bodyHeaders.has(header.toLowerCase())) {
    throw new TypeError(
      `\`${name}.header\` must be the name of a response header: ${problem ?? `"${header}" describes the body`}.`,
    );
  }
  try {
    return { header, format: checkWaitFormat(option.format ?? 'seconds') };
  } catch (error) {
    throw new TypeError((error as Error).message.replace('`format`', `\`${name}.format\``));
  }
}

/** Refuses what is no options object, and names that do not exist: a misspelt option must not be ignored silently. */
export function checkKeys(options: unknown, known: readonly string[], name: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(`\`${name}\` must be an object with ${list(known)}.`);
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) {
      const path = name === 'options' ? key : `${name}.${key}`;
      throw new TypeError(`\`${path}\` is not an option: there are ${list(known)}.`);
    }
  }
}

export function checkFunction(value: unknown, name: string, required = false): void {
  if (typeof value === 'function' || (value === undefined && !required)) return;
  throw new TypeError(`\`${name}\` must be a function.`);
}

export function checkBoolean(value: unknown, name: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw new TypeError(`\`${name}\` must be true or false.`);
}

export function checkBytes(value: unknown, name: string, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw new TypeError(`\`${name}\` must be a whole number of bytes above zero, got ${String(value)}.`);
}

export function checkPath(value: unknown, name: string, fallback: string): string {
  if (value === undefined) return fallback;
  if (typeof value === 'string' && /^\/[^\s?#]*$/.test(value)) return value;
  throw new TypeError(`\`${name}\` must be a path that starts with "/".`);
}

/** Duck-typed, because the author's zod may be another copy than ours. */
export function checkZodObject(value: unknown, name: string): void {
  const schema = value as Partial<z.ZodObject> | undefined | null;
  if (typeof schema === 'object' && schema !== null) {
    if (typeof schema.shape === 'object' && typeof schema.safeParseAsync === 'function') return;
  }
  throw new TypeError(`\`${name}\` must be a zod object: z.object({ … }).`);
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
