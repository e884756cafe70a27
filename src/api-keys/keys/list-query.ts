import { foldForSearch, parseJson } from '../../internal/index.js';
import type { Principal } from '../access/actor.js';
import { ApiKeyError, validationError } from '../api-key-error.js';
import type { KeySearch } from '../store/index.js';
import { readDateTime } from './date-time.js';
import { apiKeyScopes, maxPageLimit, maxSearchCharacters, maxUserIdCharacters, type Scope } from './types.js';

const defaultLimit = 50;

const pageFields = ['cursor', 'limit', 'skip', 'total'] as const;

/** The names of a query's fields: its own, then those of every page. */
export function namesOf<Query>(own: Record<Exclude<keyof Query, (typeof pageFields)[number]>, true>): string[] {
  return [...Object.keys(own), ...pageFields];
}

// Each reads one field of a query, and throws ApiKeyError `validation` naming the field.

export function readScope(principal: Principal, scope: unknown): Scope {
  const checked = readOneOf('scope', scope, apiKeyScopes);
  if (checked === 'all' && !principal.mayManageAll) {
    throw new ApiKeyError('forbidden', 'You may see only your own API keys.');
  }
  return checked;
}

export function readOneOf<T extends string>(field: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw wrong(field, `must be one of ${allowed.join(', ')}.`);
  return found;
}

/** Which part of the list a page has, wherever it begins. */
export function readPage({ limit, skip, total }: { limit?: unknown; skip?: unknown; total?: unknown }) {
  return { limit: readLimit(limit), skip: readSkip(skip), total: readTotal(total) };
}

function readLimit(limit: unknown): number {
  if (limit === undefined) return defaultLimit;
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > maxPageLimit) {
    throw wrong('limit', `must be a whole number from 1 to ${maxPageLimit}.`);
  }
  return limit;
}

function readSkip(skip: unknown): number {
  if (skip === undefined) return 0;
  if (Number.isSafeInteger(skip) && (skip as number) >= 0) return skip as number;
  throw wrong('skip', 'must be a whole number, 0 or more.');
}

function readTotal(total: unknown): boolean {
  if (total === undefined || typeof total === 'boolean') return total === true;
  throw wrong('total', 'must be true or false.');
}

/** One end of a range of times; a date is a whole day, of which it includes the start or the end. */
function readTime(field: string, time: unknown, dateMeans: 'start' | 'end'): number | undefined {
  if (time === undefined) return undefined;
  const timeMs = readDateTime(time, dateMeans);
  if (!Number.isNaN(timeMs)) return timeMs;
  throw wrong(field, 'must be an ISO 8601 date or datetime with a time zone, such as 2027-01-31T18:00:00Z.');
}

/** One that ends before it begins would look like one in which nothing happened. */
export function readPeriod(from: unknown, to: unknown) {
  const fromMs = readTime('from', from, 'start');
  const toMs = readTime('to', to, 'end');
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs) throw wrong('from', 'must not be later than `to`.');
  return { fromMs, toMs };
}

/** What somebody looks for, trimmed; `undefined` if it is nothing. */
export function readSought(field: string, text: unknown, most = maxSearchCharacters): string | undefined {
  return readText(field, text, most)?.trim() || undefined;
}

function readText(field: string, text: unknown, most: number): string | undefined {
  if (text === undefined || text === null) return undefined;
  if (typeof text !== 'string' || text.length > most) throw wrong(field, `must be text of at most ${most} characters.`);
  // PostgreSQL text holds none, and no name has one.
  if (text.includes('\0')) throw wrong(field, 'must not contain a NUL character.');
  return text;
}

/** The id of a user to whom a list is limited. */
export function readUser(field: string, user: unknown): string | undefined {
  const id = readText(field, user, maxUserIdCharacters);
  refuseEmpty(field, id);
  return id;
}

/** An empty id is a mistake, such as an unset variable: it would be everybody. */
export function refuseEmpty(field: string, id: unknown): void {
  if (typeof id === 'string' && id.trim() === '') throw wrong(field, 'must not be empty.');
}

export function readSearch(search: unknown): KeySearch | undefined {
  const trimmed = readSought('search', search);
  if (trimmed === undefined) return undefined;
  return { text: foldForSearch(trimmed), idPrefix: idForm.exec(trimmed)?.[1] };
}

/**
 * The beginning of an id, also with the prefix of keys, where four characters tell it from a name such as `build_7`; or
 * a key's value, whole or cut short behind its id.
 */
const idForm = /^(?:[a-z][a-z0-9]{1,15}_(?=[0-9A-Za-z]{4}))?([0-9A-Za-z]{12}(?=_)|[0-9A-Za-z]{1,12}(?=[….*]*$))/;

/** Where a page ended: its order, and the sort value and id of its last row. */
export interface Position {
  readonly order: string;
  readonly value: string | number;
  readonly id: string;
}

export function formatCursor({ order, value, id }: Position): string {
  return Buffer.from(JSON.stringify([order, value, id])).toString('base64url');
}

/** @throws ApiKeyError `validation` when the cursor is malformed or belongs to another order */
export function readCursor(cursor: unknown, order: string, valueType: 'string' | 'number'): Position | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  const parsed = typeof cursor === 'string' ? parseJson(Buffer.from(cursor, 'base64url').toString()) : undefined;
  if (Array.isArray(parsed) && parsed.length === 3) {
    const [ofOrder, value, id] = parsed as unknown[];
    const isPosition = ofOrder === order && typeof id === 'string' && typeof value === valueType;
    if (isPosition && isStorable(value) && isStorable(id)) return { order, value: value as string | number, id };
  }
  throw validationError([{ field: 'cursor', message: 'The cursor does not belong to this list.' }]);
}

// PostgreSQL accepts neither NUL in text nor fractions and infinities as a bigint.
function isStorable(value: unknown): boolean {
  return typeof value === 'string' ? !value.includes('\0') : Number.isSafeInteger(value);
}

function wrong(field: string, must: string): ApiKeyError {
  return validationError([{ field, message: `\`${field}\` ${must}` }]);
}
