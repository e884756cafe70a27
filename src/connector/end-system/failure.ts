import { Chunks, type Clock, decodeLeniently, parseJson, setTimeLimit, systemClock } from '../../internal/index.js';
import { readSoapFault } from './read-soap.js';

/** An end system's failure. */
export interface EndSystemFailure {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  /** The body as text; of one that was too large, whole lines only. */
  readonly text: string;
  /** The body, if it is JSON. With a preset whose `body` is `'soap'`: `{ fault }`, if there is one. */
  readonly json: unknown;
  /** The request that failed. The URL is without query and credentials, which may be secret. */
  readonly request: EndSystemRequest;
}

export interface EndSystemRequest {
  readonly method: string;
  readonly url: string;
}

/** How a body is read. */
export type BodyFormat = 'json' | 'soap';

/** More than enough of an error body: at most 8 KiB of it leave the connector (rule E5). */
const maxErrorBytes = 64 * 1024;
const maxErrorMs = 5_000;

interface ReadLimits {
  maxBytes?: number;
  maxMs?: number;
  clock?: Clock;
  /** Whether the beginning of the body says enough. It is asked whenever what has come has doubled, to stay linear. */
  isEnough?: ((text: string) => boolean) | undefined;
}

/** Reads an error response without trusting it: its body may be cut off, huge or endless. */
export async function readFailure(
  response: Response,
  request: EndSystemRequest,
  body: BodyFormat = 'json',
  { maxBytes = maxErrorBytes, maxMs = maxErrorMs, clock = systemClock, isEnough }: ReadLimits = {},
): Promise<EndSystemFailure> {
  const text = await readText(response, body, { maxBytes, maxMs, clock, isEnough });
  const { status, statusText, headers } = response;
  const json = body === 'soap' ? readFault(text) : parseJson(text);
  return { status, statusText, headers, text, json, request };
}

function readFault(text: string): unknown {
  const fault = readSoapFault(text);
  return fault && { fault };
}

async function readText(response: Response, body: BodyFormat, limits: Required<ReadLimits>): Promise<string> {
  const { maxBytes, maxMs, clock, isEnough } = limits;
  const reader = response.body?.getReader();
  if (!reader) return '';
  const chunks = new Chunks();
  let size = 0;
  let askedAt = 0;
  let isWhole = false;
  const read = () => decodeLeniently(chunks.join(), response.headers.get('content-type'), !isWhole);
  const timer = setTimeLimit(clock, maxMs, () => cancel(reader));
  try {
    while (size < maxBytes) {
      const { done, value } = await reader.read();
      isWhole = done;
      if (done) break;
      chunks.push(value.subarray(0, maxBytes - size));
      size += value.byteLength;
      if (size < 2 * askedAt) continue;
      askedAt = size;
      if (isEnough?.(read())) break;
    }
  } catch {
    // The connection broke: what has arrived still says what failed.
  } finally {
    timer.cancel();
    cancel(reader);
  }
  return size < maxBytes ? read() : withoutRest(read(), body);
}

/** A body that is read no further may end in part of a secret, which nobody would find (rule E5): in a line, or in text of XML. */
function withoutRest(text: string, body: BodyFormat): string {
  return text.slice(0, text.lastIndexOf(body === 'soap' ? '>' : '\n') + 1);
}

/** Ends a pending read; does nothing at the end of the body. */
function cancel(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  reader.cancel().catch(() => {});
}

/** For a message: without the host, which may be internal. */
export function nameRequest({ method, url }: EndSystemRequest): string {
  return `${method} ${url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '')}`.trim();
}

/** What fetch was given, if that is not just a URL. */
export function asRequest(input: string | URL | Request): Request | undefined {
  return typeof input === 'object' && 'method' in input ? input : undefined;
}

export function describeRequest(input: string | URL | Request, init: RequestInit | undefined): EndSystemRequest {
  const asked = asRequest(input);
  const method = (init?.method ?? asked?.method ?? 'GET').toUpperCase();
  try {
    const { origin, pathname } = new URL(asked ? asked.url : String(input));
    return { method, url: origin + pathname };
  } catch {
    return { method, url: '(invalid URL)' };
  }
}
