import type { RunUpdate } from '../../../../examples/service/syncs/run.js';
import type { Visitor } from '../../../admin/ui/helpers/visitor.js';

/** One event of a stream, or a comment. */
export interface Arrived {
  readonly event: string;
  readonly id: string;
  readonly data: string;
  readonly comment: string;
  readonly retry: string;
}

/** Reads server-sent events as a browser does, piece by piece as they arrive. */
export class EventReader {
  readonly status: number;
  readonly headers: Headers;
  readonly #stop = new AbortController();
  readonly #pieces: AsyncIterator<Arrived>;

  private constructor(response: Response, stop: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#stop = stop;
    this.#pieces = parse(response);
  }

  static async open(url: string, visitor: Visitor, lastEventId?: string): Promise<EventReader> {
    const stop = new AbortController();
    const headers: Record<string, string> = {
      accept: 'text/event-stream',
      cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    return new EventReader(await fetch(url, { headers, signal: stop.signal, redirect: 'manual' }), stop);
  }

  /** The next event or comment; `undefined` when the stream has ended. */
  async next(): Promise<Arrived | undefined> {
    const { value, done } = await this.#pieces.next();
    return done === true ? undefined : value;
  }

  /** The next event with this name; what comes before is skipped. */
  async until(event: string): Promise<Arrived> {
    for (;;) {
      const arrived = await this.next();
      if (arrived === undefined) throw new Error(`The stream ended before "${event}".`);
      if (arrived.event === event) return arrived;
    }
  }

  async update(): Promise<RunUpdate & { id: string }> {
    const { data, id } = await this.until('update');
    return { ...(JSON.parse(data) as RunUpdate), id };
  }

  /** Goes away, as a browser that loses its connection. */
  close(): void {
    this.#stop.abort();
  }
}

async function* parse(response: Response): AsyncGenerator<Arrived> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const all = (name: string) =>
        lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim());
      const [event = '', id = '', retry = '', comment = ''] = [
        all('event')[0],
        all('id')[0],
        all('retry')[0],
        all('')[0],
      ];
      yield { event, id, data: all('data').join('\n'), comment, retry };
    }
  }
}
