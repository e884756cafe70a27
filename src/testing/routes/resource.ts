import { BadRequestError, ConnectorError, NotFoundError } from '../../contract/index.js';
import { type Clock, isObject, parseIsoTime } from '../../internal/index.js';
import { emptyReply, jsonReply, type SimulatedResponse } from '../http/reply.js';
import type { GivenItem, Item, JournalEntry, SimulatedResource, StoredItem } from '../types.js';

interface Row {
  item: Item;
  updatedMs: number;
  /** The number of the change; cursors are such numbers. */
  sequence: number;
}

const defaultPageSize = 100;
const largestPageSize = 1000;

/**
 * Items that can be listed, read, created, replaced, changed and deleted. Lists are ordered by the last change, and a cursor
 * is a position in that order: an item that changes while you page turns up again later, and none is skipped.
 */
export class Resource implements SimulatedResource {
  readonly #name: string;
  readonly #clock: Clock;
  /** Ordered by the last change: a row that changes moves to the end. */
  readonly #rows = new Map<string, Row>();
  #sequence = 0;
  #lastId = 0;

  constructor(name: string, items: readonly Item[], clock: Clock) {
    this.#name = name;
    this.#clock = clock;
    const now = clock.now();
    const timed = items.map((item) => ({ item, updatedMs: Date.parse(String(item.updatedAt)) || now }));
    timed.sort((one, other) => one.updatedMs - other.updatedMs);
    for (const { item, updatedMs } of timed) this.#store(item, updatedMs);
  }

  all(): StoredItem[] {
    return [...this.#rows.values()].map(copyOf);
  }

  get(id: string | number): StoredItem | undefined {
    const row = this.#rows.get(String(id));
    return row && copyOf(row);
  }

  set(item: GivenItem): StoredItem {
    return copyOf(this.#store(item as Item));
  }

  delete(id: string | number): boolean {
    return this.#rows.delete(String(id));
  }

  /** @param id of the item in the path, if any. @throws ConnectorError for a request that is not valid. */
  respond({ method, json }: JournalEntry, id: string | undefined, query: URLSearchParams): SimulatedResponse {
    if (id === undefined) {
      if (method === 'GET' || method === 'HEAD') return this.#list(query);
      if (method === 'POST') return this.#create(json);
      throw this.#notAllowed(method);
    }
    const row = this.#rows.get(id);
    if (row === undefined && method !== 'PUT') throw new NotFoundError(`${this.#name} has no item ${id}.`);
    switch (method) {
      case 'GET':
      case 'HEAD':
        return jsonReply(200, stored(row as Row));
      case 'PUT':
        return jsonReply(
          row === undefined ? 201 : 200,
          this.set({ ...record(json), id: row?.item.id ?? this.#likeOthers(id) }),
        );
      case 'PATCH': {
        const { item } = row as Row;
        return jsonReply(200, this.set({ ...item, ...record(json), id: item.id }));
      }
      case 'DELETE':
        this.#rows.delete(id);
        return emptyReply(204);
      default:
        throw this.#notAllowed(method);
    }
  }

  #list(query: URLSearchParams): SimulatedResponse {
    const size = readSize(query.get('limit'));
    const cursor = query.get('cursor');
    const since = query.get('updatedSince');
    const sinceMs = since === null ? Number.NEGATIVE_INFINITY : readSince(since);
    const after = cursor === null ? 0 : readCursor(cursor);
    const rows = [...this.#rows.values()].filter(({ updatedMs, sequence }) => updatedMs >= sinceMs && sequence > after);
    const page = rows.slice(0, size);
    const nextCursor = rows.length > size ? String(page.at(-1)?.sequence) : null;
    return jsonReply(200, { items: page.map(stored), nextCursor });
  }

  #create(json: unknown): SimulatedResponse {
    const fields = record(json);
    const id = fields.id ?? this.#freeId();
    if (typeof id !== 'string' && typeof id !== 'number') throw new BadRequestError('`id` must be text or a number.');
    if (this.#rows.has(String(id))) {
      throw new ConnectorError(`${this.#name} already has an item ${id}.`, { status: 409, code: 'CONFLICT' });
    }
    return jsonReply(201, this.set({ ...fields, id }));
  }

  #store(item: Item, updatedMs = this.#clock.now()): Row {
    // A copy: what the test or the journal does with theirs changes no item.
    const row = { item: copyPlain(item), updatedMs, sequence: ++this.#sequence };
    const key = String(item.id);
    this.#rows.delete(key);
    this.#rows.set(key, row);
    return row;
  }

  #freeId(): string | number {
    do this.#lastId++;
    while (this.#rows.has(String(this.#lastId)));
    return this.#likeOthers(this.#lastId);
  }

  /** Text or a number, as in the items that there are: a schema expects the same of all. */
  #likeOthers(id: string | number): string | number {
    const [row] = this.#rows.values();
    if (row === undefined) return id;
    const number = Number(id);
    const isNumber = Number.isSafeInteger(number) && String(number) === String(id);
    return typeof row.item.id === 'number' && isNumber ? number : String(id);
  }

  #notAllowed(method: string): ConnectorError {
    const message = `${this.#name} does not support ${method}.`;
    return new ConnectorError(message, { status: 405, code: 'METHOD_NOT_ALLOWED' });
  }
}

function stored({ item, updatedMs }: Row): StoredItem {
  return { ...item, updatedAt: new Date(updatedMs).toISOString() };
}

/** A copy of what JSON has, for whoever changes it; what says itself how it is written, such as a Date, stays as it is. */
export function copyPlain<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(copyPlain) as Value;
  const isPlain = isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
  return isPlain
    ? (Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copyPlain(item)])) as Value)
    : value;
}

function copyOf(row: Row): StoredItem {
  return copyPlain(stored(row));
}

function readSince(text: string): number {
  const time = parseIsoTime(text);
  if (time === undefined) throw new BadRequestError('`updatedSince` must be an ISO 8601 time with a time zone.');
  return time;
}

function readCursor(text: string): number {
  if (!/^\d+$/.test(text)) throw new BadRequestError('`cursor` must be a `nextCursor` from an earlier page.');
  return Number(text);
}

function readSize(text: string | null): number {
  const size = text === null ? defaultPageSize : Number(text);
  if (Number.isInteger(size) && size >= 1 && size <= largestPageSize) return size;
  throw new BadRequestError(`\`limit\` must be a whole number from 1 to ${largestPageSize}.`);
}

function record(json: unknown): Record<string, unknown> {
  if (isObject(json)) return json;
  throw new BadRequestError('The body must be a JSON object.');
}
