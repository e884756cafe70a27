import { type Clock, follow, sleep } from '../../internal/index.js';
import type { Arrival } from './arrival.js';
import { chunksOf, isBodyless, type NoResponse, type Reply } from './reply.js';

/**
 * Turns a reply into a fetch response, with the nearest equivalent of what only a socket can do: a reset is a network error,
 * a truncated body fails, and one that never ends stays open until the signal aborts.
 */
export async function toResponse(reply: Reply, { method, signal }: Arrival, clock: Clock): Promise<Response> {
  if (reply.delayMs > 0) await sleep(clock, reply.delayMs, signal);
  if ('instead' in reply) {
    const { instead } = reply;
    if (instead === 'hang') return new Promise((_resolve, reject) => void follow([signal], reject));
    throw new TypeError('fetch failed', { cause: connectionError(...causes[instead]) });
  }
  const headers = new Headers();
  for (const [name, value] of reply.headers) headers.append(name, value);
  const { status, body: content, end } = reply;
  if (content instanceof Uint8Array && end !== 'open' && !isBodyless(status) && !headers.has('content-length')) {
    headers.set('content-length', String(content.length));
  }
  if (method === 'HEAD' || isBodyless(status)) {
    if (content instanceof ReadableStream) content.cancel().catch(() => {});
    return new Response(null, { status, headers });
  }
  if (content instanceof Uint8Array && end === 'whole') {
    return new Response(content as Uint8Array<ArrayBuffer>, { status, headers });
  }
  const gone = new AbortController();
  const chunks = chunksOf(reply, gone.signal);
  const cut = () => new TypeError('terminated', { cause: connectionError('UND_ERR_SOCKET', 'other side closed') });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      follow([signal], (reason) => {
        gone.abort(reason);
        controller.error(reason);
      });
    },
    async pull(controller) {
      const { done, value } = await chunks.next().catch(() => Promise.reject(cut()));
      if (!done) controller.enqueue(value);
      else if (reply.end === 'whole') controller.close();
      else if (reply.end === 'cut') throw cut();
      else await new Promise<void>(() => {});
    },
    cancel: (reason) => gone.abort(reason),
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
