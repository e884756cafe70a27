import type { Issue } from './text.js';

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

type SafeParseResult<Output> = ReturnType<SafeParseSchema<Output>['safeParse']>;

export interface SchemaFailure {
  issues?: readonly Issue[] | undefined;
}

/** What `schema` may be (rule D3). */
export type DataSchema<Output> = StandardSchema<Output> | SafeParseSchema<Output>;

export type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[]; readonly cause: unknown };

type AnySchema<Output> = Partial<StandardSchema<Output> & SafeParseSchema<Output>> & {
  safeParseAsync?(value: unknown): Promise<SafeParseResult<Output>>;
};

/** @throws TypeError if it is not a schema (rule D3). */
export function checkSchema<Schema>(schema: Schema): Schema {
  const { safeParse, '~standard': standard } = (schema ?? {}) as AnySchema<unknown>;
  if (typeof safeParse === 'function' || typeof standard?.validate === 'function') return schema;
  throw new TypeError('`schema` must be a Standard Schema (zod, valibot, ArkType, …) or have a method `safeParse`.');
}

/**
 * The value as the schema outputs it, or what is wrong with it; rejects with what the schema throws.
 *
 * Zod's own asynchronous method comes first: the others start an asynchronous check without waiting for it, and if that
 * check rejects, nobody handles it, which ends the process.
 */
export async function validate<Output>(schema: DataSchema<Output>, value: unknown): Promise<Validated<Output>> {
  const { safeParseAsync, '~standard': standard } = schema as AnySchema<Output>;
  if (typeof safeParseAsync === 'function') return fromSafeParse(await safeParseAsync.call(schema, value));
  if (standard === undefined) return fromSafeParse((schema as SafeParseSchema<Output>).safeParse(value));
  const result = await standard.validate(value);
  if (result.issues === undefined) return result;
  const issues = result.issues ?? [];
  return { issues, cause: schemaError(issues) };
}

export function schemaError(issues: readonly Issue[]): Error {
  return Object.assign(new Error('The data does not fit the schema.'), { issues });
}

function fromSafeParse<Output>(result: SafeParseResult<Output>): Validated<Output> {
  if (result?.success === true && 'data' in result) return { value: result.data };
  if (result?.success === false) return { issues: result.error?.issues ?? [], cause: result.error };
  throw new TypeError('`schema.safeParse` must return { success: true, data } or { success: false, error }');
}

/**
 * Other libraries than zod say in their issues what they got: a person's data does not belong in a log (rules D3, E3). What is
 * left is where something is wrong, and of what sort it is.
 */
export function withoutValues(schema: DataSchema<unknown>, issues: readonly Issue[]): readonly Issue[] {
  if ('_zod' in schema) return issues; // zod 4: zod 3 quotes what an enum got
  // Not `map`: the lists of a library may be of classes of its own.
  return Array.from(issues, ({ path = [], code, type }: Issue & { code?: unknown; type?: unknown }) => ({
    path: Array.from(path, (segment) => (typeof segment === 'object' ? segment.key : segment)),
    ...(typeof code === 'string' && { code }),
    ...(typeof type === 'string' && { type }),
  }));
}
