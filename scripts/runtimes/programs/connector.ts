import { ForbiddenError, NotFoundError, RateLimitError, UnauthorizedError } from 'concordat';
import { createConnector, endSystemFetch, readJson, streamRecords } from 'concordat/connector';
import { z } from 'zod';
import { contractLines } from './contract.js';

/** How many requests to `/limited` pass in `windowMs`. */
const limit = 5;
const windowMs = 1000;

const sessions = new Set<string>();
let passed: number[] = [];

/** GitHub, out of order. */
const fetchIssue = endSystemFetch({
  preset: 'github',
  fetch: async () => Response.json({ message: 'Server Error' }, { status: 503 }),
});

/** The connector that every runtime serves: it has one example of each thing that the conformance kit checks. */
export const connector = createConnector({
  initialize: {
    parameters: z.object({ user: z.string(), password: z.string() }),
    handler({ parameters }) {
      if (parameters.password !== 'correct horse') throw new UnauthorizedError('Wrong user or password.');
      const token = crypto.randomUUID();
      sessions.add(token);
      return { 'x-session': token };
    },
  },
  session: z.object({ 'x-session': z.string() }),
  verify: (session) => sessions.has(session['x-session']),
  openPaths: ['/contract'],
  cleanup: ({ session }) => void sessions.delete(session['x-session']),
  onError: () => {},
});

connector.get('/contract', async (c) => c.json(await contractLines()));
connector.get('/issues', (c) => streamRecords(c, [{ id: 7 }, { id: 8 }]));
connector.get('/issues/:id', (c) => {
  if (c.req.param('id') !== '7') throw new NotFoundError('No such issue', { code: 'ISSUE_NOT_FOUND' });
  return c.json({ id: 7, title: 'Größe, 漢字, 🙂' });
});
connector.post('/issues', async (c) => c.json(await readJson(c, z.object({ title: z.string().min(1) })), 201));
connector.get('/secret', () => {
  throw new ForbiddenError('This is not for you');
});
connector.get('/failing', async (c) => c.json(await (await fetchIssue('https://api.github.com/issues/7')).json()));
connector.get('/limited', (c) => {
  const now = Date.now();
  passed = passed.filter((at) => at > now - windowMs);
  if (passed.length >= limit) throw new RateLimitError('Slow down', { retryAfterMs: windowMs });
  passed.push(now);
  return c.json({ passed: passed.length });
});
connector.get('/file', (c) => {
  c.header('content-type', 'image/png');
  return c.body(new Blob([fileContent]).stream());
});
connector.get('/packed', (c) => {
  c.header('content-type', 'application/json');
  c.header('content-encoding', 'gzip');
  return c.body(new Blob(['{"packed":true}']).stream().pipeThrough(new CompressionStream('gzip')));
});
connector.get('/never', () => new Promise<Response>(() => {}));
connector.put('/file', async (c) => c.json({ bytes: (await c.req.arrayBuffer()).byteLength }));

/** Every value of a byte: no text decoder leaves it as it is. */
const fileContent = Uint8Array.from({ length: 64 * 1024 }, (_, index) => (index * 7) % 256);
