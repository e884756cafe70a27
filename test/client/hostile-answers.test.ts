import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import {
  BadRequestError,
  ConnectorError,
  ForbiddenError,
  isConnectorError,
  NotFoundError,
  UnauthorizedError,
} from 'concordat';
import type { ConnectorClient } from 'concordat/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, connectVirtually, password } from '../helpers/connect.js';
import { runScript } from '../helpers/run-script.js';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const ok = (exchange: Exchange) => exchange.reply(200, { path: exchange.path });
const mebibyte = 1024 * 1024;

const statuses = [
  [400, BadRequestError, 'bad-request', 'BAD_REQUEST'],
  [403, ForbiddenError, 'forbidden', 'FORBIDDEN'],
  [404, NotFoundError, 'not-found', 'NOT_FOUND'],
  [409, ConnectorError, 'other', 'CONNECTOR_ERROR'],
  [500, ConnectorError, 'other', 'CONNECTOR_ERROR'],
  [503, ConnectorError, 'other', 'CONNECTOR_ERROR'],
] as const;

type Send = (exchange: Exchange, status: number) => void;
const hostileBodies: [string, Send][] = [
  ['nothing', (exchange, status) => exchange.reply(status)],
  ['HTML', (exchange, status) => exchange.reply(status, '<html>oops</html>', { 'content-type': 'text/html' })],
  ['HTML that says it is JSON', (exchange, status) => exchange.reply(status, '<html>', json)],
  ['cut JSON of full length', (exchange, status) => exchange.reply(status, '{"errors":{"code":"A","mess', json)],
  ['JSON null', (exchange, status) => exchange.reply(status, 'null', json)],
  ['a JSON text', (exchange, status) => exchange.reply(status, '"broken"', json)],
  ['an array', (exchange, status) => exchange.reply(status, '[]', json)],
  ['errors null', (exchange, status) => exchange.reply(status, '{"errors":null}', json)],
  ['an empty errors array', (exchange, status) => exchange.reply(status, '{"errors":[]}', json)],
  ['errors without a message', (exchange, status) => exchange.reply(status, '{"errors":{"code":"A"}}', json)],
  [
    'a message of line ends alone',
    (exchange, status) => exchange.reply(status, '{"errors":{"message":"\u0085"}}', json),
  ],
  ['another API body', (exchange, status) => exchange.reply(status, '{"message":"x","code":"y"}', json)],
  ['bytes that are no text', (exchange, status) => exchange.reply(status, Buffer.from([0xff, 0xfe, 0, 0x80]), json)],
  [
    'compressed bytes nobody asked for',
    (exchange, status) => exchange.reply(status, gzipSync('{"errors":{}}'), { ...json, 'content-encoding': 'gzip' }),
  ],
  ['JSON nested 100,000 levels deep', (exchange, status) => exchange.reply(status, '['.repeat(100_000), json)],
  [
    'a contract body over 1 MiB',
    (exchange, status) =>
      exchange.reply(status, { errors: { code: 'A', message: 'b', detail: 'x'.repeat(mebibyte + 10) } }),
  ],
];
const json = { 'content-type': 'application/json' };
const endless: [string, Send][] = [
  ['a body cut off', cutOff],
  ['a body cut off without a length', (exchange, status) => cutOff(exchange, status, false)],
  ['a body of 50 MB', flood(50)],
  ['a body without an end', flood(Number.POSITIVE_INFINITY)],
  ['a body that dribbles without an end', dribble],
  ['a body that never starts', (exchange, status) => exchange.response.writeHead(status, json).flushHeaders()],
];

/**
 * A client with time enough for an answer on a busy machine. For the two that would never come to an end it has a clock
 * that `ended` moves on, once nothing else happens.
 */
function connectFor(name: string, connector: { url: string }, overrides: Parameters<typeof connect>[1] = {}) {
  const options = { timeoutMs: 30_000, retry: { retries: 0 }, ...overrides };
  if (!/dribbles|never starts/.test(name)) {
    return { client: connect(connector, options), ended: <T>(call: Promise<T>) => call };
  }
  const { client, clock } = connectVirtually(connector, options);
  return { client, ended: clock.runUntil };
}

