// `client.get('/issues/' + encodeURIComponent('..'))` went to `/`, because a URL parser resolves dot segments in silence, and the
// paths of a login function were not checked at all: `/../x` left the base path, CR and LF were dropped, and an absolute URL
// became the request line. Found by an attack on paths; all of them are a TypeError now, before anything is sent.
import { describe, expect, it } from 'vitest';
import { connect } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection } from '../helpers/until.js';

const dots = [
  ...['/..', '/../x', '/issues/..', '/issues/../x', '/issues/.', '/./issues', '/a/../../b', '/issues/..?a=1'],
  ...['/issues/%2e', '/issues/%2E%2e', '/issues/.%2e/x', '/%2E./x', `/issues/${encodeURIComponent('..')}`],
];
const others = [
  'http://127.0.0.1:1/x',
  '//127.0.0.1:1/..',
  'x',
  '',
  '/a\r\nx: y',
  '/a\nb',
  '/a\\..\\b',
  '/a\0',
  '/a#b',
];
const fine = [
  '/a..b',
  '/...',
  '/.well-known/x',
  '/a/..b',
  '/v1.0/x',
  '/x?path=../y',
  '/a/%2e%2e%2e',
  '/a%2Fb',
  '/a//b',
];

const transports = [
  ['undici', {}],
  ['fetch', { fetch: (input: string | URL | Request, init?: RequestInit) => globalThis.fetch(input, init) }],
] as const;

describe.each(transports)('by %s', (_name, transport) => {
  it.each([...dots, ...others])('a call of %j is a TypeError, and nothing is sent', async (path) => {
    const connector = await scriptedConnector();
    const client = connect({ url: `${connector.url}/base` }, transport);
    const error = await rejection(client.get(path));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('`path`');
    expect([...connector.logins, ...connector.requests]).toEqual([]);
  });

  it.each([...dots, ...others])(
    'a login function that requests %j gets a TypeError, and nothing is sent',
    async (path) => {
      const connector = await scriptedConnector();
      let refusal: unknown;
      const client = connect(
        { url: `${connector.url}/base` },
        {
          ...transport,
          initialize: async ({ request }) => {
            refusal = await rejection(request({ method: 'POST', path, json: {} }));
            throw refusal;
          },
        },
      );
      const error = await rejection(client.get('/items'));
      expect(error).toMatchObject({ name: 'InitializeError', cause: refusal });
      expect(refusal).toBeInstanceOf(TypeError);
      expect([...connector.logins, ...connector.requests]).toEqual([]);
    },
  );

  it.each(fine)('%j arrives as it is, by a call and by a login function (control)', async (path) => {
    const connector = await scriptedConnector({ guard: false });
    const initialize = async ({ request }: { request: (options: { method: string; path: string }) => unknown }) => {
      await request({ method: 'POST', path });
      return { 'x-session': 'a' };
    };
    const client = connect({ url: `${connector.url}/base` }, { ...transport, initialize });
    await client.get(path);
    expect(connector.requests.map((request) => request.path)).toEqual([`/base${path}`, `/base${path}`]);
  });
});

it.each([...dots, '/a\r\nb', '/a#b'])('`initialize.path` and `cleanup.path` of %j are a TypeError at once', (path) => {
  const parameters = {};
  expect(() => connect({ url: 'http://127.0.0.1:1' }, { initialize: { parameters, path } })).toThrow(
    '`initialize.path`',
  );
  expect(() => connect({ url: 'http://127.0.0.1:1' }, { cleanup: { path } })).toThrow('`cleanup.path`');
  expect(() => connect({ url: 'http://127.0.0.1:1' }, { cleanup: { path: '/end?x=1' } })).not.toThrow(); // control
});

it('a login function cannot set headers of the transport, or break out of one', async () => {
  const connector = await scriptedConnector();
  const login = (headers: Record<string, string>) =>
    connect(connector, {
      initialize: async ({ request }) => {
        await request({ method: 'POST', path: '/initialize', headers });
        return { 'x-session': 'a' };
      },
    }).get('/items');
  for (const headers of [{ host: 'elsewhere.example' }, { 'x-a': 'b\r\nx-c: d' }, { 'x a': 'b' }]) {
    expect((await rejection(login(headers as Record<string, string>))).cause).toBeInstanceOf(TypeError);
  }
  expect(connector.logins).toHaveLength(0);
  await rejection(login({ authorization: 'Basic YTpi' })); // control: the scripted guard does not know the session
  expect(connector.logins[0]?.headers.authorization).toBe('Basic YTpi');
});
