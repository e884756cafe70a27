import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { fileURLToPath } from 'node:url';
import type { ClientChannelMessage, ClientEvents, ConnectorClient } from 'concordat/client';
import { Pool } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compiled } from '../helpers/compiled.js';
import { connect, connectVirtually, password } from '../helpers/connect.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const ok = (exchange: Exchange) => exchange.reply(200, {});

describe('close', () => {
  it('closes the connections', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    await get(client);
    expect(connector.sockets.size).toBeGreaterThan(0); // control
    await client.close();
    await until(() => connector.sockets.size === 0);
  });

  it('refuses later calls with an error that says so, and sends nothing', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    await client.close();
    const error = await rejection(get(client));
    expect(error.message).toMatch(/closed/);
    await grace(5);
    expect([...connector.logins, ...connector.requests]).toHaveLength(0);
  });

  it('refuses calls of a scope that nobody asked for before, too, though the connection is still there', async () => {
    const connector = await scriptedConnector();
    const dispatcher = new Pool(connector.url); // the caller's: close() leaves it open
    onTestFinished(() => dispatcher.destroy());
    const client = connect(connector, { dispatcher, rateLimit: { scope: ({ path }) => path } });
    await get(client, '/known');
    await client.close();
    for (const path of ['/known', '/unknown']) {
      expect(await rejection(get(client, path))).toMatchObject({ name: 'RequestError', code: 'CLIENT_CLOSED', path });
    }
    await grace();
    expect(connector.requests.map(({ path }) => path)).toEqual(['/known']);
    expect(client.status.counters).toMatchObject({ calls: 1, sent: 2 });
  });

  it('ends calls that wait for the end of a pause', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(3600) });
    const { client, clock } = connectVirtually(connector);
    const call = track(get(client));
    await until(() => client.status.paused);
    await client.close();
    await until(() => call.settled);
    expect((call.error as Error).message).toMatch(/closed/);
    await clock.advance(3_600_000);
    await grace(5);
    expect(connector.requests).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('ends calls that wait for a login', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ initialize: hold.handler });
    const client = connect(connector);
    const call = track(get(client));
    await until(() => hold.held.length === 1);
    const closing = track(client.close());
    await until(() => call.settled);
    expect((call.error as Error).message).toMatch(/closed/);
    hold.release(connector.logIn);
    await until(() => closing.settled);
    expect(connector.requests).toHaveLength(0);
  });

  it('ends calls that wait for a retry', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(500) });
    const { client, clock } = connectVirtually(connector, { retry: { minTimeoutMs: 60_000, maxTimeoutMs: 60_000 } });
    const call = track(get(client));
    await until(() => connector.requests.length === 1 && connector.open.length === 0);
    await grace(5);
    await client.close();
    await until(() => call.settled);
    expect(call.error).toBeInstanceOf(Error);
    await clock.advance(600_000);
    await grace(5);
    expect(connector.requests).toHaveLength(1);
  });

  it('lets requests in flight finish', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ handle: hold.handler });
    const client = connect(connector);
    const call = track(get(client));
    await until(() => hold.held.length === 1);
    const closing = track(client.close());
    await grace();
    hold.release(ok);
    await until(() => closing.settled && call.settled);
    expect(call.value).toMatchObject({ status: 200 });
  });

  it.each([
    ['lets them finish', undefined],
    ['cuts them off', 0],
  ])('is told of after the last result of the calls in flight, whether it %s (G6)', async (_what, graceMs) => {
    const hold = holdAll();
    const connector = await scriptedConnector({ handle: hold.handler });
    const client = connect(connector);
    const told: string[] = [];
    const onResult = (message: unknown) => {
      const { call, client: sender } = message as ClientChannelMessage<'result'>;
      if (sender === client) told.push(`result of ${call.path}`);
    };
    subscribe('concordat:client:result', onResult);
    onTestFinished(() => void unsubscribe('concordat:client:result', onResult));
    const closed = new Promise<void>((resolve) => {
      client.on('close', () => {
        told.push('close');
        resolve();
      });
    });
    const settle = (path: string) => () => told.push(`caller of ${path}`);
    const paths = ['/first', '/second'];
    for (const path of paths) get(client, path).then(settle(path), settle(path));
    await until(() => hold.held.length === 2);
    const closing = client.close(graceMs === undefined ? {} : { graceMs });
    if (graceMs === undefined) hold.release(ok);
    await Promise.all([closing, closed]);
    await grace();
    const before = ['caller', 'result'].flatMap((what) => paths.map((path) => `${what} of ${path}`));
    expect(told.slice(0, -1).sort()).toEqual(before);
    expect(told.at(-1)).toBe('close');
  });

  it('ends a stream that nobody reads once that has taken `timeoutMs`', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector, { timeoutMs: 1000 });
    const told: ClientEvents['error'][] = [];
    client.on('error', (error) => told.push(error));
    connector.handle = ({ reply }) => reply(200, Buffer.alloc(20_000_000));
    const { body } = await client.stream('/file');
    await client.close();
    const error = await rejection(new Response(body).arrayBuffer());
    expect(error).toMatchObject({ code: 'CLIENT_CLOSED', attempts: 1, response: { status: 200 } });
    expect(told).toMatchObject([{ path: '/file', error }]);
    await until(() => connector.sockets.size === 0);
  });

  it('waits for a stream for as long as its reader wants more in every `timeoutMs`', async () => {
    const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array(300_000)); // more than is read ahead
    const fetch = async (url: unknown) =>
      String(url).endsWith('/initialize') ? Response.json({}) : new Response(new ReadableStream({ pull }));
    const { client, clock } = connectVirtually({ url: 'http://127.0.0.1:1' }, { fetch, timeoutMs: 10_000 });
    const [read, left] = [(await client.stream('/read')).body.getReader(), (await client.stream('/left')).body];
    const closing = track(client.close());
    for (let chunks = 0; chunks < 10; chunks++) {
      expect((await read.read()).value?.length).toBe(300_000);
      await clock.advance(9_000);
    }
    expect(closing.settled).toBe(false);
    expect(await rejection(left.getReader().closed)).toMatchObject({ code: 'CLIENT_CLOSED' });
    await clock.advance(1_000);
    expect(await rejection(read.closed)).toMatchObject({ code: 'CLIENT_CLOSED' });
    await until(() => closing.settled);
  });

  it('can be called twice, also at the same time', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector, { cleanup: {} });
    await get(client);
    await Promise.all([client.close(), client.close()]);
    await client.close();
    expect(connector.requests.filter(({ path }) => path === '/cleanup')).toHaveLength(1);
  });

  it('is what `await using` calls', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    await get(client);
    await client[Symbol.asyncDispose]();
    expect((await rejection(get(client))).message).toMatch(/closed/);
  });

  it('leaves a dispatcher of the caller alone', async () => {
    const connector = await scriptedConnector();
    const dispatcher = new Pool(connector.url);
    onTestFinished(() => dispatcher.destroy());
    const client = connect(connector, { dispatcher });
    await get(client);
    await client.close();
    const { statusCode } = await dispatcher.request({
      path: '/',
      method: 'GET',
      headers: { 'x-session': 'session-1' },
    });
    expect(statusCode).toBe(200);
  });

  it('of one client does not disturb another one', async () => {
    const connector = await scriptedConnector();
    const [first, second] = [connect(connector), connect(connector)];
    await Promise.all([get(first), get(second)]);
    await first.close();
    await expect(get(second)).resolves.toMatchObject({ status: 200 });
  });
});