describe.each(statuses)('a %i', (status, type, kind, code) => {
  it.each([...hostileBodies, ...endless])('with %s gives the typed error of its status (E6)', async (name, send) => {
    const connector = await scriptedConnector({ handle: (exchange) => send(exchange, status) });
    const { client, ended } = connectFor(name, connector);
    const error = await ended(rejection(get(client)));
    expect(isConnectorError(error, kind)).toBe(true);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status, code, origin: 'unknown', method: 'GET', path: '/items' });
    expect(error.message).toMatch(/\S/);
    expect(error.message.length).toBeLessThan(2000);
  });

  it('with a contract body comes from the connector, whatever the content type says (E7)', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) =>
        exchange.reply(status, '{"errors":{"code":"ISSUE","message":"No issue 7","detail":"d"}}', {
          'content-type': 'text/html',
        }),
    });
    const error = await rejection(get(connect(connector, { retry: { retries: 0 } }), '/issues/7'));
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status, kind, code: 'ISSUE', detail: 'd', origin: 'connector' });
    expect(error.message).toContain('No issue 7');
    expect(error.message).toContain(`GET /issues/7: ${status} ISSUE`);
  });

  it.each([
    ['an errors array: the first entry', '{"errors":[{"code":"A","message":"one"},{"code":"B","message":"two"}]}', 'A'],
    ['a numeric code', '{"errors":{"code":1062,"message":"one"}}', '1062'],
    ['no code: the default one of the kind', '{"errors":{"message":"one"}}', code],
    ['an empty code: the default one of the kind', '{"errors":{"code":"","message":"one"}}', code],
  ])('is read leniently: %s (E6)', async (_name, body, expected) => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(status, body, json) });
    const error = await rejection(get(connect(connector, { retry: { retries: 0 } })));
    expect(error).toMatchObject({ status, code: expected, origin: 'connector' });
    expect(error.message).toContain('one');
  });

  it('has no more than 64 KiB of detail (E8)', async () => {
    const detail = 'x'.repeat(200_000);
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.reply(status, { errors: { code: 'A', message: 'b', detail } }),
    });
    const error = await rejection(get(connect(connector, { retry: { retries: 0 } })));
    expect(Buffer.byteLength(error.detail)).toBe(64 * 1024);
    expect(error.detail).toMatch(/^x+… \[cut\]$/);
  });

  it('has its details as text, whatever they were (E6)', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.reply(status, { errors: { code: 'A', message: 'b', detail: { a: [1] } } }),
    });
    const error = await rejection(get(connect(connector, { retry: { retries: 0 } })));
    expect(error.detail).toBe('{"a":[1]}');
  });
});

describe.each([...hostileBodies, ...endless])('%s', (name, send) => {
  it('with a 401 renews the session all the same (E7)', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.handle = (exchange) => (exchange.session === 'session-1' ? send(exchange, 401) : ok(exchange));
    const { client, ended } = connectFor(name, connector);
    await expect(ended(get(client))).resolves.toMatchObject({ status: 200 });
    expect(connector.logins).toHaveLength(2);
  });

  it('with a 403 and the wait header is a limit all the same (E7)', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => {
      if (exchange.number > 1) return ok(exchange);
      exchange.response.setHeader('x-wait', '20');
      return send(exchange, 403);
    };
    const { client, ended } = connectFor(name, connector, {
      rateLimit: { header: 'x-wait', format: 'milliseconds' },
    });
    let pauses = 0;
    client.on('pause', () => pauses++);
    await expect(ended(get(client))).resolves.toMatchObject({ status: 200 });
    expect(pauses).toBe(1);
  });

  it('as a refused login is an InitializeError', async () => {
    const connector = await scriptedConnector({ initialize: (exchange) => send(exchange, 401) });
    const { client, ended } = connectFor(name, connector, { initialize: { parameters: {}, timeoutMs: 30_000 } });
    const error = await ended(rejection(get(client)));
    expect(error).toMatchObject({ name: 'InitializeError', status: 401 });
  });
});

