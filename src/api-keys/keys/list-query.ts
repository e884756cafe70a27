import type { Principal } from '../access/actor.js';
import { ApiKeyError, validationError } from '../api-key-error.js';
import { foldForSearch, type KeySearch } from '../store/index.js';
import { maxPageLimit, maxSearchCharacters, type Scope, scopes } from './types.js';

const defaultLimit = 50;

// Each reads one field of a query, and throws ApiKeyError `validation` naming the field.

export function readScope(principal: Principal, scope: unknown): Scope {
  const checked = readOneOf('scope', scope, scopes);
  if (checked === 'all' && !principal.mayManageAll) {
    throw new ApiKeyError('forbidden', 'You may see only your own API keys.');
  }
  return checked;
}

export function readOneOf<T extends string>(field: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined)
    throw validationError([{ field, message: `\`${field}\` must be one of ${allowed.join(', ')}.` }]);
  return found;
}

export function readLimit(limit: unknown): number {
  if (limit === undefined) return defaultLimit;
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > maxPageLimit) {
    throw validationError([{ field: 'limit', message: `\`limit\` must be a whole number from 1 to ${maxPageLimit}.` }]);
  }
  return limit;
}

export function readTotal(total: unknown): boolean {
  if (total === undefined || typeof total === 'boolean') return total === true;
  throw validationError([{ field: 'total', message: '`total` must be true or false.' }]);
}

export function readSearch(search: unknown): KeySearch | undefined {
  if (search === undefined || search === null) return undefined;
  // PostgreSQL text holds no NUL, and no name has one.
  if (typeof search !== 'string' || search.length > maxSearchCharacters || search.includes('\0')) {
    const message = `\`search\` must be text of at most ${maxSearchCharacters} characters.`;
    throw validationError([{ field: 'search', message }]);
  }
  const trimmed = search.trim();
  if (trimmed === '') return undefined;
  return {
    text: foldForSearch(trimmed),
    idPrefix: /^(?:[a-z][a-z0-9]{1,15}_)?([0-9A-Za-z]{1,12})(?:…|_[0-9A-Za-z]{49})?$/.exec(trimmed)?.[1],
  };
}
