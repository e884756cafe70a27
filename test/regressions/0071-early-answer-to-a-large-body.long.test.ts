import { Readable } from 'node:stream';
import { createConnector, serve } from 'concordat/connector';
import { Pool } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

// After a 413 to a large body the connection said keep-alive, the rest of the body was never read, and half a second later
// the server ended the connection with the request that was on it by then.

const cases = ['/initialize', '/items'].flatMap((path): [string, string][] => [
  [path, 'declared'],
  [path, 'in chunks'],
]);

it.each(cases)('a connection goes on after a large body to %s was refused, %s (E4, G8)', async (path, how) => {
  const connector = createConnector({
    initialize: { parameters: z.object({ user: z.string() }), handler: () => ({ 'x-session': 'a' }) },
    session: z.object({ 'x-session': z.string() }),
  });
  connector.post('/items', async (c) => c.json(await c.req.json()));
  connector.get('/slow', async (c) => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return c.json({ done: true });
  });
  const server = await serve(connector, { port: 0 });
  onTestFinished(() => server.close());
  const pool = new Pool(server.url, { connections: 1 });
  onTestFinished(() => pool.destroy());
  const headers = { 'x-session': 'a' };
  const content = Buffer.alloc(4 * 1024 * 1024, 'x');
  const body = how === 'declared' ? content : Readable.from([content.subarray(0, 1e6), content.subarray(1e6)]);
  const large = await pool.request({ method: 'POST', path, headers, body });
  expect(large.statusCode).toBe(413);
  await large.body.dump();
  const slow = await pool.request({ method: 'GET', path: '/slow', headers });
  expect(await slow.body.json()).toEqual({ done: true });
});
