// `close()` of a server let answers under way finish, but not those that were larger than what the system takes at once: Node
// takes a connection whose answer has been ended for idle, although most of it still waits for the caller to read. Found by
// reading how Node closes idle connections.
import { type IncomingMessage, request } from 'node:http';
import { serve } from 'concordat/connector';
import { expect, test } from 'vitest';

const bytes = 20 * 1024 * 1024;
const hourMs = 3_600_000;

test.each([
  ['in one piece', () => new Response('x'.repeat(bytes))],
  ['as a stream', () => new Response(new Blob(['x'.repeat(bytes)]).stream())],
  ['small (control)', () => new Response('x')],
])('close lets an answer finish that its caller reads slowly: %s', async (_what, answer) => {
  const server = await serve({ fetch: async () => answer() }, { port: 0 });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(server.url, { agent: false }, resolve).on('error', reject).end();
  });
  // Its head is here and its body is not read: the answer has begun and cannot be out.
  const closed = server.close({ graceMs: hourMs });
  await new Promise((resolve) => setTimeout(resolve, 100)); // idle connections are closed every 20 ms
  let read = 0;
  for await (const chunk of response) read += (chunk as Buffer).length;
  expect(read).toBe((await answer().arrayBuffer()).byteLength);
  await closed;
});
