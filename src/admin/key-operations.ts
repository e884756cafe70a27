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

/** Untrusted input: `apiKeys` checks every field, and knows no others than these, which are picked here (rule K13). */
type Untrusted<T> = { readonly [Field in keyof T]?: unknown };

/** Creates a key for the actor: nothing in the input can name another owner (rule K16). */
export async function createKey(
  context: AdminContext,
  actor: Actor,
  { name, description, expiresOn }: Untrusted<NewApiKey>,
): Promise<CreatedApiKey> {
  await requireAvailable(context, actor);
  return await context.apiKeys.create(actor, { name, description, expiresOn } as NewApiKey);
}

/** @throws ApiKeyError `validation`, also when there is nothing to change: a misspelt field must not look like a success */
export async function updateKey(
  context: AdminContext,
  actor: Actor,
  id: unknown,
  { name, description, expiresOn, version }: Untrusted<ApiKeyChanges>,
): Promise<ApiKey> {
  await requireAvailable(context, actor);
  if (version !== undefined && !Number.isSafeInteger(version)) {
    throw invalidField('version', '`version` must be a whole number.');
  }
  const changes = { name, description, expiresOn, version } as ApiKeyChanges;
  return await context.apiKeys.update(actor, id as string, changes);
}

/** Checked by `apiKeys` as well, but the host may have opened them with another edition (rule K12). */
export async function requireAvailable(
  context: AdminContext,
  { lookups = context.newLookups() }: Actor,
): Promise<void> {
  if (!(await context.isAvailable(lookups))) throw new ApiKeyError('forbidden', editionMessage);
}