describe('what a huge response costs', () => {
  it.each([404, 500])('no more than a few MB of a 50 MB %i are read', async (status) => {
    let sent = 0;
    const connector = await scriptedConnector({
      handle: (exchange) => flood(50, (bytes) => (sent = bytes))(exchange, status),
    });
    await rejection(get(connect(connector, { retry: { retries: 0 } })));
    await grace();
    expect(sent).toBeLessThan(20 * mebibyte); // 1 MiB plus what the sockets of this machine buffer
    await until(() => [...connector.sockets].every((socket) => socket.writableLength === 0));
  });

  it('a success larger than maxResponseBytes is refused, without reading it all', async () => {
    let sent = 0;
    const connector = await scriptedConnector({
      handle: (exchange) => flood(50, (bytes) => (sent = bytes))(exchange, 200),
    });
    const client = connect(connector, { maxResponseBytes: mebibyte });
    const error = await rejection(get(client));
    expect(error.message).toContain('GET /items');
    await grace();
    expect(sent).toBeLessThan(20 * mebibyte);
    expect(connector.requests).toHaveLength(1);
  });

  it.each([
    ['undici', {}],
    ['fetch', { fetch: globalThis.fetch }],
  ])('maxResponseBytes does not bound an error, whose body has a bound of its own: %s', async (_name, transport) => {
    const payload = { errors: { code: 'NO_ISSUE', message: 'No issue 7', detail: 'x'.repeat(8192) } };
    const connector = await scriptedConnector({ handle: ({ reply }) => reply(404, payload) });
    const error = await rejection(get(connect(connector, { ...transport, maxResponseBytes: 4096 })));
    expect(error).toMatchObject({ code: 'NO_ISSUE', origin: 'connector', detail: payload.errors.detail });
  });

  it('control: a success of 20 MB arrives whole where it may', async () => {
    const connector = await scriptedConnector({ handle: flood20 });
    const { data } = await get(connect(connector, { maxResponseBytes: 20 * mebibyte }));
    expect((data as string).length).toBe(20 * mebibyte);
  });
});

describe('a 200 that is none', () => {
  it.each([
    ['never starts', () => {}],
    ['stops in the middle', (exchange: Exchange) => exchange.response.writeHead(200, json).write('{"half":')],
    ['dribbles without an end', (exchange: Exchange) => dribble(exchange, 200)],
  ])('%s: the time-out covers the body, too', async (_name, handle) => {
    const connector = await scriptedConnector({ handle });
    const { client, clock } = connectVirtually(connector, { timeoutMs: 80, retry: { retries: 0 } });
    const call = track(get(client));
    await until(() => connector.requests.length === 1);
    await clock.advance(79);
    expect(call.settled).toBe(false);
    await clock.advance(1);
    await until(() => call.settled);
    const error = call.error as Error;
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toContain('GET /items');
    expect(isConnectorError(error)).toBe(false);
    await until(() => connector.sockets.size === 0 || connector.open.length === 0);
  });

  it('cut off is a network error: no partial data', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => cutOff(exchange, 200) });
    const error = await rejection(get(connect(connector, { retry: { retries: 0 } })));
    expect(error.message).toContain('GET /items');
    expect(isConnectorError(error)).toBe(false);
  });

  it.each([
    ['garbage', 'hello, this is no HTTP\r\n\r\n'],
    ['a broken status line', 'HTTP/1.1 abc\r\n\r\n'],
    ['headers without an end', `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(200_000)}\r\n\r\n`],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 5\r\n\r\nhello'],
    ['a chunk of nonsense', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n'],
    ['a smuggled second answer', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nHTTP/1.1 500 Oops\r\n\r\n'],
  ])('%s harms neither process nor later calls', async (_name, bytes) => {
    const server = await rawServer(bytes);
    const client = connect(server, { initialize: async () => ({ 'x-session': 'a' }), timeoutMs: 30_000 });
    const result = track(get(client));
    await until(() => result.settled);
    if (result.error !== undefined) {
      expect(result.error).toBeInstanceOf(Error);
      expect((result.error as Error).message).toContain('GET /items');
    }
    server.answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok';
    await expect(get(client)).resolves.toMatchObject({ data: 'ok' });
  });

  it.each([600, 777, 999])('the status %i is an error with that status in its message', async (status) => {
    const server = await rawServer(`HTTP/1.1 ${status} Odd\r\ncontent-length: 0\r\n\r\n`);
    const client = connect(server, { initialize: async () => ({ 'x-session': 'a' }) });
    const error = await rejection(get(client));
    expect(error).not.toBeInstanceOf(TypeError);
    expect(error.message).toContain(String(status));
  });

  it.each([
    ['PUT', 204, 'content-length: 11\r\n\r\n{"ok":true}'],
    ['PUT', 204, 'content-length: 11\r\n\r\n'],
    ['PUT', 204, 'transfer-encoding: chunked\r\n\r\nb\r\n{"ok":true}\r\n0\r\n\r\n'],
    ['PUT', 205, 'content-length: 11\r\n\r\n{"ok":true}'],
    ['PUT', 205, 'content-encoding: gzip\r\ncontent-length: 11\r\n\r\n{"ok":true}'],
    ['GET', 304, 'content-length: 11\r\n\r\n{"ok":true}'],
    ['HEAD', 200, 'content-length: 11\r\n\r\n{"ok":true}'],
  ])(
    'a %s answered with %i and a body, which it must not have, is a success without data: %j',
    async (method, status, rest) => {
      const server = await rawServer(`HTTP/1.1 ${status} Done\r\ncontent-type: application/json\r\n${rest}`);
      const client = connect(server, { initialize: async () => ({ 'x-session': 'a' }), retry: { retries: 0 } });
      const headers = { 'if-none-match': '"1"' };
      expect(await client.request({ method, path: '/', headers })).toMatchObject({ status, data: undefined });
      const streamed = await client.request<ReadableStream | undefined>({
        method,
        path: '/',
        headers,
        responseType: 'stream',
      });
      expect(await new Response(streamed.data).text()).toBe('');
    },
  );

  it.each([201, 202, 206, 299])('control: %i is a success', async (status) => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(status, { a: 1 }) });
    await expect(get(connect(connector))).resolves.toMatchObject({ status, data: { a: 1 } });
  });

  it('103 early hints are passed over', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => {
        exchange.response.writeEarlyHints({ link: '</a>; rel=preload' });
        exchange.reply(200, { a: 1 });
      },
    });
    await expect(get(connect(connector))).resolves.toMatchObject({ data: { a: 1 } });
  });
});

