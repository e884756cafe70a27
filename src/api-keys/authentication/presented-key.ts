import { isObject } from '../../internal/index.js';
import type { RefusalReason, RequestHeaders } from './types.js';

/** The key value that a request presents, or why the headers are refused before it is parsed; neither for no key. */
interface PresentedKey {
  readonly value?: string;
  readonly refusal?: RefusalReason;
}

/** Reads `x-api-key` and `Authorization: ApiKey` (rule K8). @throws TypeError when `headers` cannot be headers */
export function readPresentedKey(headers: RequestHeaders): PresentedKey {
  if (typeof headers !== 'object' || headers === null) throw new TypeError('`headers` must be an object.');
  // A request has no key itself: nobody would ever be let in. A header of this name is text.
  if (isObject((headers as Readonly<Record<string, unknown>>).headers)) {
    throw new TypeError('`headers` must be the headers of a request, such as `request.headers`, not the request.');
  }
  const plain = headerValues(headers, 'x-api-key');
  const authorization = headerValues(headers, 'authorization');
  if (plain.length > 1 || authorization.length > 1) return { refusal: 'repeated-header' };
  const fromPlain = readPlain(plain[0]);
  if (fromPlain.refusal !== undefined) return fromPlain;
  const fromAuthorization = readAuthorization(authorization[0]);
  if (fromAuthorization.refusal !== undefined || fromPlain.value === undefined) return fromAuthorization;
  const { value = fromPlain.value } = fromAuthorization;
  return value === fromPlain.value ? fromPlain : { refusal: 'different-keys' };
}

function readPlain(value: string | undefined): PresentedKey {
  if (value === undefined) return {};
  // Fetch and Node join repeated headers with a comma, and no key contains one.
  return value.includes(',') ? { refusal: 'repeated-header' } : { value };
}

function readAuthorization(value: string | undefined): PresentedKey {
  if (value === undefined) return {};
  if (value.trim() === '') return { refusal: 'malformed' };
  const scheme = (/^[^\s,]*/.exec(value)?.[0] ?? '').toLowerCase();
  // Other schemes, such as Digest, use commas; ApiKey and Basic have one only when fetch joined repeated headers.
  if (value.includes(',') && (scheme === 'apikey' || scheme === 'basic' || /,\s*apikey(?:\s|,|$)/i.test(value))) {
    return { refusal: 'repeated-header' };
  }
  if (scheme !== 'apikey') return {};
  const key = /^apikey +(\S+)$/i.exec(value)?.[1];
  return key === undefined ? { refusal: 'malformed' } : { value: key };
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
