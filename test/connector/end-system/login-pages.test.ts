// Systems with cookies answer a call whose session is over by leading it to their login page: a success, for fetch.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ForbiddenError } from 'concordat';
import { type EndSystemFetchOptions, endSystemFetch } from 'concordat/connector';
import { describe, expect, test } from 'vitest';
import { endSystem } from '../support/end-system.js';
import { errorsOf, send } from '../support/send.js';
import { makeConnector, start, withToken } from '../support/start.js';

const page = '<html><h1>Please log in</h1></html>';

/** Knows the session `live`; who has none is led to the login page. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url?.split('?')[0];
  if (path === '/login') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  } else if (request.headers.cookie !== 'session=live') {
    response.writeHead(302, { location: `/login?from=${path}`, 'content-type': 'text/html' }).end('Found');
  } else if (path === '/moved') {
    response.writeHead(302, { location: '/items' }).end();
  } else if (path === '/manual') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>A manual</html>');
  } else {
    response.writeHead(200, { 'content-type': 'application/json' }).end('[7]');
  }
}

const live = { headers: { cookie: 'session=live' } };
const over = { headers: { cookie: 'session=over' } };

const outcome = async (options: EndSystemFetchOptions, path: string, init: RequestInit) => {
  const url = await endSystem(answer);
  return endSystemFetch(options)(url + path, init).then(
    async (response) => [response.status, await response.text()],
    ({ kind, code, message }) => [kind, code, message],
  );
};

const refused = (path: string) => [
  'unauthorized',
  'UNAUTHORIZED',
  `GET ${path}: the end system responded with its login page.`,
];

describe('loginPage', () => {
  test('a redirect to it is a 401: the service logs in again (S4)', async () => {
    const options = { loginPage: /\/login$/ };
    expect(await outcome(options, '/items', over)).toEqual(refused('/items'));
    expect(await outcome(options, '/items', { ...over, redirect: 'manual' })).toEqual(refused('/items'));
    expect(await outcome(options, '/items', live)).toEqual([200, '[7]']);
    // Redirects elsewhere, and the page itself when it is asked for, are what they are.
    expect(await outcome(options, '/moved', live)).toEqual([200, '[7]']);
    expect(await outcome(options, '/moved', { ...live, redirect: 'manual' })).toEqual([302, '']);
    expect(await outcome(options, '/login', over)).toEqual([200, page]);
  });

  test("a redirect that `redirect: 'error'` forbids is one, too: fetch does not say where it leads (S4)", async () => {
    const options = { loginPage: /\/login$/ };
    expect(await outcome(options, '/items', { ...over, redirect: 'error' })).toEqual(refused('/items'));
    expect(await outcome(options, '/items', { ...live, redirect: 'error' })).toEqual([200, '[7]']);
    const moved = 'GET /moved: the end system redirects, and the call follows no further.';
    const [, ...said] = await outcome({}, '/moved', { ...live, redirect: 'error' });
    expect(said).toEqual(['END_SYSTEM_UNREACHABLE', moved]);
  });

  test('a redirect to it counts, whatever the status of the page', async () => {
    const url = await endSystem((request, response) => {
      if (request.url === '/login') response.writeHead(403, { 'content-type': 'text/html' }).end(page);
      else response.writeHead(302, { location: '/login' }).end();
    });
    const call = (loginPage: EndSystemFetchOptions['loginPage']) => endSystemFetch({ loginPage })(`${url}/items`);
    await expect(call(/\/login$/)).rejects.toMatchObject({ kind: 'unauthorized' });
    await expect(call('html')).rejects.toMatchObject({ kind: 'forbidden' }); // a page with an error status is that error
  });

  test('without it such a page is a success (control)', async () => {
    expect(await outcome({}, '/items', over)).toEqual([200, page]);
  });

  test('may be on another server, and is found without its query, which may hold anything', async () => {
    const other = await endSystem(answer);
    const url = await endSystem((_request, response) => {
      response.writeHead(303, { location: `${other}/login?from=/logout` }).end();
    });
    await expect(endSystemFetch({ loginPage: new RegExp(`^${other}/login$`) })(url)).rejects.toMatchObject({
      kind: 'unauthorized',
    });
    expect((await endSystemFetch({ loginPage: /logout/ })(url)).status).toBe(200);
  });

  test('a success that names it as a location is one', async () => {
    const url = await endSystem({ status: 201, headers: { location: '/login' }, body: [7] });
    expect((await endSystemFetch({ loginPage: /\/login$/ })(url)).status).toBe(201);
  });

  test('a redirect of an own fetch, whose responses have no URL, leads from that of the request', async () => {
    const fetch = async () => new Response(null, { status: 302, headers: { location: '/login' } });
    const call = endSystemFetch({ fetch, loginPage: /^http:\/\/end\.system\/login$/ })('http://end.system/items');
    await expect(call).rejects.toMatchObject({ kind: 'unauthorized' });
  });

  test("'html' is any page, for a system whose data are none", async () => {
    const options = { loginPage: 'html' } as const;
    expect(await outcome(options, '/items', over)).toEqual(refused('/items'));
    expect(await outcome(options, '/manual', live)).toEqual(refused('/manual'));
    expect(await outcome(options, '/items', live)).toEqual([200, '[7]']);
  });

  test('`translate` is asked first, with the page', async () => {
    const options: EndSystemFetchOptions = {
      loginPage: 'html',
      translate: ({ status, text }) => (text.includes('manual') ? new ForbiddenError(`A ${status}`) : undefined),
    };
    expect(await outcome(options, '/manual', live)).toEqual(['forbidden', 'FORBIDDEN', 'A 200']);
    expect(await outcome(options, '/items', over)).toEqual(refused('/items'));
  });

  test.each([['/login'], [true], [7]])('%j is none: a TypeError that names it', (loginPage) => {
    expect(() => endSystemFetch({ loginPage } as never)).toThrow("`loginPage` must be a pattern, or 'html'");
  });

  test('a page that never ends holds nothing up, and lets the connection go (G8)', async () => {
    let closed: () => void = () => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const url = await endSystem((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', more).on('close', closed);
      more();
    });
    await expect(endSystemFetch({ loginPage: 'html' })(url)).rejects.toMatchObject({ kind: 'unauthorized' });
    await isClosed;
  });

  test('in a connector: a 401 without the page in it', async () => {
    const url = await endSystem(answer);
    const call = endSystemFetch({ loginPage: /\/login$/ });
    const connector = makeConnector();
    connector.get('/export', async (c) => c.text(await (await call(`${url}/export`, over)).text()));
    const response = await send(await start(connector), { path: '/export', headers: withToken });
    expect([response.status, errorsOf(response).detail]).toEqual([401, undefined]);
  });
});