describe('cleanup (S1)', () => {
  it('is POST {baseUrl}/cleanup with the session, when the option says so', async () => {
    const connector = await scriptedConnector();
    const client = connect({ url: `${connector.url}/api` }, { cleanup: {} });
    await get(client);
    await client.close();
    expect(connector.requests.at(-1)).toMatchObject({ method: 'POST', path: '/api/cleanup', session: 'session-1' });
  });

  it('has the path of the option', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector, { cleanup: { path: '/logout' } });
    await get(client);
    await client.close();
    expect(connector.requests.at(-1)).toMatchObject({ method: 'POST', path: '/logout' });
  });

  it('has that path encoded, as every other, and shows no query in errors (S7)', async () => {
    const connector = await scriptedConnector();
    const client = connect({ url: `${connector.url}/api` }, { cleanup: { path: '/clean up/ä?key=canary' } });
    await get(client);
    const errors: ClientEvents['error'][] = [];
    client.on('error', (error) => errors.push(error));
    connector.handle = (exchange) => exchange.reply(500);
    await client.close();
    expect(connector.requests.at(-1)).toMatchObject({ method: 'POST', path: '/api/clean%20up/%C3%A4?key=canary' });
    expect(errors).toHaveLength(1);
    expect(errors[0]?.path).toBe('/clean up/ä');
    expect(errors[0]?.error).toMatchObject({ path: '/clean up/ä', message: expect.not.stringContaining('canary') });
  });

  it('control: is not called without the option', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    await get(client);
    await client.close();
    expect(connector.requests).toHaveLength(1);
  });

  it('is not called where there never was a session', async () => {
    const connector = await scriptedConnector();
    await connect(connector, { cleanup: {} }).close();
    expect([...connector.logins, ...connector.requests]).toHaveLength(0);
  });

  it.each([
    ['401', (exchange: Exchange) => exchange.reply(401)],
    ['500', (exchange: Exchange) => exchange.reply(500)],
    ['a reset connection', (exchange: Exchange) => exchange.drop()],
    ['a limit', (exchange: Exchange) => exchange.limit(3600)],
    ['no answer at all', () => {}],
  ])('that ends in %s does not keep close from ending, and logs in for nothing', async (_name, answer) => {
    const connector = await scriptedConnector();
    const client = connect(connector, { cleanup: {}, timeoutMs: 400 });
    await get(client);
    connector.handle = answer;
    const closing = track(client.close());
    await until(() => closing.settled);
    expect(connector.logins).toHaveLength(1);
  });

  it('is told of if there is no time left for it', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector, { cleanup: {} });
    await get(client);
    connector.handle = () => {};
    const hanging = rejection(client.get('/hangs'));
    await until(() => connector.requests.length === 2);
    const errors: ClientEvents['error'][] = [];
    client.on('error', (error) => errors.push(error));
    const closing = client.close({ graceMs: 1000 });
    await clock.advance(1000);
    await Promise.all([closing, hanging]);
    expect(errors.at(-1)).toMatchObject({ method: 'POST', path: '/cleanup', error: { code: 'CLIENT_CLOSED' } });
    expect(connector.requests).toHaveLength(2);
  });

  it.each([
    ['a reset connection', (exchange: Exchange) => exchange.drop(), 'NETWORK_ERROR'],
    ['no answer at all', () => {}, 'TIMEOUT'],
  ])('that ends in %s is told of with the code of that', async (_name, answer, code) => {
    const connector = await scriptedConnector();
    const client = connect(connector, { cleanup: {}, timeoutMs: 400 });
    await get(client);
    const errors: ClientEvents['error'][] = [];
    client.on('error', (error) => errors.push(error));
    connector.handle = answer;
    await client.close();
    expect(errors).toMatchObject([{ method: 'POST', path: '/cleanup', error: { code } }]);
  });

  it.each([
    ['a 401 is as good as done', 401, []],
    ['control: a 404 is told as an error', 404, [{ method: 'POST', path: '/cleanup', error: { status: 404 } }]],
    ['a redirect is no success', 302, [{ method: 'POST', path: '/cleanup', error: { code: 'REDIRECT', status: 302 } }]],
    ['control: a success is nothing to tell', 204, []],
  ] as const)('%s', async (_name, status, expected) => {
    const connector = await scriptedConnector();
    const client = connect(connector, { cleanup: {} });
    await get(client);
    const errors: ClientEvents['error'][] = [];
    client.on('error', (error) => errors.push(error));
    connector.handle = (exchange) => exchange.reply(status);
    await client.close();
    expect(connector.requests.at(-1)?.path).toBe('/cleanup');
    expect(errors).toMatchObject(expected);
    expect(errors).toHaveLength(expected.length);
  });
});

