import type { Context, Handler, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { findTargetHandler, isMiddleware } from 'hono/utils/handler';
import { ConnectorError } from '../../contract/index.js';
import { checkOptions, count } from '../../internal/index.js';
import type { OwnOf } from '../app/guarded-app.js';
import { bodyRefusal, type Shared } from './request-state.js';

/** The limits that routes have of their own, by their middleware. */
const limits = new WeakMap<object, number>();

/**
 * Middleware that gives a route, or all paths of a `use`, another limit than `maxBodyBytes`: a smaller or a larger one.
 * The bytes are counted while they pass and never held, so a handler can send an upload on in constant memory. A body that
 * is too large is answered with 413 `PAYLOAD_TOO_LARGE` (rule E4): at once where its length is declared, else as soon as
 * it is too large. It works in any Hono app.
 * A connector asks its own alone, and of those the last one before the route that answers (rule D5).
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

/** The limit that a handler is there to set, unless a connector has taken it for its own already. */
export const limitOf = (handler: Handler): number | undefined => limits.get(findTargetHandler(handler));

/** What a connector has in the place of its own `limitBody`: it asks the limit before anything else. */
export const passOn: MiddlewareHandler = async (_c, next) => next();

/**
 * The limits of a connector: `count` comes before whatever may read the body, `check` before what handles the request. The
 * limit is that of its own last `limitBody` before the first of its routes that takes no `next`, else `maxBodyBytes`; what
 * belongs to another connector or app has a limit for itself (rule D5).
 *
 * @param isOwn whether the request is for initialize or cleanup, which no route of the author's takes.
 */
export function createBodyLimit(maxBodyBytes: number, { ownOf, isOwn }: { ownOf: OwnOf; isOwn(c: Context): boolean }) {
  const limitFor = (c: Context): number => {
    const onlyMiddleware = isOwn(c);
    let limit = maxBodyBytes;
    for (const { handler } of matchedRoutes(c)) {
      const own = ownOf(handler);
      if (own === undefined || (onlyMiddleware && own.kind !== 'middleware')) continue;
      if (own.bytes !== undefined) limit = own.bytes;
      else if (own.kind !== 'middleware' && !isMiddleware(findTargetHandler(handler as Handler))) break;
    }
    return limit;
  };
  return {
    count(c: Context): void {
      if (mayHaveBody(c)) countBody(c, limitFor(c));
    },
    check(c: Context): undefined {
      if (mayHaveBody(c)) checkLength(c, limitFor(c));
    },
  };
}

function mayHaveBody({ req: { method } }: Context): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

function declaredLength({ headers }: Request): number | undefined {
  const length = headers.get('content-length');
  return length === null || headers.has('transfer-encoding') ? undefined : Number(length);
}

function checkLength(c: Context, limit: number): void {
  if ((declaredLength(c.req.raw) ?? 0) > limit) throw refuse(c, limit);
}

/**
 * Has reading fail where the body goes beyond its limit. The rest is left to the server, or dropped: to cancel it would cost
 * the connection, and the answer with it.
 */
function countBody(c: Context, limit: number): void {
  const { raw } = c.req;
  const declared = declaredLength(raw);
  if (declared !== undefined && declared <= limit) return;
  if (declared !== undefined) {
    // Not a byte of it is touched: what nobody has begun to read the server clears away.
    const { method, headers, signal } = raw;
    const body = toBody(() => Promise.reject(refuse(c, limit)));
    c.req.raw = new Request(raw.url, { method, headers, signal, body, duplex: 'half' } as RequestInit);
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
        throw refuse(c, limit);
      }
      controller.enqueue(value);
    },
    (reason) => reader.cancel(reason),
  );
  c.req.raw = new Request(raw, { body, duplex: 'half' } as RequestInit);
}

function toBody(
  pull: (controller: ReadableStreamDefaultController<Uint8Array>) => Promise<void>,
  cancel?: (reason: unknown) => Promise<void>,
): ReadableStream<Uint8Array> {
  return new ReadableStream(cancel ? { pull, cancel } : { pull }, { highWaterMark: 0 });
}

/** As much as a server clears away by itself. */
const mostDroppedBytes = 64 * 1024 * 1024;

async function drop(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (let bytes = 0; bytes < mostDroppedBytes; ) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.byteLength;
  }
}

function refuse(c: Context, limit: number): ConnectorError {
  const refusal = new ConnectorError(`The request body is larger than the ${limit} bytes that are allowed.`, {
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
  });
  (c as Shared)[bodyRefusal] = refusal;
  return refusal;
}
