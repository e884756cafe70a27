import { ApiKeyError } from '../api-key-error.js';

const editionsWithApiKeys = ['Professional', 'Ultimate'];

/** Why creating and editing are refused in any other edition (rule K12). */
export const editionMessage = `API keys are available only in the ${editionsWithApiKeys.join(' and ')} editions.`;

/** Whether an edition has API keys (rule K12). */
export function hasApiKeys(edition: string): boolean {
  return editionsWithApiKeys.includes(edition);
}

/** An edition that has API keys, if the given name differs from it only in its case or in blanks. */
export function editionMeant(edition: string): string | undefined {
  return hasApiKeys(edition)
    ? undefined
    : editionsWithApiKeys.find((name) => name.toLowerCase() === edition.trim().toLowerCase());
}

/** @throws ApiKeyError `forbidden` unless the edition has API keys */
export function requireApiKeys(edition: string): void {
  if (!hasApiKeys(edition)) throw new ApiKeyError('forbidden', editionMessage);
}
