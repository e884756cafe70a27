import {
  type Actor,
  type ApiKey,
  type ApiKeyChanges,
  ApiKeyError,
  type CreatedApiKey,
  editionMessage,
  type NewApiKey,
} from '../api-keys/index.js';
import type { AdminContext } from './context.js';
import { invalidField } from './http/errors.js';

/** Untrusted input: `apiKeys` checks every field. */
type Untrusted<T> = { readonly [Field in keyof T]?: unknown };

/** Creates a key for the actor: nothing in the input can name another owner (rule K16). */
export async function createKey(
  context: AdminContext,
  actor: Actor,
  input: Untrusted<NewApiKey>,
): Promise<CreatedApiKey> {
  await requireAvailable(context, actor);
  return await context.apiKeys.create(actor, input as NewApiKey);
}

/** @throws ApiKeyError `validation`, also when there is nothing to change: a misspelt field must not look like a success */
export async function updateKey(
  context: AdminContext,
  actor: Actor,
  id: unknown,
  changes: Untrusted<ApiKeyChanges>,
): Promise<ApiKey> {
  await requireAvailable(context, actor);
  if (changes.version !== undefined && !Number.isSafeInteger(changes.version)) {
    throw invalidField('version', '`version` must be a whole number.');
  }
  return await context.apiKeys.update(actor, id as string, changes as ApiKeyChanges);
}

/** Checked by `apiKeys` as well, but the host may have opened them with another edition (rule K12). */
export async function requireAvailable(
  context: AdminContext,
  { lookups = context.newLookups() }: Actor,
): Promise<void> {
  if (!(await context.isAvailable(lookups))) throw new ApiKeyError('forbidden', editionMessage);
}
