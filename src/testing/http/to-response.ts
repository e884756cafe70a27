import { follow, isBodyless, isBytes } from '../../internal/index.js';
import type { Arrival } from './arrival.js';
import { chunksOf, discard, type NoResponse, type Reply } from './reply.js';

/**
 * Turns a reply into a fetch response, with the nearest equivalent of what only a socket can do: a reset is a network error,
 * a truncated body fails, and one that never ends stays open until the signal aborts.
 */
export async function toResponse(reply: Reply, { method, signal }: Arrival): Promise<Response> {
  if ('instead' in reply) {
    const { instead } = reply;
    if (instead === 'hang') return new Promise(() => {});
    throw new TypeError('fetch failed', { cause: connectionError(...causes[instead]) });
  }
  const headers = new Headers();
  for (const [name, value] of reply.headers) headers.append(name, value);
  const { status, body: content, end } = reply;
  if (isBytes(content) && end !== 'open' && !isBodyless(status) && !headers.has('content-length')) {
    headers.set('content-length', String(content.length));
  }
  if (method === 'HEAD' || isBodyless(status)) {
    discard(reply);
    return new Response(null, { status, headers });
  }
  if (isBytes(content) && end === 'whole') {
    return new Response(content as Uint8Array<ArrayBuffer>, { status, headers });
  }
  const gone = new AbortController();
  const chunks = chunksOf(reply, gone.signal);
  const cut = () => new TypeError('terminated', { cause: connectionError('UND_ERR_SOCKET', 'other side closed') });
  let leave = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      leave = follow([signal], (reason) => {
        gone.abort(reason);
        controller.error(reason);
      });
    },
    async pull(controller) {
      const part = await chunks.next().catch(() => undefined);
      if (part?.done === false) return controller.enqueue(part.value);
      if (part !== undefined && end === 'open') return new Promise(() => {});
      leave();
      if (part === undefined || end === 'cut') throw cut();
      controller.close();
    },
    cancel(reason) {
      leave();
      gone.abort(reason);
    },
  });
  return new Response(body, { status, headers });
}

/** As undici reports them. */
const causes: Record<Exclude<NoResponse['instead'], 'hang'>, [code: string, message: string]> = {
  reset: ['ECONNRESET', 'read ECONNRESET'],
  closed: ['UND_ERR_SOCKET', 'other side closed'],
  'cut-head': ['UND_ERR_SOCKET', 'other side closed'],
  refused: ['ECONNREFUSED', 'connect ECONNREFUSED'],
};

function connectionError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
