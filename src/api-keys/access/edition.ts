import { ApiKeyError } from '../api-key-error.js';
import type { RequestLookups } from './request-lookups.js';
import type { EditionOption } from './types.js';

const editionsWithApiKeys = ['Professional', 'Ultimate'];

/** Why creating and editing are refused in any other edition (rule K12). */
export const editionMessage = `API keys are available only in the ${editionsWithApiKeys.join(' and ')} editions.`;

/** Whether an edition has API keys (rule K12). */
export function hasApiKeys(edition: string): boolean {
  return editionsWithApiKeys.includes(edition);
}

/** An edition that has API keys, if the given name differs from it only in its case or in blanks. */
function editionMeant(edition: string): string | undefined {
  return hasApiKeys(edition)
    ? undefined
    : editionsWithApiKeys.find((name) => name.toLowerCase() === edition.trim().toLowerCase());
}

/** What asks for the edition, and reports each name once that looks like a mistake; a fixed one now. */
export function createEditionReader(option: EditionOption, onError: (error: unknown) => void) {
  const reported = new Set<string>();
  const report = (edition: string): string => {
    const meant = editionMeant(edition);
    if (meant === undefined || reported.has(edition)) return edition;
    reported.add(edition);
    onError(new Error(`\`edition\` has no API keys; did you mean ${JSON.stringify(meant)}?`));
    return edition;
  };
  if (typeof option === 'string') report(option);
  return async (lookups: RequestLookups): Promise<string> => report(await lookups.findEdition(option));
}

/** @throws ApiKeyError `forbidden` unless the edition has API keys */
export function requireApiKeys(edition: string): void {
  if (!hasApiKeys(edition)) throw new ApiKeyError('forbidden', editionMessage);
}
