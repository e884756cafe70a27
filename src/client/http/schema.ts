import { describeIssues, type Issue } from '../../internal/index.js';
import { Unreadable } from '../errors.js';

/** A schema of any library that implements Standard Schema: zod, valibot, ArkType and others. */
export interface StandardSchema<Output> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/** The part of zod's interface that is needed; anything with this method will do. */
export interface SafeParseSchema<Output> {
  safeParse(value: unknown): { success: true; data: Output } | { success: false; error: SchemaFailure };
}

export interface SchemaFailure {
  issues?: readonly Issue[] | undefined;
}

/** What `schema` may be (rule D3). */
export type DataSchema<Output> = StandardSchema<Output> | SafeParseSchema<Output>;

/** @throws TypeError if it is not a schema, before anything is sent (rule D3). */
export function checkSchema<Output>(schema: DataSchema<Output>): DataSchema<Output> {
  const { safeParse, '~standard': standard } = (schema ?? {}) as Partial<SafeParseSchema<Output>> &
    Partial<StandardSchema<Output>>;
  if (typeof safeParse === 'function' || typeof standard?.validate === 'function') return schema;
  throw new TypeError('`schema` must be a Standard Schema (zod, valibot, ArkType, …) or have a method `safeParse`.');
}

/** The value as the schema outputs it. @throws Unreadable (or rejects) if it does not fit, or if the schema throws. */
export function applySchema<Output>(schema: DataSchema<Output>, value: unknown): Output | Promise<Output> {
  if ('safeParse' in schema) {
    try {
      return accepted(schema.safeParse(value));
    } catch (error) {
      // An asynchronous schema cannot be used this way: use the standard one.
      if (error instanceof Unreadable || !('~standard' in schema)) fail(error);
    }
  }
  try {
    const result = (schema as StandardSchema<Output>)['~standard'].validate(value);
    return result instanceof Promise ? result.then(outputOf).catch(fail) : outputOf(result);
  } catch (error) {
    return fail(error);
  }
}

function accepted<Output>(result: ReturnType<SafeParseSchema<Output>['safeParse']>): Output {
  if (result?.success === true && 'data' in result) return result.data;
  if (result?.success === false) throw misfit(result.error?.issues, result.error);
  throw new TypeError('`schema.safeParse` must return { success: true, data } or { success: false, error }');
}

function outputOf<Output>(result: StandardResult<Output>): Output {
  if (result.issues === undefined) return (result as { value: Output }).value;
  throw misfit(result.issues, Object.assign(new Error('The data does not fit the schema.'), { issues: result.issues }));
}

function fail(error: unknown): never {
  if (error instanceof Unreadable) throw error;
  throw new Unreadable('INVALID_DATA', '`schema` threw an error instead of checking the data', error);
}

/** Says where the data is wrong. What the message quotes of it is redacted later, like everything a connector says. */
function misfit(issues: readonly Issue[] | undefined, cause: unknown): Unreadable {
  const problems = describeIssues(issues ?? [], 3);
  return new Unreadable('INVALID_DATA', `the data does not fit \`schema\`: ${problems}`, cause);
}
