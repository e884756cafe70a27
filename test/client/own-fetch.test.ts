import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { connect } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, until } from '../helpers/until.js';

const connector = { url: 'http://127.0.0.1:1' };
const headers = new Headers({ 'content-type': 'application/json' });

const session = Response.json([]);
await session.text();

test.each<[string, unknown, string]>([
  ['nothing, as a mock without a result', undefined, 'no Response'],
  ['an object with a few members', { ok: true, status: 200, json: async () => [] }, 'no Response'],
  ['a response of node-fetch', { status: 200, headers, body: Readable.from(['[]']) }, 'no Response'],
  ['the same response again', session, 'a Response already read'],
  ['a response without a status, as of a redirect that a browser hides', Response.error(), 'no Response'],
])('a `fetch` that returns %s: said at once, not retried', async (_name, response, said) => {
  let calls = 0;
  const fetch = async () => {
    calls += 1;
    return response as Response;
  };
  const error = await rejection(connect(connector, { fetch }).get('/issues/7'));
  expect(error.message).toContain(`the option \`fetch\` returned ${said}`);
  expect(calls).toBe(1);
});

test.each(['get', 'head'])('a body with %s, which no `fetch` sends, is refused at once', async (method) => {
  const client = connect(connector, { fetch: globalThis.fetch });
  const call = client.request({ method, path: '/issues', json: { query: 1 } });
  expect(String(await rejection(call))).toBe(`TypeError: \`fetch\` cannot send a body with ${method.toUpperCase()}.`);
});

test.each(['auto', 'stream'] as const)(
  'the body that a handler in process returns for a HEAD is left: %s',
  async (responseType) => {
    let isLeft = false;
    const cancel = () => {
      isLeft = true;
    };
    const endless = () => new Response(new ReadableStream({ pull: () => grace(), cancel }));
    const client = connect(connector, { fetch: async () => endless(), initialize: async () => ({}) });
    const { status, data } = await client.request<ReadableStream | undefined>({
      method: 'HEAD',
      path: '/',
      responseType,
    });
    expect({ status, text: await new Response(data).text() }).toEqual({ status: 200, text: '' });
    expect(isLeft).toBe(true);
  },
);

test('a `fetch` that returns a response of another copy of fetch is taken (control)', async () => {
  const { fetch: other } = await import('undici');
  const data = (value: string) => other(`data:application/json,${value}`);
  const fetch = async (url: unknown) => data(String(url).endsWith('/initialize') ? '[]' : '{"id":7}');
  const client = connect(connector, { fetch: fetch as unknown as typeof globalThis.fetch });
  expect(await client.get('/issues/7')).toEqual({ id: 7 });
});

test.each([
  ['`fetch`', { fetch: globalThis.fetch }],
  ['undici (control)', {}],
])('all cookies of a response arrive with %s, of logins and streams, too', async (_name, transport) => {
  const cookies = ['JSESSIONID=1; Path=/', 'XSRF-TOKEN=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT'];
  const connector = await scriptedConnector({
    initialize: ({ reply }) => reply(200, {}, { 'set-cookie': cookies }),
    handle: ({ reply, path }) => reply(200, {}, path === '/one' ? { 'set-cookie': 'a=1' } : { 'set-cookie': cookies }),
    guard: false,
  });
  const seen: string[][] = [];
  const client = connect(connector, {
    ...transport,
    initialize: async ({ request }) => {
      const { headers } = await request({ method: 'POST', path: '/initialize' });
      seen.push(headers.getSetCookie());
      return {};
    },
  });
  seen.push((await client.request({ method: 'GET', path: '/items' })).headers.getSetCookie());
  const { headers, body } = await client.stream('/items');
  await body.cancel();
  expect([...seen, headers.getSetCookie()]).toEqual([cookies, cookies, cookies]);
  expect((await client.request({ method: 'GET', path: '/one' })).headers.getSetCookie()).toEqual(['a=1']);
});

/** A `fetch` that logs in, and responds to the rest as it is told to, whatever its signal says. */
const answering = (respond: () => Promise<Response>) => async (input: unknown) =>
  String(input).endsWith('/initialize') ? Response.json([]) : respond();

