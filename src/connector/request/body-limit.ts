import type { Context, Handler, MiddlewareHandler } from 'hono';
import { ConnectorError } from '../../contract/index.js';
import { checkOptions, count } from '../../internal/index.js';
import { stateOf } from './request-state.js';

const limits = new WeakMap<object, number>();

/**
 * Middleware that replaces `maxBodyBytes` for a route, or for all paths of a `use`, with a smaller or a larger limit.
 * Bytes are counted as they pass and never buffered, so a handler can forward an upload in constant memory. A larger body
 * gets a 413 `PAYLOAD_TOO_LARGE` (rule E4): at once if it declares its length, otherwise when it exceeds the limit.
 * In a connector the last limit before the route applies (rule D5). It works in any Hono app.
 *
 * @param bytes a whole number, 1 or more.
 * @throws TypeError when `bytes` is something else.
 * @example
 * connector.post('/files', limitBody(1024 ** 3), async (c) => {
 *   const { body } = c.req.raw
 *   // Without the last two, Node's fetch keeps a copy of the whole body, for a redirect.
 *   const upload = { method: 'POST', body, duplex: 'half', redirect: 'error', window: null } as RequestInit
 *   return endSystem('https://files.example.com/', upload)
 * })
 */
export function limitBody(bytes: number): MiddlewareHandler {
  const limit = checkOptions(count(1), bytes, 'bytes');
  const middleware: MiddlewareHandler = async (c, next) => {
    countBody(c, limit);
    checkLength(c, limit);
    await next();
  };
  limits.set(middleware, limit);
  return middleware;
}

export const bodyLimitOf = (handler: Handler): number | undefined => limits.get(handler);

/** Takes the place of a `limitBody` in a connector, which applies the limit itself before anything reads the body. */
export const passOn: MiddlewareHandler = async (_c, next) => next();

function declaredLength({ headers }: Request): number | undefined {
  const length = headers.get('content-length');
  return length === null || headers.has('transfer-encoding') ? undefined : Number(length);
}

/** @throws ConnectorError where the request declares a longer body. */
export function checkLength(c: Context, limit: number): void {
  if ((declaredLength(c.req.raw) ?? 0) > limit) throw tooLarge(c, limit);
}

/**
 * Makes reading the body fail beyond its limit. The server discards the rest: cancelling it would end the connection before
 * the response is sent.
 */
export function countBody(c: Context, limit: number): void {
  const { raw } = c.req;
  const declared = declaredLength(raw);
  if (declared !== undefined && declared <= limit) return;
  if (declared !== undefined) {
    // The body stays unread: the server discards one that nobody has begun to read.
    replaceBody(
      c,
      toBody(() => Promise.reject(tooLarge(c, limit))),
    );
    return;
  }
  if (raw.body === null) return;
  const reader = raw.body.getReader();
  let bytes = 0;
  const body = toBody(
    async (controller) => {
      const { done, value } = await reader.read();
      if (done) {
        controller.close();
        return;
      }
      bytes += value.byteLength;
      if (bytes > limit) {
        void drop(reader).catch(() => {});
        throw tooLarge(c, limit);
      }
      controller.enqueue(value);
    },
    (reason) => reader.cancel(reason),
  );
  replaceBody(c, body);
}

/** Part by part: Node's `Request` cannot be made of a request that a server has made in its own way, such as srvx. */
function replaceBody(c: Context, body: ReadableStream<Uint8Array>): void {
  const { url, method, headers, signal } = c.req.raw;
  c.req.raw = new Request(url, { method, headers, signal, body, duplex: 'half' } as RequestInit);
}

function toBody(
  pull: (controller: ReadableStreamDefaultController<Uint8Array>) => Promise<void>,
  cancel?: (reason: unknown) => Promise<void>,
): ReadableStream<Uint8Array> {
  return new ReadableStream(cancel ? { pull, cancel } : { pull }, { highWaterMark: 0 });
}

/** As much as a server discards by itself. */
const mostDroppedBytes = 64 * 1024 * 1024;

async function drop(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (let bytes = 0; bytes < mostDroppedBytes; ) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.byteLength;
  }
}

function tooLarge(c: Context, limit: number): ConnectorError {
  const error = new ConnectorError(`The request body exceeds the limit of ${limit} bytes.`, {
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
  });
  stateOf(c).bodyTooLarge = error;
  return error;
}
