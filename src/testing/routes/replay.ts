import { isObject, parseJson } from '../../internal/index.js';
import { emptyReply, errorReply, jsonReply, type SimulatedResponse, textReply } from '../http/reply.js';
import type { RecordedExchange, RecordedRequest, Recording } from '../recording.js';
import type { JournalEntry } from '../types.js';

type Asked = Pick<JournalEntry, 'method' | 'path' | 'body' | 'json'>;

/**
 * What the recording has for a request: the same method, path and query, and of several such exchanges the one with the same
 * body, otherwise the first that succeeded. A 501 `NOT_RECORDED` where it has nothing.
 */
export function replay({ exchanges }: Recording, asked: Asked, query: URLSearchParams): SimulatedResponse {
  const target = targetOf(asked.path, query);
  const alike = exchanges.filter(({ request: { method, path } }) => {
    const url = new URL(path, 'http://recording');
    return method === asked.method && targetOf(url.pathname, url.searchParams) === target;
  });
  const sameBody =
    alike.find(({ request: { text } }) => text !== undefined && text === asked.body) ??
    alike.find(({ request }) => hasBody(request, asked));
  const found = sameBody ?? alike.find(({ response }) => response.status < 400) ?? alike[0];
  if (found !== undefined) return toReply(found.response);
  return errorReply(501, {
    code: 'NOT_RECORDED',
    message: `The recording has no response to ${asked.method} ${target}.`,
  });
}

/** The order of parameters does not matter. */
function targetOf(path: string, query: URLSearchParams): string {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return sorted.size === 0 ? path : `${path}?${sorted}`;
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
  const empty = { ...emptyReply(status), headers: Object.entries(headers) };
  if (json !== undefined) return { ...empty, body: jsonReply(status, json).body };
  if (text !== undefined) return { ...empty, body: textReply(status, text).body };
  if (base64 === undefined) return empty;
  return { ...empty, body: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)) };
}
