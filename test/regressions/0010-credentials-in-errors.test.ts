// The message of a `RequestError` showed the `Location` of a redirect, with a session token, user info or the password of the
// login in its path, and an answer that was no JSON had V8's SyntaxError as its `cause`, which quotes the body; so did undici's
// parser error, which keeps the bytes. An attack that echoed canaries found it. Nothing that a connector echoes may be shown.
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import type { ConnectorClientOptions } from 'concordat/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { connect, password } from '../helpers/connect.js';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection } from '../helpers/until.js';
import { leaksOf, show } from '../helpers/visible.js';
import { onMessage } from '../integrations/helpers/channels.js';

const session = 'canary-session-3f9a';
const authorization = 'canary-authorization-77';
const secrets = [session, password, authorization];
/** What a hostile connector says wherever it can. */
const echo = `${session}/${password}/${authorization}`;
const json = { 'content-type': 'application/json' };

const transports: [string, Partial<ConnectorClientOptions>][] = [
  ['undici', {}],
  ['fetch', { fetch: (input, init) => globalThis.fetch(input, init) }],
];

const redirects = [
  `http://elsewhere.example/${echo}?token=${session}#${password}`,
  `http://user:${session}@elsewhere.example/`,
  `http://${password}@elsewhere.example/`,
  `http://${session}.elsewhere.example/`,
  `http://${password.toUpperCase()}.elsewhere.example/`,
  `//elsewhere.example/${echo}`,
  `/${echo}`,
  `http://[${echo}`,
  `data:text/plain,${echo}`,
  `http://elsewhere.example/${encodeURIComponent(echo)}${'x'.repeat(10_000)}`,
];
const redirect = (location: string) => (exchange: Exchange) => exchange.reply(302, echo, { location });