it.each<[string, (exchange: Exchange) => void, object]>([
  [
    'with its header, is told as one',
    ({ reply }) => reply(403, undefined, { 'retry-after': '7' }),
    { retryAfterMs: 7000 },
  ],
  [
    'that cannot be read, too',
    ({ reply }) => reply(403, undefined, { 'retry-after': 'soon' }),
    { retryAfterMs: 60_000 },
  ],
])('a rate limit of a cleanup, %s (W2, W6)', async (_name, answer, expected) => {
  const connector = await scriptedConnector();
  const { client } = connectVirtually(connector, { cleanup: {} });
  await get(client);
  const errors: ClientEvents['error'][] = [];
  client.on('error', (error) => errors.push(error));
  connector.handle = answer;
  await client.close();
  const message = expect.not.stringContaining('denied');
  expect(errors).toMatchObject([{ path: '/cleanup', error: { name: 'RateLimitError', message, ...expected } }]);
});

it('the error of a cleanup shows no secret of the login, of headers or of the query (E5, S7)', async () => {
  const connector = await scriptedConnector();
  const headers = { 'x-api-key': 'canary-header' };
  const client = connect(connector, { headers, cleanup: { path: '/cleanup?token=canary-query' } });
  await get(client);
  const errors: ClientEvents['error'][] = [];
  client.on('error', (error) => errors.push(error));
  connector.handle = ({ fail }) => fail(500, 'NO', `not with canary-header, canary-query, session-1 or ${password}`);
  await client.close();
  const expected = 'not with [redacted], [redacted], [redacted] or [redacted]';
  expect(errors).toMatchObject([{ error: { message: expect.stringContaining(expected) } }]);
});

