// One of the two connectors of scripts/copy.ts, in a process of its own: `connector.ts source|target <bytes>`.
import { createHash } from 'node:crypto';
import { NotFoundError, RateLimitError, UnauthorizedError } from 'concordat';
import { createConnector, limitBody, serve } from 'concordat/connector';
import { z } from 'zod';
import { blockBytes, blockOf } from './content.js';

const [role = '', size = ''] = process.argv.slice(2);
const bytes = Number(size);
const sessions = new Set<string>();
let logins = 0;
let requests = 0;

const connector = createConnector({
  initialize: {
    parameters: z.object({ user: z.string() }),
    handler: () => {
      const session = `session-${++logins}`;
      sessions.add(session);
      return { 'x-session': session };
    },
  },
  session: z.object({ 'x-session': z.string() }),
  verify: (session) => sessions.has(session['x-session']),
});

/** Trouble first: a limit, a session that ends. */
function refuse(): void {
  requests++;
  if (requests === 1) throw new RateLimitError('One moment', { retryAfterMs: 1000 });
  if (requests === 2) {
    sessions.clear();
    throw new UnauthorizedError('The session has ended');
  }
}

if (role === 'source') {
  connector.get('/files/:id', (c) => {
    if (c.req.param('id') !== '7') throw new NotFoundError();
    refuse();
    const from = Number(/^bytes=(\d+)-$/.exec(c.req.header('range') ?? '')?.[1] ?? 0);
    const isPart = from > 0 && c.req.header('if-range') === '"v1"';
    // In the middle of the first whole file the connection breaks once.
    const breaksAt = requests === 3 ? from + Math.floor((bytes - from) / 2) : Number.POSITIVE_INFINITY;
    const headers = { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': String(bytes - from) };
    const range = isPart ? { 'content-range': `bytes ${from}-${bytes - 1}/${bytes}` } : {};
    return c.body(content(from, breaksAt), isPart ? 206 : 200, { ...headers, ...range });
  });
} else {
  connector.put('/files/:id', limitBody(Number.MAX_SAFE_INTEGER), async (c) => {
    refuse();
    const hash = createHash('sha256');
    let received = 0;
    for await (const chunk of c.req.raw.body as unknown as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      received += chunk.length;
    }
    return c.json({ sha256: hash.digest('hex'), bytes: received });
  });
}

function content(from: number, breaksAt: number): ReadableStream<Uint8Array> {
  let at = from;
  return new ReadableStream({
    pull(controller) {
      if (at >= breaksAt) return controller.error(new Error('The disk is gone.'));
      if (at >= bytes) return controller.close();
      const start = at % blockBytes;
      const chunk = blockOf(at).subarray(start, Math.min(start + 65_536, blockBytes, start + bytes - at));
      at += chunk.length;
      controller.enqueue(chunk);
    },
  });
}

let most = 0;
const before = process.memoryUsage.rss();
setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20).unref();
process.on('message', () => process.send?.({ grewBytes: Math.max(0, most - before), logins, requests }));
process.on('disconnect', () => process.exit(0));
const { url } = await serve(connector, { port: 0 });
process.send?.({ url });
