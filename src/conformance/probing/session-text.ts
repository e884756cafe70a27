import { parseJson } from '../../internal/index.js';
import { maskedMark } from './mask.js';

/** A string of JSON, and the colon behind the name of a member. */
const jsonString = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/** More than any session has (rule S2). */
const maxSessionCharacters = 128 * 1024;

/** Text that could be a token: long, or with a digit. */
const tokenLike = /[\w.~+/=-]{8,}/g;
const isTokenLike = (text: string) => text.length >= 20 || /\d/.test(text);

/**
 * The body of a login or of a session with its secrets masked where they stand, and otherwise as it came: the names of headers
 * stay, every other string goes. Whatever is not JSON loses what looks like a token.
 */
export function maskStrings(body: string): string {
  const kept = keptStrings(body);
  if (kept === undefined) return body.replace(tokenLike, (text) => (isTokenLike(text) ? maskedMark : text));
  return body
    .replace(jsonString, (text, colon?: string) =>
      colon !== undefined || kept.has(parseJson(text)) ? text : `"${maskedMark}"`,
    )
    .replace(/(:\s*)-?\d{4,}(?![\d.])/g, `$1${maskedMark}`);
}

/** Every string that a malformed session may hold as a secret, at any depth. */
export function secretStrings(response: string): string[] {
  const body = response.slice(0, maxSessionCharacters);
  const kept = keptStrings(body);
  if (kept === undefined) return (body.match(tokenLike) ?? []).filter(isTokenLike);
  return Array.from(body.matchAll(jsonString), ([text, colon]) => (colon === undefined ? parseJson(text) : undefined))
    .filter((text): text is string => typeof text === 'string' && text.length >= 8)
    .filter((text) => !kept.has(text));
}

/** The names of headers in a list of entries; `undefined` when the body is not JSON. */
function keptStrings(body: string): ReadonlySet<unknown> | undefined {
  const value = parseJson(body.replace(/^\ufeff/, ''));
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return new Set();
  const isEntry = (entry: unknown) => typeof entry === 'object' && entry !== null && 'key' in entry && 'value' in entry;
  return new Set(value.filter(isEntry).map(({ key }: { key: unknown }) => key));
}
