// How tries and clients end: what counts as their time (D4), what is final, and how long closing takes.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isRequestError, type RequestError } from 'concordat/client';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, connectVirtually } from '../helpers/connect.js';
import { holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { cert, key } from '../helpers/self-signed.js';
import { rejection, until } from '../helpers/until.js';

describe("an attempt's time starts when it starts (D4)", () => {
  it('a request that waits in the queue of a dispatcher does not time out there', async () => {
    const { held, handler, release } = holdAll();
    const connector = await scriptedConnector({ handle: handler });
    const dispatcher = new Agent({ connections: 1 });
    onTestFinished(() => dispatcher.destroy());
    const { client, clock } = connectVirtually(connector, { dispatcher, timeoutMs: 1000, retry: { retries: 0 } });
    const first = client.post('/1', { json: 1 }).catch((error) => error);
    await until(() => held.length === 1);
    const second = client.post('/2', { json: 2 });
    await clock.advance(900);
    release((exchange) => exchange.reply(200, 'first'));
    expect(await first).toBe('first');
    await until(() => held.length === 1);
    await clock.advance(900); // 1,800 ms after it was called, 900 ms after it was sent
    release((exchange) => exchange.reply(200, 'second'));
    expect(await second).toBe('second');
  });

  it('and is over when it is over (control)', async () => {
    const { held, handler } = holdAll();
    const connector = await scriptedConnector({ handle: handler });
    const dispatcher = new Agent({ connections: 1 });
    onTestFinished(() => dispatcher.destroy());
    const { client, clock } = connectVirtually(connector, { dispatcher, timeoutMs: 1000, retry: { retries: 0 } });
    const call = client.post('/1', { json: 1 }).catch((error) => error);
    await until(() => held.length === 1);
    await clock.advance(1000);
    expect(await call).toMatchObject({ code: 'TIMEOUT', attempts: 1 });
  });
});

it('a certificate that is not trusted is final', async () => {
  const server = createServer({ key, cert }, (_request, response) => response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const client = connect({ url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const error = await rejection(client.get('/'));
  expect(error).toMatchObject({ name: 'InitializeError', cause: { code: 'NETWORK_ERROR' } });
  expect(error.message).toMatch(/SELF_SIGNED|self-signed/);
  expect(client.status.counters.sent).toBe(1);
});

it('https where http is served is final, and told in one line', async () => {
  const connector = await scriptedConnector();
  const client = connect({ url: connector.url.replace('http:', 'https:') });
  const error = await rejection(client.get('/'));
  expect(error).toMatchObject({ name: 'InitializeError', cause: { code: 'NETWORK_ERROR' } });
  expect(error.message).toMatch(/^The login failed: .*ERR_SSL_\w+\)$/);
  expect(client.status.counters.sent).toBe(1);
});

it('a dispatcher of undici 6 is refused by name at creation', () => {
  // As its classes have it, and those of undici 7 do not.
  const dispatcher = { dispatch: () => true, interceptors: {} } as never;
  expect(() => connect({ url: 'http://127.0.0.1:1' }, { dispatcher })).toThrow(/`dispatcher`.*undici 6/);
});

describe('close({ graceMs })', () => {
  it('ends what is still under way when the grace is over', async () => {
    const { held, handler } = holdAll();
    const connector = await scriptedConnector({ handle: handler });
    const { client, clock } = connectVirtually(connector, { cleanup: {} });
    const call = client.get('/').catch((error) => error);
    await until(() => held.length === 1);
    const closing = client.close({ graceMs: 500 });
    let closed = false;
    void closing.then(() => (closed = true));
    await clock.advance(499);
    expect(closed).toBe(false);
    await clock.advance(1);
    await closing;
    const error = await call;
    expect(isRequestError(error) && error.code).toBe('CLIENT_CLOSED');
    expect(connector.requests).toHaveLength(1); // no clean-up any more
    await until(() => connector.sockets.size === 0);
  });

  it('lets finish what does so in time, and cleans up', async () => {
    const { held, handler, release } = holdAll();
    const connector = await scriptedConnector({ handle: handler });
    const { client } = connectVirtually(connector, { cleanup: {} });
    const call = client.get('/');
    await until(() => held.length === 1);
    const closing = client.close({ graceMs: 500 });
    release((exchange) => exchange.reply(200, 'done'));
    expect(await call).toBe('done');
    await until(() => held.length === 1);
    expect(held[0]?.path).toBe('/cleanup');
    release((exchange) => exchange.reply(204));
    await closing;
  });

  it('may be shortened by a later one', async () => {
    const { held, handler } = holdAll();
    const connector = await scriptedConnector({ handle: handler });
    const client = connect(connector);
    const call = client.get('/').catch((error) => error);
    await until(() => held.length === 1);
    const closing = client.close();
    expect(client.close({ graceMs: 0 })).toBe(closing);
    await closing;
    expect(((await call) as RequestError).code).toBe('CLIENT_CLOSED');
  });

  it('is not lengthened by a later one', async () => {
    const { held, handler, release } = holdAll();
    const connector = await scriptedConnector({ handle: handler });
    const { client, clock } = connectVirtually(connector);
    const call = client.get('/').catch((error) => error);
    await until(() => held.length === 1);
    const closing = client.close({ graceMs: 500 });
    client.close({ graceMs: 60_000 });
    await clock.advance(500);
    expect(client.close({ graceMs: 1000 })).toBe(closing);
    const pending = clock.pending;
    release((exchange) => exchange.reply(200));
    expect({ pending, code: ((await call) as RequestError).code }).toEqual({ pending: 0, code: 'CLIENT_CLOSED' });
    await closing;
  });

  it('of a client that has closed leaves no timer, which would keep the process alive', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector);
    const closing = client.close();
    client.close({ graceMs: 5000 });
    expect(clock.pending).toBe(1); // control
    await closing;
    expect(clock.pending).toBe(0);
    expect(client.close({ graceMs: 5000 })).toBe(closing);
    expect(clock.pending).toBe(0);
    expect(() => client.close({ graceMs: -1 })).toThrow(/`graceMs`/);
  });

  it('by fetch, too; and a wrong one is a TypeError', async () => {
    const { held, handler } = holdAll();
    const connector = await scriptedConnector({ handle: handler });
    const client = connect(connector, { fetch: (input, init) => globalThis.fetch(input, init) });
    const call = client.get('/').catch((error) => error);
    await until(() => held.length === 1);
    expect(() => client.close({ graceMs: -1 })).toThrow(/`graceMs`/);
    await client.close({ graceMs: 0 });
    expect(((await call) as RequestError).code).toBe('CLIENT_CLOSED');
  });
});
