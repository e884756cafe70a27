import { parseJson } from '../../internal/index.js';
import { readSoapFault, type SoapFault } from './read-soap.js';

/** What an end system answered instead of what was asked for. */
export interface EndSystemFailure {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  /** The body as text; cut when it was too large. */
  readonly text: string;
  /** The body, if it is JSON. With a preset whose `body` is `'soap'`: `{ fault }`, if there is one. */
  readonly json: unknown;
  /** The call that failed. The URL has neither query nor credentials, because those hold secrets. */
  readonly request: EndSystemRequest;
}

export interface EndSystemRequest {
  readonly method: string;
  readonly url: string;
}

/** How a body is read. */
export type BodyFormat = 'json' | 'soap';

/** More of an error body helps nobody: 8 KiB of it leave the connector (rule E5). */
const maxErrorBytes = 64 * 1024;
const maxErrorMs = 5_000;

/** Reads an error answer without trusting it: a body that is cut, huge or never ends must not hold the connector up. */
export async function readFailure(
  response: Response,
  request: EndSystemRequest,
  body: BodyFormat = 'json',
  limits: { maxBytes: number; maxMs: number } = { maxBytes: maxErrorBytes, maxMs: maxErrorMs },
): Promise<EndSystemFailure> {
  const text = await readText(response, limits.maxBytes, limits.maxMs);
  const { status, statusText, headers } = response;
  return { status, statusText, headers, text, json: body === 'soap' ? readSoap(text) : parseJson(text), request };
}

function readSoap(text: string): { fault: SoapFault } | undefined {
  const fault = readSoapFault(text);
  return fault && { fault };
}

async function readText(response: Response, maxBytes: number, maxMs: number): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  const timer = Number.isFinite(maxMs) ? setTimeout(() => cancel(reader), maxMs) : undefined;
  try {
    while (bytes < maxBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value.subarray(0, maxBytes - bytes), { stream: true });
      bytes += value.byteLength;
    }
  } catch {
    // The connection broke: the status and what has arrived still say what failed.
  } finally {
    clearTimeout(timer);
    cancel(reader);
  }
  return text + decoder.decode();
}

/** A reader that is cancelled ends a pending read; cancelling one that has ended does nothing. */
function cancel(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  reader.cancel().catch(() => {});
}

export function describeRequest(input: RequestInfo | URL, init: RequestInit | undefined): EndSystemRequest {
  const asked = typeof input === 'object' && 'method' in input ? input : undefined;
  const method = (init?.method ?? asked?.method ?? 'GET').toUpperCase();
  try {
    const { origin, pathname } = new URL(asked ? asked.url : String(input));
    return { method, url: origin + pathname };
  } catch {
    return { method, url: '(invalid URL)' };
  }
}
