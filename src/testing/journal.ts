import { type Clock, parseJson } from '../internal/index.js';
import type { Arrival } from './http/arrival.js';
import type { JournalEntry } from './types.js';

/** An entry while its request is being answered. */
export type OpenEntry = { -readonly [Name in keyof JournalEntry]: JournalEntry[Name] };

/** Every request, in the order of arrival. */
export class Journal {
  readonly entries: OpenEntry[] = [];
  readonly #clock: Clock;
  readonly #startedAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  add({ method, url, headers, body: bytes }: Arrival, kind: JournalEntry['kind']): OpenEntry {
    const body = bytes === undefined ? '' : new TextDecoder().decode(bytes);
    const entry: OpenEntry = {
      number: this.entries.length + 1,
      kind,
      at: new Date(this.#clock.now()),
      elapsedMs: this.#clock.monotonic() - this.#startedAt,
      method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: Object.fromEntries(headers),
      body,
      json: parseJson(body),
      session: undefined,
      status: undefined,
      refused: undefined,
      waitMs: undefined,
      fault: undefined,
    };
    this.entries.push(entry);
    return entry;
  }
}
