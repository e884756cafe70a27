import { abortable, readLimited, sleep, systemClock } from '../../internal/index.js';
import type { Settings } from '../options.js';
import type { ReadyRequest } from '../probes.js';
import { bodyFailure, type Failure, requestFailure } from './failures.js';

/** The most bytes to read of a body: nothing in the contract is this large. */
const maxBodyBytes = 4 * 1024 * 1024;

/** How often a request is sent again whose connection closed. Cases with parallel requests leave about as many idle ones. */
const maxResends = 8;

/** Each pause before that is longer by so much: by then the other connections that the server has closed are seen to be. */
const resendDelayMs = 10;

/** The transport may need a moment until it takes a connection for idle, and uses it again. */
export const idleMs = 20;

/** A request and its response, secrets included: show it only through `showExchange`. */
export interface Exchange {
  readonly request: ReadyRequest;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly response: ReceivedResponse | undefined;
  /** Why there is no response. */
  readonly failure: Failure | undefined;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  /** What was read of the body. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the body is longer than that. */
  readonly truncated: boolean;
  /** The bytes as text, a byte order mark included. */
  readonly body: string;
  /** Why the body could not be read to its end. The status counts all the same (rule E6). */
  readonly broken: Failure | undefined;
}

/**
 * Sends one request and reads the response. Never throws: a failure is part of the result. While its connection closes without
 * a response, the request is sent again, up to {@link maxResends} times unless it says otherwise: a server may close an idle
 * connection at any time.
 */
export async function exchange(settings: Settings, request: ReadyRequest): Promise<Exchange> {
  const { mostResends = maxResends } = request;
  let seen = await exchangeOnce(settings, request);
  for (let resends = 0; seen.failure?.kind === 'closed' && resends < mostResends; resends += 1) {
    await sleep(systemClock, resends * resendDelayMs);
    seen = await exchangeOnce(settings, request);
  }
  return seen;
}

async function exchangeOnce(settings: Settings, request: ReadyRequest): Promise<Exchange> {
  const startedAt = Date.now();
  const began = performance.now();
  const received = await receive(settings, request);
  return { request, startedAt, durationMs: performance.now() - began, ...received };
}

async function receive(settings: Settings, request: ReadyRequest): Promise<Pick<Exchange, 'response' | 'failure'>> {
  const signal = AbortSignal.timeout(settings.timeoutMs);
  const timeout = (text: string): Failure => ({ kind: 'timeout', text: `${text} within ${settings.timeoutMs} ms` });
  try {
    const message = new Request(settings.baseUrl + request.path, {
      method: request.method,
      redirect: 'manual',
      signal,
      ...(request.chunked ? inChunks(request) : { headers: request.headers, body: request.body ?? null }),
    });
    // A `fetch` that was passed in may ignore the signal.
    const response = await abortable(Promise.resolve(settings.fetch(message)), signal);
    const { status, headers } = response;
    const limit = request.maxResponseBytes ?? maxBodyBytes;
    try {
      const { bytes, truncated } = await abortable(readLimited(response.body, limit), signal);
      const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, maxBodyBytes));
      return { response: { status, headers, bytes, truncated, body, broken: undefined }, failure: undefined };
    } catch (error) {
      const broken = signal.aborted
        ? timeout('the body did not end')
        : bodyFailure(error, headers.get('content-encoding'));
      const nothing = { bytes: new Uint8Array(), truncated: false, body: '' };
      return { response: { status, headers, ...nothing, broken }, failure: undefined };
    }
  } catch (error) {
    return { response: undefined, failure: signal.aborted ? timeout('no response') : requestFailure(error) };
  }
}

/** On a connection of its own: a body that is left unread must not become the beginning of the next request. */
function inChunks({ headers, body = '' }: ReadyRequest): RequestInit & { duplex: 'half' } {
  return {
    headers: { ...headers, connection: 'close' },
    body: new Blob([body]).stream(),
    duplex: 'half',
    credentials: 'omit', // otherwise some versions of fetch want to send the body again after a 401, and fail
  };
}

/** `GET /issues: 404`, for messages. */
export function summarize({ request, response, failure }: Exchange): string {
  return `${request.method} ${shorten(request.path, 80)}: ${response?.status ?? failure?.text}`;
}

export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… [${text.length - length} more characters]`;
}
