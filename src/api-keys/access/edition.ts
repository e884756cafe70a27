import { ApiKeyError } from '../api-key-error.js';
import type { OpenApiKeysOptions } from '../types.js';

const editionsWithApiKeys: ReadonlySet<string> = new Set(['Professional', 'Ultimate']);

/** Asks for the edition at every call, so that a licence counts from the moment it changes (rule K12). */
export async function hasApiKeys(edition: OpenApiKeysOptions['edition']): Promise<boolean> {
  return editionsWithApiKeys.has(typeof edition === 'function' ? await edition() : edition);
}

/** @throws ApiKeyError `forbidden` in any other edition */
export async function requireEdition(edition: OpenApiKeysOptions['edition']): Promise<void> {
  if (await hasApiKeys(edition)) return;
  throw new ApiKeyError('forbidden', 'API keys are available only in the Professional and Ultimate editions.');
}