test('a body of text instead of bytes is an error, never an empty success, and not requested again (D1, D2, G7)', async () => {
  const start = (controller: ReadableStreamDefaultController) => {
    controller.enqueue('text');
  };
  let asked = 0;
  let cancelled = 0;
  const fetch = answering(async () => {
    asked++;
    const headers = { 'content-length': '4', 'accept-ranges': 'bytes', etag: '"1"' };
    return new Response(new ReadableStream({ start, cancel: () => void cancelled++ }), { headers });
  });
  const client = connect(connector, { fetch });
  const error = await rejection(client.get('/file', { responseType: 'bytes' }));
  expect(error).toMatchObject({ code: 'NETWORK_ERROR', status: 200, cause: expect.any(TypeError) });
  const { body } = await client.stream('/file');
  const streamError = await rejection(new Response(body).text());
  expect(streamError).toMatchObject({ code: 'NETWORK_ERROR' });
  for (const { message } of [error, streamError]) {
    expect(message).toMatch(/: the option `fetch` returned a Response whose body does not consist of bytes$/);
  }
  expect([asked, cancelled]).toEqual([2, 2]);
});

test('a `fetch` that ignores its signal keeps no call waiting, and what it brings later is cancelled (G4)', async () => {
  const reason = new Error('the user went home');
  let isCancelled = false;
  const cancel = () => {
    isCancelled = true;
  };
  let arrive: (response: Response) => void = () => {};
  const arrives = new Promise<Response>((resolve) => (arrive = resolve));
  let asked = 0;
  const respond = () => {
    asked++;
    return arrives;
  };
  const client = connect(connector, { fetch: answering(respond) });
  const controller = new AbortController();
  const call = rejection(client.get('/items', { signal: controller.signal }));
  await until(() => asked === 1);
  controller.abort(reason);
  expect(await call).toBe(reason);
  arrive(new Response(new ReadableStream({ cancel })));
  await until(() => isCancelled);
});

test.each(['the caller', 'close()'])('a stream that is not read on is cancelled by %s (D2)', async (who) => {
  let pulled = 0;
  let isCancelled = false;
  const source = {
    pull: (controller: ReadableStreamDefaultController) => {
      pulled++;
      controller.enqueue(new Uint8Array(100_000));
    },
    cancel: () => {
      isCancelled = true;
    },
  };
  const client = connect(connector, { fetch: answering(async () => new Response(new ReadableStream(source))) });
  const controller = new AbortController();
  const { body } = await client.stream('/items', { signal: controller.signal });
  await until(() => pulled > 2);
  await grace();
  expect(pulled).toBeLessThan(10);
  expect(isCancelled).toBe(false);
  if (who === 'close()') await client.close({ graceMs: 0 });
  else controller.abort();
  await until(() => isCancelled);
  await rejection(new Response(body).text());
});

test('of a stream in chunks of a byte, little is read ahead, as each takes more memory than its byte (D2, E8)', async () => {
  let pulled = 0;
  const pull = (controller: ReadableStreamDefaultController) => {
    pulled++;
    controller.enqueue(Uint8Array.of(pulled % 256));
  };
  const client = connect(connector, { fetch: answering(async () => new Response(new ReadableStream({ pull }))) });
  const { body } = await client.stream('/items');
  await until(() => pulled > 500);
  await grace();
  expect(pulled).toBeLessThan(2000);
  const reader = body.getReader();
  for (let index = 1; index <= 3000; index++) expect((await reader.read()).value).toEqual(Uint8Array.of(index % 256));
  await reader.cancel();
});

test.each<[string, unknown, string]>([
  [
    'fetch: the cause tells why',
    new TypeError('fetch failed', { cause: new Error('bad port') }),
    'fetch failed: bad port',
  ],
  ['a wrapper that has named it', new Error('no luck: reset', { cause: new Error('reset') }), 'no luck: reset'],
  [
    'a cause with a code alone',
    new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }),
    'fetch failed (ECONNRESET)',
  ],
  ['nothing', undefined, 'the connection failed'],
])('a network failure says what failed: %s', async (_name, failure, said) => {
  const fetch = async () => Promise.reject(failure);
  const error = await rejection(connect(connector, { fetch, retry: { retries: 0 } }).get('/issues/7'));
  expect(error.message.split('NETWORK_ERROR: ')[1]).toBe(said);
});
