import type { FailedRequest } from '../../contract/index.js';
import type { ConnectorRequest } from '../client-types.js';
import { RequestError, withoutQuotes } from '../errors.js';
import type { Incoming } from '../http/incoming.js';
import type { ConnectorResponse } from '../http/read-success.js';
import { headerEntries } from '../http/request-headers.js';
import { unpackStream } from '../http/unpack-stream.js';
import type { Settings } from '../settings.js';
import { explain } from './failure.js';
import { type FinalBreak, type GoOn, StreamedBody } from './streamed-body.js';

/** Makes one more call whose body arrives while it is read. */
export type Open = (request: ConnectorRequest) => Promise<ConnectorResponse<Incoming>>;

/** What a call asks for whose body is a stream: as it is, so that a part of it can be asked for. */
export function toStreamRequest(request: ConnectorRequest): ConnectorRequest {
  if (request.schema !== undefined) throw new TypeError("`schema` and `responseType: 'stream'` exclude each other.");
  return withHeaders(request, { 'accept-encoding': 'identity', ...toRecord(request.headers) });
}

/** @returns the response with a body for the caller to read. @throws RequestError when it cannot be unpacked. */
export function toStreamed(
  answer: ConnectorResponse<Incoming>,
  {
    request,
    asked,
    settings,
    open,
  }: { request: FailedRequest; asked: ConnectorRequest; settings: Settings; open: Open },
): ConnectorResponse<ReadableStream<Uint8Array>> {
  const { status, headers } = answer;
  const { stream } = new StreamedBody(answer.data, {
    request,
    maxBytes: settings.maxStreamBytes,
    wholeBytes: asked.method === 'HEAD' ? undefined : lengthOf(headers),
    signal: asked.signal,
    goOn: toGoOn(answer, asked, open),
    toError: (how, cause) =>
      toBreakError(how, { request, status, cause, timeoutMs: asked.timeoutMs ?? settings.timeoutMs }),
  });
  const encoding = headers.get('content-encoding');
  if (encoding === null) return { status, headers, data: stream };
  const data = unpackStream(stream, encoding, { request, status, maxBytes: settings.maxStreamBytes });
  return { status, headers, data };
}

/** The rest alone can be had where the connector takes ranges, and says what would tell another file (RFC 9110, 13.1.5). */
function toGoOn({ status, headers }: ConnectorResponse, asked: ConnectorRequest, open: Open): GoOn | undefined {
  const etag = headers.get('etag') ?? '';
  const length = lengthOf(headers);
  const before = toRecord(asked.headers);
  const isWhole = asked.method === 'GET' && status === 200 && before.range === undefined && length !== undefined;
  if (!isWhole || headers.get('accept-ranges') !== 'bytes' || !etag.startsWith('"')) return undefined;
  // Before all others: the place that the part had is free for it, and whoever reads it may hold the others up.
  const priority = Number.MAX_VALUE;
  return async (from) => {
    const rest = await open({
      ...withHeaders(asked, { ...before, range: `bytes=${from}-`, 'if-range': etag }),
      priority,
    });
    const [, first, whole] = /^bytes (\d+)-\d+\/(\d+)$/.exec(rest.headers.get('content-range') ?? '') ?? [];
    const isSame = ['etag', 'content-encoding'].every((name) => rest.headers.get(name) === headers.get(name));
    if (rest.status === 206 && Number(first) === from && Number(whole) === length && isSame) return rest.data;
    rest.data.destroy();
    const what = rest.status === 206 ? 'a part of something else' : rest.status;
    throw new Error(`the connector answered ${what} to \`range: bytes=${from}-\``);
  };
}

function lengthOf(headers: Headers): number | undefined {
  const length = headers.get('content-length') ?? '';
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

function toBreakError(
  how: FinalBreak,
  facts: { request: FailedRequest; status: number; cause: unknown; timeoutMs: number },
): RequestError {
  const { request, status, timeoutMs } = facts;
  const cause = withoutQuotes(facts.cause ?? (how.type === 'failed' ? how.error : undefined));
  if (how.type === 'timeout') {
    return new RequestError(`nothing more came within ${timeoutMs} ms`, { code: 'TIMEOUT', request, status, cause });
  }
  const message = `the connection ended in the middle of the answer: ${explain(how.error)}`;
  return new RequestError(message, { code: 'NETWORK_ERROR', request, status, cause });
}

function withHeaders(request: ConnectorRequest, headers: Record<string, string>): ConnectorRequest {
  return { ...request, headers };
}

function toRecord(headers: ConnectorRequest['headers']): Record<string, string> {
  return Object.fromEntries(headerEntries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
}