describe('redirects are not followed: session headers never leave the origin', () => {
  it.each([300, 301, 302, 303, 304, 305, 307, 308])(
    '%i is an error that says so, after one request',
    async (status) => {
      const elsewhere = await scriptedConnector({ guard: false });
      const connector = await scriptedConnector({
        handle: (exchange) =>
          exchange.reply(status, undefined, { location: `${elsewhere.url}/steal?token=canary-in-location` }),
      });
      const error = await rejection(get(connect(connector)));
      expect(error).toBeInstanceOf(Error);
      expect(error.message).toContain('GET /items');
      expect(error.message).toContain(String(status));
      expect(error.message).toMatch(/redirect/i);
      expect(inspect(error)).not.toContain('canary-in-location');
      await grace(10);
      expect(elsewhere.requests).toHaveLength(0);
      expect(connector.requests).toHaveLength(1);
    },
  );

  it('not even to the connector itself, and not for a custom fetch either', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) =>
      exchange.path === '/items' ? exchange.reply(302, undefined, { location: '/other' }) : ok(exchange);
    expect((await rejection(get(connect(connector)))).message).toMatch(/redirect/i);
    expect((await rejection(get(connect(connector, { fetch: globalThis.fetch })))).message).toMatch(/redirect/i);
    expect(connector.requests.map(({ path }) => path)).toEqual(['/items', '/items']);
  });

  it.each([
    ['undici', {}],
    ['fetch', { fetch: globalThis.fetch }],
  ])('its body is not waited for, and its connection is freed: %s', async (_name, transport) => {
    const connector = await scriptedConnector({
      handle: ({ response }) => response.writeHead(302, { location: '/other' }).write('half'),
    });
    const error = await rejection(get(connect(connector, transport)));
    expect(error).toMatchObject({ code: 'REDIRECT', status: 302, response: { text: '' } });
    await until(() => connector.requests[0]?.socket.destroyed === true);
  });

  it('one with the wait header or of a login is no exception', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.reply(302, undefined, { location: '/x', 'retry-after': '60' }),
    });
    const { client } = connectVirtually(connector);
    expect((await rejection(get(client))).message).toMatch(/redirect/i);
    expect(client.status.paused).toBe(false);
  });
});

