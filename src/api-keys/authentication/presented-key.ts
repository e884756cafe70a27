import type { RefusalReason, RequestHeaders } from './types.js';

/** The key value that a request presents, `none`, or why the headers are refused before any value is parsed. */
export type PresentedKey =
  | { readonly kind: 'key'; readonly value: string }
  | { readonly kind: 'refused'; readonly reason: RefusalReason }
  | { readonly kind: 'none' };

const keyHeader = 'x-api-key';
const authorizationHeader = 'authorization';
const none: PresentedKey = { kind: 'none' };
const malformed: PresentedKey = { kind: 'refused', reason: 'malformed' };
const repeated: PresentedKey = { kind: 'refused', reason: 'repeated-header' };

/** Reads `x-api-key` and `Authorization: ApiKey` (rule K8). @throws TypeError when `headers` is not an object */
export function readPresentedKey(headers: RequestHeaders): PresentedKey {
  if (typeof headers !== 'object' || headers === null) throw new TypeError('`headers` must be an object.');
  const plain = headerValues(headers, keyHeader);
  const authorization = headerValues(headers, authorizationHeader);
  if (plain.length === 0 && authorization.length === 0) return none;
  if (plain.length > 1 || authorization.length > 1) return repeated;
  const fromAuthorization = readAuthorization(authorization[0]);
  const fromPlain = readPlain(plain[0]);
  for (const presented of [fromPlain, fromAuthorization]) if (presented.kind === 'refused') return presented;
  if (fromPlain.kind === 'none') return fromAuthorization;
  if (fromAuthorization.kind === 'key' && fromPlain.kind === 'key' && fromAuthorization.value !== fromPlain.value) {
    return { kind: 'refused', reason: 'different-keys' };
  }
  return fromPlain;
}

function readPlain(value: string | undefined): PresentedKey {
  if (value === undefined) return none;
  // Fetch and Node join repeated headers with a comma, and no key contains one.
  return value.includes(',') ? repeated : { kind: 'key', value };
}

function readAuthorization(value: string | undefined): PresentedKey {
  if (value === undefined) return none;
  if (value.trim() === '') return malformed;
  const scheme = (/^[^\s,]*/.exec(value)?.[0] ?? '').toLowerCase();
  // Other schemes, such as Digest, use commas; ApiKey and Basic have one only when fetch joined repeated headers.
  if (value.includes(',') && (scheme === 'apikey' || scheme === 'basic' || /,\s*apikey(?:\s|,|$)/i.test(value))) {
    return repeated;
  }
  if (scheme !== 'apikey') return none;
  const key = /^apikey +(\S+)$/i.exec(value)?.[1];
  return key === undefined ? malformed : { kind: 'key', value: key };
}

/** Every value of a header, whose name is in lower case. */
export function headerValues(headers: RequestHeaders, name: string): readonly string[] {
  if (Array.isArray(headers)) return valuesOfList(headers, name);
  if (typeof (headers as Headers).get === 'function') {
    const value = (headers as Headers).get(name);
    return value === null ? [] : [value];
  }
  const values: string[] = [];
  for (const key of Object.keys(headers)) {
    if (isHeader(key, name)) values.push(...textsOf((headers as Record<string, unknown>)[key]));
  }
  return values;
}

/** `rawHeaders`: alternating names and values, or pairs of them. */
function valuesOfList(list: readonly unknown[], name: string): readonly string[] {
  const values: string[] = [];
  const pairs = Array.isArray(list[0])
    ? list
    : list.flatMap((entry, index) => (index % 2 ? [[list[index - 1], entry]] : []));
  for (const pair of pairs) {
    const [key, value] = pair as [unknown, unknown];
    if (typeof key === 'string' && isHeader(key, name)) values.push(...textsOf(value));
  }
  return values;
}

function isHeader(key: string, name: string): boolean {
  return key === name || (key.length === name.length && key.toLowerCase() === name);
}

/** A value that is not a string counts as empty, and is refused. */
function textsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? item : ''));
  return [typeof value === 'string' ? value : ''];
}
