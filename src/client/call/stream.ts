import type { RequestLine } from '../../contract/index.js';
import { lowerCaseNames, sleep } from '../../internal/index.js';
import type { ConnectorRequest } from '../client-types.js';
import { closedError, RequestError } from '../errors.js';
import { decompressStream } from '../http/decompress.js';
import type { IncomingBody } from '../http/incoming-body.js';
import type { ConnectorResponse } from '../http/read-success.js';
import { headerEntries } from '../http/request-headers.js';
import type { CallObserver } from './observer.js';
import { retryDelayMs } from './react.js';
import type { RunContext, SentAttempt } from './run.js';
import { type FetchRest, StreamedBody } from './streamed-body.js';

/** Requests a body that arrives while it is read, or the rest of one. */
export type Open = (request: ConnectorRequest) => Promise<ConnectorResponse<IncomingBody | undefined>>;

/** What the requests of one stream share. */
export interface StreamHistory {
  observer?: CallObserver;
  attempts: number;
  /** Counts an attempt, and tells the observer. */
  readonly watch: (sent: SentAttempt) => void;
}

/** The request of a stream: without compression, so that a part of the body can be requested. */
export function toStreamRequest(request: ConnectorRequest): ConnectorRequest {
  if (request.schema !== undefined) throw new TypeError("`schema` and `responseType: 'stream'` cannot be combined.");
  return { ...request, headers: { 'accept-encoding': 'identity', ...toRecord(request.headers) } };
}

/** @returns the response with the body that the caller reads. */
export function toStreamed(
  response: ConnectorResponse<IncomingBody | undefined>,
  { settings, clock, counters, events, closing }: RunContext,
  {
    request,
    streamRequest,
    open,
    resuming,
    history,
  }: {
    request: RequestLine;
    streamRequest: ConnectorRequest;
    open: Open;
    /** Gets what resolves once the body goes on, or has failed. */
    resuming(resumed: Promise<void>): void;
    history: StreamHistory;
  },
): ConnectorResponse<ReadableStream<Uint8Array>> {
  const { status, headers, data: incoming } = response;
  const { observer } = history;
  let resumed: Promise<void> | undefined;
  /** Tracers hear of the result last: a request for the rest may still be ending. */
  const end = (failure?: { error: unknown }) => {
    if (resumed === undefined) observer?.end(failure);
    else void resumed.then(() => observer?.end(failure));
  };
  const over = () => end();
  let isTold = false;
  const tell = (error: unknown) => {
    // Anything else is the reason of the caller's signal; and of a layer of compression, another one may have told.
    if (!isTold && error instanceof RequestError && !streamRequest.signal?.aborted) {
      isTold = true;
      incoming?.explain(error);
      events.failed(request, Object.assign(error, { attempts: history.attempts }));
    }
    end({ error });
  };
  if (incoming === undefined) {
    over(); // such as a 204 (rule D1)
    return { status, headers, data: new Blob().stream() };
  }
  const encoding = headers.get('content-encoding');
  let retries = 0;
  const { stream } = new StreamedBody(incoming, {
    request,
    status,
    timeoutMs: streamRequest.timeoutMs ?? settings.timeoutMs,
    maxBytes: settings.maxStreamBytes,
    wholeBytes: lengthOf(headers),
    signal: streamRequest.signal,
    fetchRest: toFetchRest(response, streamRequest, open),
    retry(error, delays, cancelled) {
      const delayMs = delays === 0 ? 0 : retryDelayMs(delays, settings);
      counters.retries++;
      events.emit('retry', { ...request, attempt: ++retries, delayMs, error });
      if (delayMs === 0) return undefined;
      const delay = sleep(clock, delayMs, cancelled, closing).catch((reason) => {
        throw closing.aborted ? closedError(request) : reason;
      });
      return observer?.wait(delay, () => 'retry') ?? delay;
    },
    resuming(promise) {
      resumed = promise.then(() => (resumed = undefined));
      resuming(promise);
    },
    tell,
    over: encoding === null ? over : () => {},
  });
  if (encoding === null) return { status, headers, data: stream };
  const data = decompressStream(stream, encoding, { request, status, maxBytes: settings.maxStreamBytes, tell, over });
  const unpacked = new Headers(headers); // as from fetch
  for (const name of ['content-encoding', 'content-length']) unpacked.delete(name);
  return { status, headers: unpacked, data };
}

/** Requesting the rest takes a connector with ranges and a strong `etag` (RFC 9110, 13.1.5). */
function toFetchRest(
  { status, headers }: ConnectorResponse,
  streamRequest: ConnectorRequest,
  open: Open,
): FetchRest | undefined {
  const etag = headers.get('etag') ?? '';
  const length = lengthOf(headers);
  const requestHeaders = toRecord(streamRequest.headers);
  const mayRepeat = streamRequest.method === 'GET' && streamRequest.idempotent !== false;
  const isWhole = mayRepeat && status === 200 && requestHeaders.range === undefined && length !== undefined;
  if (!isWhole || headers.get('accept-ranges') !== 'bytes' || !etag.startsWith('"')) return undefined;
  // Before all others: the broken part has freed its place, and its reader may hold up the other calls.
  const priority = Number.MAX_VALUE;
  return async (from, cancelled) => {
    const restHeaders = { ...requestHeaders, range: `bytes=${from}-`, 'if-range': etag };
    const rest = await open({ ...streamRequest, headers: restHeaders, priority, signal: cancelled });
    const [, first, whole] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(rest.headers.get('content-range') ?? '') ?? [];
    const isLength = whole === '*' || Number(whole) === length;
    const isSame = ['etag', 'content-encoding'].every((name) => rest.headers.get(name) === headers.get(name));
    const isRest = rest.status === 206 && Number(first) === from && isLength && isSame;
    if (isRest && rest.data !== undefined) return rest.data;
    rest.data?.destroy();
    const received = rest.status === 206 ? 'part of another file' : `status ${rest.status}`;
    throw new Error(`the connector sent ${received} for \`range: bytes=${from}-\``);
  };
}

function lengthOf(headers: Headers): number | undefined {
  const length = headers.get('content-length') ?? '';
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

function toRecord(headers: ConnectorRequest['headers'] = {}): Record<string, string> {
  return lowerCaseNames(headerEntries(headers));
}