type Answer = [code: string, handle: (exchange: Exchange) => unknown, options?: Partial<ConnectorClientOptions>];
const answers: Answer[] = [
  ...redirects.map((to): Answer => ['REDIRECT', redirect(to)]),
  // V8 quotes a short text as a whole, and of a long one what is about the mistake.
  ['INVALID_JSON', (exchange) => exchange.reply(200, session, json)],
  ['INVALID_JSON', (exchange) => exchange.reply(200, `{"a":"${echo}", b}`, json)],
  ['INVALID_JSON', (exchange) => exchange.reply(200, '['.repeat(100_000) + JSON.stringify(echo), json)],
  ['INVALID_DATA', (exchange) => exchange.reply(200, { issues: [{ id: echo }, echo] })],
  ['INVALID_TEXT', (exchange) => exchange.reply(200, 'x', { 'content-type': `text/plain; charset=${session}` })],
  ['INVALID_TEXT', (exchange) => exchange.reply(200, 'x', { 'content-type': `text/plain; charset=${echo}` })],
  ['RESPONSE_TOO_LARGE', (exchange) => exchange.reply(200, echo.repeat(1000)), { maxResponseBytes: 1000 }],
  ['NETWORK_ERROR', (exchange) => exchange.raw(`HTTP/1.1 200 OK\r\nx-a: ${echo}\r\n${echo} no header\r\n\r\n`)],
  ['NETWORK_ERROR', (exchange) => exchange.raw(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nz${echo}\r\n`)],
  ['NETWORK_ERROR', (exchange) => exchange.raw(`${echo}\r\n\r\n`)],
  ['NETWORK_ERROR', (exchange) => exchange.drop()],
  [
    'TIMEOUT',
    (exchange) => exchange.response.writeHead(200, { ...json, 'x-a': echo }).write(`{"a":"${echo}`),
    { timeoutMs: 1000 },
  ],
  ['BUDGET_EXCEEDED', (exchange) => exchange.fail(403, echo, echo, { 'retry-after': '60' }), { totalTimeoutMs: 2000 }],
];

describe.each(transports)(
  'nothing that a connector echoes is in an error, its causes included (S7, E5), by %s',
  (_name, transport) => {
    it.each(answers)('%s', async (code, handle, options) => {
      const connector = await scriptedConnector({ handle, guard: false, initialize: handOut });
      const client = connect(connector, { ...transport, retry: { retries: 0 }, ...options });
      const schema = z.object({ issues: z.array(z.object({ id: z.number() })) });
      const call = client.request({ method: 'GET', path: '/items', headers: { authorization }, schema });
      const error = await rejection(call);
      expect(error).toMatchObject({ name: 'RequestError', code });
      expect(leaksOf(secrets, show(error).toLowerCase())).toEqual([]);
      expect(error.message.length).toBeLessThan(500);
      // Control: the connector did get, and send, what must not be shown.
      expect(connector.requests[0]?.headers).toMatchObject({ 'x-session': session, authorization });
    });

    it('UNEXPECTED_STATUS', async () => {
      const url = await rawServer(
        `HTTP/1.1 777 ${echo}\r\nx-a: ${echo}\r\ncontent-length: ${echo.length}\r\n\r\n${echo}`,
      );
      const client = connect(
        { url },
        {
          ...transport,
          retry: { retries: 0 },
          // It can take out only what it knows.
          headers: { authorization, 'x-api-key': password },
          initialize: async () => ({ 'x-session': session }),
        },
      );
      const error = await rejection(client.get('/items'));
      expect(error.code).toMatch(/^(?:UNEXPECTED_STATUS|NETWORK_ERROR)$/); // fetch takes such an answer for none
      expect(leaksOf(secrets, show(error))).toEqual([]);
    });

    it('CLIENT_CLOSED', async () => {
      const connector = await scriptedConnector({ initialize: handOut, guard: false });
      const client = connect(connector, transport);
      await client.get('/items');
      await client.close();
      const error = await rejection(client.get('/items'));
      expect(error.code).toBe('CLIENT_CLOSED');
      expect(leaksOf(secrets, show(error))).toEqual([]);
    });

    const logins: [string, (exchange: Exchange) => void][] = [
      ...redirects.map((to): [string, (exchange: Exchange) => void] => [
        `a redirect to ${to.slice(0, 60)}`,
        redirect(to),
      ]),
      ['no JSON', (exchange) => exchange.reply(200, password, json)],
      ['half an object', (exchange) => exchange.reply(200, `{"x":"${echo}", b}`, json)],
      ['a bad session', (exchange) => exchange.reply(200, { 'x-session': `${echo}\n` })],
      ['a refusal', (exchange) => exchange.fail(401, 'NO', `wrong: ${password} ${authorization}`)],
      ['no HTTP', (exchange) => exchange.raw(`HTTP/1.1 200 OK\r\n${echo} no header\r\n\r\n`)],
    ];
    it.each(logins)('a login answered with %s, by parameters and by a function', async (_what, initialize) => {
      const connector = await scriptedConnector({ initialize });
      const parameters = [
        { key: 'password', value: password, sensitive: true },
        { key: 'old', value: session, sensitive: true },
        { key: 'other', value: authorization, sensitive: true },
      ];
      const byParameters = connect(connector, { ...transport, retry: { retries: 0 }, initialize: { parameters } });
      const byFunction = connect(connector, {
        ...transport,
        retry: { retries: 0 },
        initialize: async ({ request }) => {
          const { data } = await request({
            method: 'POST',
            path: '/initialize',
            json: { password, session, authorization },
          });
          return (typeof data === 'string' ? JSON.parse(data) : data) as Record<string, string>;
        },
      });
      for (const client of [byParameters, byFunction]) {
        const error = await rejection(client.get('/items'));
        expect(error.name).toBe('InitializeError');
        expect(leaksOf(secrets, show(error).toLowerCase())).toEqual([]);
      }
      expect(String(connector.logins[0]?.body)).toContain(password); // control
    });

    it.each(redirects.slice(0, 5))(
      'a redirect to %s shows none to tracers, of a call or of a login',
      async (location) => {
        const errors: unknown[] = [];
        onMessage('attempt', ({ error }) => errors.push(error));
        const connector = await scriptedConnector({ initialize: handOut, guard: false, handle: redirect(location) });
        await rejection(connect(connector, transport).get('/items', { headers: { authorization } }));
        connector.initialize = redirect(location);
        const parameters = [password, session, authorization].map((value, at) => ({
          key: `secret${String(at)}`,
          value,
          sensitive: true,
        }));
        await rejection(connect(connector, { ...transport, initialize: { parameters } }).get('/items'));
        const told = errors.filter((error) => error !== undefined);
        expect(told).toHaveLength(2);
        expect(told.flatMap((error) => leaksOf(secrets, show(error)))).toEqual([]);
      },
    );

    it('a function that parses an answer by itself does not show it by its own error', async () => {
      const connector = await scriptedConnector({ initialize: (exchange) => exchange.reply(200, session) });
      const initialize: ConnectorClientOptions['initialize'] = async ({ request }) =>
        JSON.parse(String((await request({ method: 'POST', path: '/initialize' })).data));
      const error = await rejection(connect(connector, { ...transport, initialize }).get('/items'));
      expect(error.name).toBe('InitializeError');
      expect(leaksOf(secrets, show(error))).toEqual([]);
    });

    it('what helps is still shown: the origin of a redirect, and the cause of a broken connection (control)', async () => {
      const connector = await scriptedConnector({ initialize: handOut, guard: false });
      const client = connect(connector, { ...transport, retry: { retries: 0 } });
      connector.handle = redirect(`https://user:${session}@elsewhere.example:8443/${echo}`);
      expect((await rejection(client.get('/items'))).message).toContain('to https://elsewhere.example:8443;');
      connector.handle = (exchange) => exchange.drop();
      expect((await rejection(client.get('/items'))).cause).toBeInstanceOf(Error);
    });
  },
);

it('the search finds a canary in a cause of a cause, and in the data of an error (control)', () => {
  const parser = Object.assign(new Error('parser'), { data: `x ${session}` });
  expect(leaksOf(secrets, show(new Error('outer', { cause: new Error('inner', { cause: parser }) })))).toContain(
    session,
  );
});

function handOut(exchange: Exchange): void {
  exchange.reply(200, { 'x-session': session });
}

/** A server that answers every request with the same bytes. */
async function rawServer(bytes: string): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => socket.end(bytes, 'latin1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
