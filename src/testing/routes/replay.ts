import { isBytes, isObject, parseJson, redactedMark } from '../../internal/index.js';
import { emptyReply, errorReply, jsonReply, type SimulatedResponse, textReply } from '../http/reply.js';
import type { RecordedExchange, RecordedRequest, Recording } from '../recording.js';
import type { JournalEntry } from '../types.js';

type Asked = Pick<JournalEntry, 'method' | 'path' | 'headers' | 'body' | 'json'>;

/** A response to a request with one of these is none to a request without it. */
const conditions = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'range'];

/**
 * What the recording has for a request: the same method, path and query (where it was masked, any value), without conditions and
 * ranges that were not sent, and of several such exchanges the one with the same body, otherwise the first that succeeded. A 501
 * `NOT_RECORDED` where it has nothing. Of a file whose connector sends ranges, it is the part that was requested.
 */
export function replay({ exchanges }: Recording, asked: Asked, query: URLSearchParams): SimulatedResponse {
  const sortedQuery = sorted(query);
  const fitting = exchanges.filter(({ request }) => {
    return request.method === asked.method && hasTarget(request, asked.path, sortedQuery) && meets(request, asked);
  });
  fitting.sort((one, other) => Number(isMasked(one.request)) - Number(isMasked(other.request)));
  fitting.sort((one, other) => conditionsOf(other.request).length - conditionsOf(one.request).length);
  const sameBody =
    fitting.find(({ request: { text } }) => text !== undefined && text === asked.body) ??
    fitting.find(({ request }) => hasBody(request, asked));
  const found = sameBody ?? fitting.find(({ response }) => response.status < 400) ?? fitting[0];
  if (found !== undefined) return partOf(toReply(found.response), asked);
  return errorReply(501, {
    code: 'NOT_RECORDED',
    message: `The recording has no response to ${asked.method} ${asked.path}${query.size === 0 ? '' : `?${query}`}.`,
  });
}

/** A value that was masked may have been any; the order of parameters does not matter. */
function hasTarget({ path }: RecordedRequest, askedPath: string, asked: [name: string, value: string][]): boolean {
  const { pathname, searchParams } = new URL(path, 'http://recording');
  const recorded = sorted(searchParams);
  const isSame = ([name, value]: string[], index: number) =>
    name === asked[index]?.[0] && (value?.includes(redactedMark) || value === asked[index]?.[1]);
  return pathname === askedPath && recorded.length === asked.length && recorded.every(isSame);
}

const isMasked = ({ path }: RecordedRequest) => path.includes(redactedMark);

/** By their names: those of the same name keep their order. */
function sorted(query: URLSearchParams): [name: string, value: string][] {
  const copy = new URLSearchParams(query);
  copy.sort();
  return [...copy];
}

function conditionsOf({ headers = {} }: RecordedRequest): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    return conditions.includes(lower) ? [[lower, value]] : [];
  });
}

function meets(request: RecordedRequest, { headers }: Asked): boolean {
  return conditionsOf(request).every(([name, value]) => headers[name] === value);
}

/** One range of a whole file (RFC 9110, 14.2); the recording has the connector's headers. */
function partOf(whole: SimulatedResponse, { method, headers: { range = '', 'if-range': validator } }: Asked) {
  const recorded = new Map(whole.headers);
  const [, first, last = ''] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(range) ?? [];
  const isServed = method === 'GET' && whole.status === 200 && recorded.get('accept-ranges') === 'bytes';
  const isSame = validator === undefined || validator === recorded.get('etag');
  if (!isServed || !isSame || first === undefined || !isBytes(whole.body)) return whole;
  const { length } = whole.body;
  const [from, end] = [Number(first), Math.min(length, last === '' ? length : Number(last) + 1)];
  const isThere = from < end;
  const place = isThere ? `bytes ${from}-${end - 1}/${length}` : `bytes */${length}`;
  const headers = [...whole.headers, ['content-range', place] as const];
  return {
    ...whole,
    status: isThere ? 206 : 416,
    headers,
    body: isThere ? whole.body.subarray(from, end) : new Uint8Array(),
  };
}

function hasBody({ json, text = '' }: RecordedRequest, asked: Asked): boolean {
  if (json !== undefined) return isSameJson(json, asked.json);
  const parsed = parseJson(text);
  return text === asked.body || (parsed !== undefined && isSameJson(parsed, asked.json));
}

/** The order of members does not matter, that of items does. */
function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, withSortedMembers) === JSON.stringify(other, withSortedMembers);
}

function withSortedMembers(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}

function toReply({ status, headers, json, text, base64 }: RecordedExchange['response']): SimulatedResponse {
  // Of how the body was sent then.
  const kept = Object.entries(headers).filter(([name]) => !/^(?:content-length|transfer-encoding)$/i.test(name));
  const empty = { ...emptyReply(status), headers: kept };
  if (json !== undefined) return { ...empty, body: jsonReply(status, json).body };
  if (text !== undefined) return { ...empty, body: textReply(status, text).body };
  if (base64 === undefined) return empty;
  return { ...empty, body: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)) };
}
