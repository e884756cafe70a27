import type * as z from 'zod';
import { defaultMaxDetailBytes, headerProblem, type WaitFormat, waitFormatOption } from '../../contract/index.js';
import { bool, count, option, optionsOf, type ShapeOf } from '../../internal/index.js';

/** How a `RateLimitError` is written (rules W1, W4). */
export interface RateLimitHeaderOptions {
  /** Name of the wait header, as configured in the service. @default 'Retry-After' */
  header?: string | undefined;
  /** @default 'seconds' */
  format?: WaitFormat | undefined;
}

export interface ErrorFormatOptions {
  /** How a rate limit is written. @default { header: 'Retry-After', format: 'seconds' } */
  rateLimit?: RateLimitHeaderOptions | undefined;
  /** Sends the stack traces of unknown errors: for development only (rule E4). @default false */
  exposeDetail?: boolean | undefined;
  /** The maximum length of `detail`, in bytes (rule E5). @default 8192 */
  maxDetailBytes?: number | undefined;
}

export type RateLimitHeader = Readonly<z.output<(typeof errorFormatShape)['rateLimit']>>;

/** Headers that describe a body: none can be the wait header, or be added by an error. */
export const bodyHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-range',
  'transfer-encoding',
]);

/** Of a 416, it says how long the file is (RFC 9110, 15.5.17). */
export const tellsLength = (header: string, status: number) => header === 'content-range' && status === 416;

/** Headers that tell the time of a response, by the clock of who sent it (rule W5): an error has its own. */
export const timeHeaders: readonly string[] = ['date', 'age'];

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

export const errorFormatShape = {
  rateLimit: optionsOf(rateLimitShape).prefault({}),
  exposeDetail: bool.default(false),
  maxDetailBytes: count(1).default(defaultMaxDetailBytes),
} satisfies ShapeOf<ErrorFormatOptions>;

/** Duck-typed, because the author's zod may be another copy. */
const isZodObject = (value: unknown): boolean => {
  const schema = value as Partial<z.ZodObject> | undefined | null;
  return typeof schema?.shape === 'object' && typeof schema.safeParseAsync === 'function';
};

export const zodObject = option<z.ZodObject>(isZodObject, 'must be a zod object: z.object({ … })');

/** Zod's other schemas that can describe an object. */
const objectTypes = ['union', 'intersection', 'pipe', 'record', 'lazy', 'readonly', 'default', 'prefault', 'catch'];

/** A schema of an object, possibly transformed or preprocessed. */
export const objectSchema = option<z.ZodType>((value) => {
  const schema = value as Partial<z.ZodType> | undefined | null;
  const isOther = typeof schema?.safeParseAsync === 'function' && objectTypes.includes(schema._zod?.def?.type ?? '');
  return isOther || isZodObject(value);
}, 'must be a zod schema of an object, such as z.object({ … }) or z.discriminatedUnion(…)');