describe('a process ends when nobody waits, even during a pause (G4)', () => {
  const client = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url));
  const run = async (url: string, script: string) => {
    const source = `
      import { createConnectorClient } from ${JSON.stringify(client)};
      const client = createConnectorClient({ baseUrl: process.argv[2], initialize: { parameters: {} } });
      const controller = new AbortController();
      const call = client.get('/items', { signal: controller.signal });
      const paused = new Promise((resolve) => client.on('pause', resolve));
      ${script}`;
    const child = spawn(process.execPath, [await compiled({ source }), url], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    const exit = new Promise<{ code: number | null; output: string }>((resolve) => {
      child.on('close', (code) => resolve({ code, output })); // by then the output is whole
    });
    return { exit, output: () => output };
  };

  it('after an abort, without close()', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(3600) });
    const { exit } = await run(
      connector.url,
      `await paused;
       controller.abort(new Error('enough'));
       await call.catch((error) => process.stdout.write(error.message));`,
    );
    expect(await exit).toEqual({ code: 0, output: 'enough' });
  });

  it('after a response, without close(): idle connections hold nothing', async () => {
    const connector = await scriptedConnector();
    const { exit } = await run(connector.url, `await call; process.stdout.write('done');`);
    expect(await exit).toEqual({ code: 0, output: 'done' });
  });

  it('control: a caller who waits keeps it alive', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(3600) });
    const { exit, output } = await run(connector.url, `await paused; process.stdout.write('paused'); await call;`);
    const ended = track(exit);
    await until(() => output() !== '');
    await grace(500);
    expect(output()).toBe('paused');
    expect(ended.settled).toBe(false);
  });
});