describe('secrets that a connector echoes never reach an error (E5, S7)', () => {
  const session = 'canary-session-3f9a';
  const echoes: [string, (exchange: Exchange, secret: string) => unknown][] = [
    ['the message', (_exchange, secret) => ({ code: 'A', message: `bad token ${secret}!` })],
    ['the detail', (_exchange, secret) => ({ code: 'A', message: 'b', detail: `x-session: ${secret}` })],
    ['the code', (_exchange, secret) => ({ code: secret, message: 'b' })],
    ['a detail object', (_exchange, secret) => ({ code: 'A', message: 'b', detail: { headers: { a: secret } } })],
  ];
  it.each(echoes)('the session in %s', async (_name, make) => {
    const connector = await scriptedConnector({ guard: false });
    connector.initialize = (exchange) => exchange.reply(200, { 'x-session': session });
    connector.handle = (exchange) => exchange.reply(400, { errors: make(exchange, session) });
    const error = await rejection(get(connect(connector)));
    expect(isConnectorError(error, 'bad-request')).toBe(true);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(session);
    expect(JSON.stringify(error.toPayload())).not.toContain(session);
    expect(error.message).toMatch(/\S/);
  });

  it.each(echoes)('a sensitive parameter of initialize in %s', async (_name, make) => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => exchange.reply(400, { errors: make(exchange, password) });
    const error = await rejection(get(connect(connector)));
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(password);
  });

  it('the new session in the response that brought it', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.handle = (exchange) =>
      exchange.session === 'session-1' ? exchange.reply(401) : exchange.fail(404, 'A', `none for ${exchange.session}`);
    const error = await rejection(get(connect(connector)));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.message).not.toContain('session-2');
  });

  it('a body that is none of the contract is not quoted with secrets in it', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.initialize = (exchange) => exchange.reply(200, { 'x-session': session });
    connector.handle = (exchange) => exchange.reply(400, `<html>You sent ${JSON.stringify(exchange.headers)}</html>`);
    const error = await rejection(get(connect(connector)));
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(session);
  });

  it('control: what is no secret stays readable', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.fail(404, 'ISSUE_NOT_FOUND', 'alice has no issue 7'),
    });
    const error = await rejection(get(connect(connector)));
    expect(error.message).toContain('alice has no issue 7');
  });

  it('short session values do not make errors unreadable', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.initialize = (exchange) => exchange.reply(200, { 'x-session': 'abc123', 'x-flag': '', 'x-on': '1' });
    connector.handle = (exchange) => exchange.fail(404, 'ISSUE_NOT_FOUND', 'No issue 17');
    expect((await rejection(get(connect(connector)))).message).toContain('ISSUE_NOT_FOUND');
  });
});

it('a body in chunks of a byte takes memory for its bytes, not for its chunks (E8)', async () => {
  const some = Buffer.from('1\r\nx\r\n'.repeat(16 * 1024));
  const connector = await scriptedConnector({ guard: false });
  connector.handle = ({ response, socket }) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).flushHeaders();
    let left = 4 * 64;
    const pour = () => {
      while (left-- > 0) if (!socket.write(some)) return void socket.once('drain', pour);
      socket.write('0\r\n\r\n');
    };
    pour();
  };
  const source = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url));
  const script = `
    import { createConnectorClient } from ${JSON.stringify(source)};
    const client = createConnectorClient({ baseUrl: ${JSON.stringify(connector.url)}, initialize: { parameters: {} } });
    const most = () => process.resourceUsage().maxRSS / 1024;
    const before = most();
    const { length } = await client.get('/items');
    console.log(JSON.stringify({ length, megabytes: most() - before }));
    process.exit();`;
  const { length, megabytes } = JSON.parse(await runScript(script));
  expect(length).toBe(4 * mebibyte);
  expect(megabytes).toBeLessThan(256);
});

describe('UnauthorizedError of a hostile 401', () => {
  it('has origin unknown', async () => {
    const connector = await scriptedConnector({ guard: false, handle: (exchange) => exchange.reply(401, '<html>') });
    const error = await rejection(get(connect(connector, { freshSessionGraceMs: 0 })));
    expect(error).toBeInstanceOf(UnauthorizedError);
    expect(error).toMatchObject({ origin: 'unknown', code: 'UNAUTHORIZED' });
  });
});

function cutOff(exchange: Exchange, status: number, withLength = true) {
  exchange.response.writeHead(status, { ...json, ...(withLength ? { 'content-length': '500' } : {}) });
  exchange.response.write('{"errors":{"code":"A","message":"b"}}');
  setTimeout(() => exchange.drop(), 5);
}

function dribble(exchange: Exchange, status: number) {
  exchange.response.writeHead(status, json).flushHeaders();
  const timer = setInterval(() => exchange.response.write(' '), 3);
  exchange.socket.on('close', () => clearInterval(timer));
}

function flood(megabytes: number, onSent: (bytes: number) => void = () => {}): Send {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  return (exchange, status) => {
    let left = megabytes * mebibyte;
    let sent = 0;
    exchange.response.writeHead(status, { 'content-type': 'text/plain' });
    const pour = () => {
      while (left > 0 && !exchange.response.destroyed) {
        left -= chunk.length;
        sent += chunk.length;
        onSent(sent);
        if (!exchange.response.write(chunk)) return exchange.response.once('drain', pour);
      }
      return exchange.response.end();
    };
    pour();
  };
}

function flood20(exchange: Exchange) {
  flood(20)(exchange, 200);
}

/** A server that answers every request with the same bytes, whether they are HTTP or not. */
async function rawServer(answer: string) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => socket.write(state.answer, 'latin1', () => socket.end()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const state = { answer, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return state;
}
