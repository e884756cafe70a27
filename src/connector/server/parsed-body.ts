import type { HttpBindings } from '@hono/node-server';
import { BadRequestError } from '../../contract/index.js';
import { bodyAlreadyReadError, charsetOf } from '../../internal/index.js';

type IncomingHttpHeaders = HttpBindings['incoming']['headers'];

/**
 * The request of an `incoming` whose body a parser such as `express.json()` has read: takes its bytes from
 * `incoming.rawBody`, where NestJS and cloud functions keep them, or rebuilds it from `incoming.body`, where parsers leave it.
 *
 * @returns the same request if its body is unread; if the body cannot be made again, one whose body fails with the reason.
 */
export function withParsedBody(request: Request, incoming: HttpBindings['incoming']): Request {
  if (!incoming.readableDidRead || request.method === 'GET' || request.method === 'HEAD') return request;
  const { body, rawBody, headers: given } = incoming as typeof incoming & { body?: unknown; rawBody?: unknown };
  const parsed = rawBody instanceof Uint8Array ? rawBody : body;
  const bytes = given['content-length'] === '0' ? Buffer.alloc(0) : toBytes(parsed, given);
  // The parser has decompressed and joined it.
  const headers = new Headers(request.headers);
  headers.delete('content-encoding');
  headers.delete('transfer-encoding');
  if (!(bytes instanceof Error)) headers.set('content-length', String(bytes.length));
  const { url, method, signal } = request;
  const content = bytes instanceof Error ? failing(bytes) : bytes;
  return new Request(url, { method, headers, signal, body: content, duplex: 'half' } as RequestInit);
}

function toBytes(body: unknown, headers: IncomingHttpHeaders): Buffer<ArrayBuffer> | Error {
  const type = headers['content-type'] ?? '';
  if (body instanceof Uint8Array) return Buffer.from(body);
  if (typeof body === 'string') return toText(body, headers);
  if (/^\s*(?:text|application)\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) return toJson(body);
  if (/^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return toForm(body);
  return lost();
}

/** What was decoded is encoded again, unless these would be other bytes: of a file, or of text in another charset. */
function toText(body: string, headers: IncomingHttpHeaders): Buffer<ArrayBuffer> | Error {
  const bytes = Buffer.from(body);
  const { 'content-length': length, 'content-encoding': encoding } = headers;
  if (length !== undefined && encoding === undefined) return Number(length) === bytes.length ? bytes : lost();
  const isAscii = bytes.length === body.length;
  const isUtf8 = charsetOf(headers['content-type'] ?? '') === undefined && !body.includes('\uFFFD');
  return isAscii || isUtf8 ? bytes : lost();
}

function toJson(body: unknown): Buffer<ArrayBuffer> | Error {
  try {
    const json: string | undefined = JSON.stringify(body);
    return json === undefined ? lost() : Buffer.from(json);
  } catch (cause) {
    // A parser reads more levels than the runtime can write.
    if (cause instanceof RangeError) return new BadRequestError('The request body is nested too deeply.', { cause });
    throw cause;
  }
}

function toForm(body: unknown): Buffer<ArrayBuffer> | Error {
  const fields = Object.entries(Object(body) as object).flatMap(([name, value]) =>
    [value].flat().map((item): [string, unknown] => [name, item]),
  );
  if (body === undefined) return lost();
  // There is no standard form for them, and whoever sends them may be the one who is wrong.
  if (fields.some(([, value]) => typeof value !== 'string')) {
    return new Error(
      'The form has fields that hold objects, so it cannot be rebuilt. Put the connector before the parser.',
    );
  }
  return Buffer.from(String(new URLSearchParams(fields as [string, string][])));
}

function lost(): Error {
  return bodyAlreadyReadError(
    'The body of the request was read before the connector got it, and cannot be rebuilt. Put the connector before ' +
      'the parser, or give it what was read as `body` of the incoming message.',
  );
}

function failing(error: Error): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.error(error) });
}
