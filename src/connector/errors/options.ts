import type { z } from 'zod';
import { defaultMaxDetailBytes, headerProblem, type WaitFormat, waitFormatOption } from '../../contract/index.js';
import { bool, count, option, optionsOf, type ShapeOf } from '../../internal/index.js';

/** How a `RateLimitError` is written (rules W1, W4). */
export interface RateLimitHeaderOptions {
  /** Name of the wait header: the one that the service is configured to read. @default 'Retry-After' */
  header?: string | undefined;
  /** @default 'seconds' */
  format?: WaitFormat | undefined;
}

export interface ErrorFormatOptions {
  /** How a rate limit is written. @default { header: 'Retry-After', format: 'seconds' } */
  rateLimit?: RateLimitHeaderOptions | undefined;
  /** Writes stack traces of unknown errors to the wire: a development setting (rule E4). @default false */
  exposeDetail?: boolean | undefined;
  /** The most bytes of `detail` that are written (rule E5). @default 8192 */
  maxDetailBytes?: number | undefined;
}

export type RateLimitHeader = Readonly<z.output<(typeof errorFormatShape)['rateLimit']>>;

/** Headers that describe the body of an answer, so none of them can be the wait header or be added by an error. */
export const bodyHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-range',
  'transfer-encoding',
]);

const headerName = option<string>(
  (value) =>
    typeof value === 'string' && headerProblem(value, '') === undefined && !bodyHeaders.has(value.toLowerCase()),
  'must be the name of a response header that does not describe the body',
  true,
);

export const rateLimitShape = {
  header: headerName.default('Retry-After'),
  format: waitFormatOption.default('seconds'),
} satisfies ShapeOf<RateLimitHeaderOptions>;

/** The options that every way to answer errors has. */
export const errorFormatShape = {
  rateLimit: optionsOf(rateLimitShape).prefault({}),
  exposeDetail: bool.default(false),
  maxDetailBytes: count(1).default(defaultMaxDetailBytes),
} satisfies ShapeOf<ErrorFormatOptions>;

/** Duck-typed, because the author's zod may be another copy than ours. */
const isZodObject = (value: unknown): boolean => {
  const schema = value as Partial<z.ZodObject> | undefined | null;
  return typeof schema?.shape === 'object' && typeof schema.safeParseAsync === 'function';
};

export const zodObject = option<z.ZodObject>(isZodObject, 'must be a zod object: z.object({ … })');

/** The ways that zod has to say what is an object, beside the object itself. */
const objectTypes = ['union', 'intersection', 'pipe', 'record', 'lazy', 'readonly', 'default', 'prefault', 'catch'];

/** A schema of an object, transformed and preprocessed ones too. */
export const objectSchema = option<z.ZodType>((value) => {
  const schema = value as Partial<z.ZodType> | undefined | null;
  const isOther = typeof schema?.safeParseAsync === 'function' && objectTypes.includes(schema._zod?.def?.type ?? '');
  return isOther || isZodObject(value);
}, 'must be a zod schema of an object, such as z.object({ … }) or z.discriminatedUnion(…)');
