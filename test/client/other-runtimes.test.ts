// What Bun and Deno do differently, shown on Node; `npm run test:runtimes` shows it on Bun and Deno themselves.
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connect } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';

function pretendToBe(runtime: 'Bun' | 'Deno') {
  vi.stubGlobal(runtime, {});
  onTestFinished(() => void vi.unstubAllGlobals());
}

test.each([
  ['on Bun, whose undici cannot dispatch: its own fetch', true, 'identity'],
  ['elsewhere: undici (control)', false, 'gzip, br, deflate'],
])('a client without `fetch` sends with what the runtime has, %s', async (_name, isBun, accepted) => {
  if (isBun) pretendToBe('Bun');
  const connector = await scriptedConnector();
  expect(await connect(connector).get('/issues/7')).toMatchObject({ path: '/issues/7' });
  expect(connector.requests.map(({ headers }) => headers['accept-encoding'])).toEqual([accepted]);
});

/** A response from the network, whose body the runtime left as it was: what Deno does when nothing packed was asked for. */
async function leavePacked(input: Parameters<typeof fetch>[0]): Promise<Response> {
  const url = String(input);
  if (url.endsWith('/initialize')) return Response.json([]);
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  return Object.defineProperty(new Response(gzipSync('{"packed":true}'), { headers }), 'url', { value: url });
}

test('on Deno, whose fetch unpacks only what was asked for, the client unpacks (D1, D2)', async () => {
  pretendToBe('Deno');
  const client = connect({ url: 'http://127.0.0.1:1' }, { fetch: leavePacked });
  expect(await client.get('/packed')).toEqual({ packed: true });
  expect(await new Response((await client.stream('/packed')).body).text()).toBe('{"packed":true}');
});

test('elsewhere a response of the network is unpacked already (control)', async () => {
  const client = connect({ url: 'http://127.0.0.1:1' }, { fetch: leavePacked });
  await expect(client.get('/packed')).rejects.toMatchObject({ code: 'INVALID_JSON' });
});

test('a body that breaks off in `fetch` is no whole one', async () => {
  const broken = async (input: Parameters<typeof fetch>[0]): Promise<Response> => {
    if (String(input).endsWith('/initialize')) return Response.json([]);
    let isBegun = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (isBegun) return controller.error(new TypeError('terminated'));
        isBegun = true;
        controller.enqueue(new TextEncoder().encode('the beginning'));
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/plain' } });
  };
  const client = connect({ url: 'http://127.0.0.1:1' }, { fetch: broken, retry: { retries: 0 } });
  await expect(client.get('/items')).rejects.toMatchObject({ name: 'RequestError' });
});
