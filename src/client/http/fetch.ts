import { abortable, type Clock } from '../../internal/index.js';
import { decompress } from './decompress.js';
import { IncomingBody } from './incoming-body.js';
import { bodyFailure, type OutgoingBody, toOutgoingBody } from './request-body.js';
import {
  ActiveRequests,
  type BodyEnd,
  bodyLimit,
  isCompressed,
  isRedirect,
  isStreamed,
  type ResponseOutcome,
  type SendOutcome,
  type Transport,
  type WireRequest,
  type WireResponse,
} from './wire.js';

export interface FetchTransportOptions {
  origin: string;
  fetch: typeof globalThis.fetch;
  clock: Clock;
  maxResponseBytes: number;
}

/** The transport over the caller's `fetch`: for other runtimes, and for connectors called in process. */
export function createFetchTransport(options: FetchTransportOptions): Transport {
  const active = new ActiveRequests();
  return {
    send: (request) => send(request, options, active),
    close: async () => {},
    abort: () => active.abort(),
  };
}

async function send(
  request: WireRequest,
  options: FetchTransportOptions,
  active: ActiveRequests,
): Promise<SendOutcome> {
  if (!request.mayStart()) return { type: 'held-back' };
  const controller = new AbortController();
  let stopped: 'timeout' | 'aborted' | undefined;
  const stop = (reason: 'timeout' | 'aborted') => {
    stopped ??= reason;
    controller.abort();
  };
  const onAbort = () => stop('aborted');
  const self = { abort: onAbort, index: 0 };
  active.add(self);
  const timer = options.clock.setTimer(request.timeoutMs, () => stop('timeout'));
  request.signal?.addEventListener('abort', onAbort, { once: true });
  if (request.signal?.aborted) onAbort();
  const blob = request.body instanceof Blob ? request.body : undefined; // fetch can send those itself
  const outgoing = toOutgoingBody(blob === undefined ? request.body : undefined);
  try {
    if (stopped) return { type: 'aborted' };
    const sent = options.fetch(
      options.origin + request.target,
      init(request, blob ?? outgoing.body, controller.signal),
    );
    // A fetch that ignores its signal must not keep the call waiting.
    const response = checkResponse(await abortable(Promise.resolve(sent), controller.signal));
    if (isStreamed(request, response.status)) return streamed(response, request, controller, options.clock);
    if (isRedirect(response.status)) {
      void response.body?.cancel().catch(() => {});
      const { status, headers } = response;
      return { type: 'response', status, headers: toRecord(headers), body: new Uint8Array(), end: 'whole' };
    }
    const limit = bodyLimit(response.status, request.maxBytes ?? options.maxResponseBytes);
    const { body, end, error } = await collect(response, limit, controller.signal);
    if (stopped === 'aborted') return { type: 'aborted' };
    const { status } = response;
    const headers = toRecord(response.headers);
    const outcome: ResponseOutcome = { type: 'response', status, headers, body, end, error };
    if (stopped === 'timeout' && status < 400) return { type: 'timeout', response: { ...outcome, end: 'truncated' } };
    return isLeftPacked(response, request) && isCompressed(outcome) ? await decompress(outcome, limit) : outcome;
  } catch (error) {
    if (stopped === 'timeout') return { type: 'timeout' };
    if (stopped === 'aborted') return { type: 'aborted' };
    return { type: 'failed', error: bodyFailure(outgoing, error) ?? error };
  } finally {
    active.delete(self);
    timer.cancel();
    request.signal?.removeEventListener('abort', onAbort);
  }
}

/** A mistake in the caller's `fetch`, such as a mock: a retry would not mend it. */
export class UnusableResponse extends TypeError {}

/** Judged by its members, because it may be of another copy of fetch. */
function checkResponse(response: Response | undefined): Response {
  const { status, headers, body, bodyUsed } = response ?? ({} as Partial<Response>);
  const isResponse = typeof status === 'number' && Symbol.iterator in Object(headers);
  if (!isResponse || (body && typeof body.getReader !== 'function')) {
    throw new UnusableResponse('the option `fetch` returned no Response');
  }
  if (bodyUsed || body?.locked) throw new UnusableResponse('the option `fetch` returned a Response already read');
  return response as Response;
}

/**
 * Whether the body has to be decompressed by the client. A response made in process has no URL. `fetch` has decompressed one
 * from the network, except on Deno, whose `fetch` does so only if the request asked for it.
 */
function isLeftPacked({ url }: Response, { headers }: WireRequest): boolean {
  return url === '' || ('Deno' in globalThis && headers['accept-encoding'] === 'identity');
}

function init(request: WireRequest, body: Blob | OutgoingBody['body'], signal: AbortSignal): RequestInit {
  const { method, headers } = request;
  const common = { method, headers: { ...headers }, signal, redirect: 'manual' } as const;
  if (body === undefined) return common;
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof Blob) {
    return { ...common, body: body as BodyInit };
  }
  return { ...common, body: toStream(body), ...({ duplex: 'half' } as object) };
}

function toStream(body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  // Supported by every supported Node, but missing in the types.
  return (ReadableStream as unknown as { from(source: typeof body): ReadableStream<Uint8Array> }).from(body);
}

/** Of the headers, only cookies are not joined when they repeat. */
function toRecord(headers: Headers): WireResponse['headers'] {
  const cookies = headers.getSetCookie?.() ?? [];
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) };
}

/** Hands the head on, while the body keeps arriving. */
function streamed(
  response: Response,
  request: WireRequest,
  controller: AbortController,
  clock: Clock,
): ResponseOutcome {
  const { timeoutMs: silenceMs, signal } = request;
  const reader = response.body?.getReader();
  let isWanted = false;
  let isReading = false;
  const read = async () => {
    if (isReading) return;
    isReading = true;
    try {
      while (isWanted) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done) return incoming.finish('whole');
        incoming.arrived(value);
      }
    } catch (error) {
      incoming.finish({ type: 'failed', error });
    } finally {
      isReading = false;
    }
  };
  const incoming: IncomingBody = new IncomingBody({
    clock,
    silenceMs,
    signal,
    connection: {
      pause: () => {
        isWanted = false;
      },
      resume: () => {
        isWanted = true;
        void read();
      },
      destroy: () => {
        isWanted = false;
        controller.abort();
        reader?.cancel().catch(() => {});
      },
    },
  });
  const headers = toRecord(response.headers);
  // Decompressed already: no range of these bytes can be requested.
  if (!isLeftPacked(response, request) && headers['content-encoding'] !== undefined) {
    delete headers['content-encoding'];
    delete headers['content-length'];
  }
  const { status } = response;
  return { type: 'response', status, headers, body: new Uint8Array(), incoming, end: 'whole' };
}

async function collect(
  response: Response,
  limit: number,
  signal: AbortSignal,
): Promise<{ body: Uint8Array; end: BodyEnd; error?: unknown }> {
  const chunks: Uint8Array[] = [];
  const reader = response.body?.getReader();
  if (reader === undefined) return { body: new Uint8Array(), end: 'whole' };
  let end: BodyEnd = 'whole';
  let cause: unknown;
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await abortable(reader.read(), signal);
      if (done) break;
      size += value.length;
      if (size > limit) {
        end = 'too-large';
        break;
      }
      chunks.push(value);
    }
  } catch (error) {
    end = 'truncated';
    cause = error;
  }
  if (end !== 'whole') void reader.cancel().catch(() => {});
  return { body: Buffer.concat(chunks), end, error: cause };
}
