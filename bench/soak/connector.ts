// A connector of the soak, in front of the end system: `connector <url of the end system>`. Its sessions are short.
import { randomUUID } from 'node:crypto';
import { createConnector, endSystemFetch, serve } from 'concordat/connector';
import { z } from 'zod';
import { watchProcess } from '../reading.js';
import { answerCommands } from '../worker.js';

const sessionMs = 15_000;

const [endSystem = ''] = process.argv.slice(2);
/** Until when each is good. */
const sessions = new Map<string, number>();
const connector = createConnector({
  initialize: {
    parameters: z.object({ user: z.string() }),
    handler() {
      const now = performance.now();
      for (const [session, endsAt] of sessions) if (endsAt < now) sessions.delete(session);
      const session = randomUUID();
      sessions.set(session, now + sessionMs);
      return { 'x-session': session };
    },
  },
  session: z.object({ 'x-session': z.string() }),
  verify: (session) => (sessions.get(session['x-session']) ?? 0) > performance.now(),
  cleanup: ({ session }) => void sessions.delete(session['x-session']),
  onError() {}, // what fails is the service's to see
});
const call = endSystemFetch({ timeoutMs: 3000 });
connector.all('/entries/:marker', async (c) => {
  const { method, path } = c.req;
  const body = method === 'GET' ? undefined : await c.req.text();
  const init = { method, signal: c.req.raw.signal, ...(body !== undefined && { body }) };
  const response = await call(endSystem + path, init);
  return c.json((await response.json()) as object, method === 'POST' ? 201 : 200);
});

const read = watchProcess();
answerCommands({
  read,
  start: async () => (await serve(connector, { port: 0 })).port,
});
