import type { HttpBindings } from '@hono/node-server';

/**
 * The request of an `incoming` whose body something before has read already, as `express.json()` does: the body is made
 * again of `incoming.body`, which is where parsers leave it.
 *
 * @returns the very request where nobody has read; where the body is gone, one whose body fails with an error that says so.
 */
export function withParsedBody(request: Request, incoming: HttpBindings['incoming']): Request {
  if (!incoming.readableDidRead || request.method === 'GET' || request.method === 'HEAD') return request;
  const { body, headers: given } = incoming as typeof incoming & { body?: unknown };
  const bytes = given['content-length'] === '0' ? Buffer.alloc(0) : toBytes(body, given['content-type'] ?? '');
  // A parser has unpacked it and put its pieces together.
  const headers = new Headers(request.headers);
  headers.delete('content-encoding');
  headers.delete('transfer-encoding');
  if (bytes) headers.set('content-length', String(bytes.length));
  const { url, method, signal } = request;
  return new Request(url, { method, headers, signal, body: bytes ?? gone(), duplex: 'half' } as RequestInit);
}

function toBytes(body: unknown, type: string): Buffer<ArrayBuffer> | undefined {
  if (body instanceof Uint8Array || typeof body === 'string') return Buffer.from(body as string);
  if (/^\s*(?:text|application)\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
    const json: string | undefined = JSON.stringify(body);
    return json === undefined ? undefined : Buffer.from(json);
  }
  if (/^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return toForm(body);
  return undefined;
}

/** Fields that hold objects are in no form that everybody reads alike. */
function toForm(body: unknown): Buffer<ArrayBuffer> | undefined {
  const fields = Object.entries(Object(body) as object).flatMap(([name, value]) =>
    [value].flat().map((item): [string, unknown] => [name, item]),
  );
  if (body === undefined || fields.some(([, value]) => typeof value !== 'string')) return undefined;
  return Buffer.from(String(new URLSearchParams(fields as [string, string][])));
}

function gone(): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.error(
        new Error(
          'The body of the request was read before the connector got it, and cannot be made again. Put the connector before ' +
            'the parser, or give it what was read as `body` of the incoming message.',
        ),
      );
    },
  });
}
