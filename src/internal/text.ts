/** Control characters, line separators, direction marks. Tabs and the ends of lines stay. */
const notText = /(?![\t\n]|\r\n)[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces the characters that could steer a terminal, or reorder or break the lines of a log or a report. */
export function printable(text: string): string {
  return text.replace(notText, '\ufffd');
}

/** JSON with the same characters escaped: it says the same, and steers nothing. */
export function printableJson(json: string): string {
  return json.replace(notText, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Refuses what UTF-8 cannot carry: every encoder would write U+FFFD instead of half a surrogate pair (rule D1).
 *
 * @throws TypeError that says `name`.
 */
export function checkText(text: string, name: string): string {
  if (text.isWellFormed()) return text;
  throw new TypeError(`${name} must not have half of a character (a lone surrogate): UTF-8 cannot carry it.`);
}

/**
 * Writes what `JSON.stringify` writes, and refuses what it would change (rule D1): after a failed `Number(…)` a `null` would
 * replace a field, and a promise that nobody awaited would be `{}`.
 *
 * @throws TypeError that says `name`, and what of it JSON cannot carry.
 */
export function toJson(value: unknown, name: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, refuseLoss);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`${name} cannot be written as JSON: ${reason}`, { cause });
  }
  if (text === undefined) throw new TypeError(`${name} cannot be written as JSON: it is ${typeOf(value)}.`);
  return text;
}

/** `value` is what `toJSON` has made of the member called `name`. */
function refuseLoss(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const lost = Array.isArray(this) && isLeftOut(value) ? typeOf(value) : whatIsLost(value, this, name);
  if (lost !== undefined) throw new TypeError(name === '' ? `it is ${lost}.` : `${JSON.stringify(name)} is ${lost}.`);
  return value;
}

/** What `JSON.stringify` writes no member for; in an array it writes `null`. */
const isLeftOut = (value: unknown) => value === undefined || typeof value === 'function' || typeof value === 'symbol';

const typeOf = (value: unknown) => (value === undefined ? 'undefined' : `a ${typeof value}`);

function whatIsLost(value: unknown, parent: Record<string, unknown>, name: string): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value);
  if (value === null) return parent[name] instanceof Date ? 'an invalid Date' : undefined;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  if (Object.keys(value).length > 0 && !ArrayBuffer.isView(value)) return undefined;
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return written.includes(kind) ? undefined : `an object of type ${kind}`;
}

/** The kinds of objects that are written as they are though they have no members. Any other would become `{}`; bytes, `{"0":1}`. */
const written = ['Object', 'Number', 'String', 'Boolean', 'BigInt'];

/** `/api//` becomes `/api`. Linear: without the look-behind, each slash of many would be tried as a beginning. */
export function withoutTrailingSlashes(text: string): string {
  return text.replace(/(?<!\/)\/+$/, '');
}

/** No text that is kept is as long: names and descriptions of 500 characters have at most 2,000 UTF-16 units before. */
const mostNormalized = 2048;

/** NFC or NFKC; a longer text as it is, because sorting many combining marks takes quadratic time (rule E8). */
export function normalize(text: string, form: 'NFC' | 'NFKC' = 'NFC'): string {
  return text.length > mostNormalized ? text : text.normalize(form);
}

/** As HTML shows it, any blanks as one space, and letters with accents in one of their spellings. */
export function asShown(text: string): string {
  return normalize(text.trim().replace(/\s+/g, ' '));
}

/** The form in which texts are searched and sorted: case, compatibility variants and the kind of blanks do not matter. */
export function foldForSearch(text: string): string {
  return normalize(text, 'NFKC').toLowerCase().replace(/\s+/g, ' ');
}

/** What a validator (zod, Standard Schema) found wrong with one field. */
export interface Issue {
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  readonly message?: string | undefined;
}

/** One line that names each field with what is wrong with it, at most `most` of them. The fields' values stay out. */
export function describeIssues(issues: readonly Issue[], most = 10): string {
  const lines = issues.slice(0, most).map(({ path = [], message = 'is not valid' }) => {
    const name = path.map((segment) => String(typeof segment === 'object' ? segment.key : segment)).join('.');
    // ArkType's messages begin with the name.
    return name === '' || message.startsWith(`${name} `) ? message : `${name}: ${message}`;
  });
  if (issues.length > most) lines.push(`and ${issues.length - most} more`);
  return lines.join('; ').replace(/\s+/g, ' ');
}

/** Describes any value for a person: strings unchanged, errors with their stack, the rest as JSON if possible. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    if (value instanceof Error) return value.stack ?? String(value);
    return JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? String(item) : item)) ?? String(value);
  } catch {
    return safeString(value);
  }
}

function safeString(value: unknown): string {
  try {
    return String(value);
  } catch {
    return '[unprintable value]';
  }
}

/** The same headers, whose names a `Headers` of a DOM leaves as they were written. */
export function lowerCaseNames(headers: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, value]) => [name.toLowerCase(), value]));
}

/** Not `instanceof`: in a test with a DOM, `TextEncoder` and `Buffer` have the `Uint8Array` of another realm. */
export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}
