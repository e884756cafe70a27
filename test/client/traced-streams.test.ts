// A stream is one call for whoever watches, from its first request to the end of its body (rules D2, G6).
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { gzipSync } from 'node:zlib';
import type { ClientChannelEvents, ClientEvents, ConnectorClient } from 'concordat/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, connectVirtually } from '../helpers/connect.js';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection, until } from '../helpers/until.js';

const names = ['call', 'attempt', 'wait', 'retry', 'error', 'result', 'close'] as const;
type Name = (typeof names)[number];
type Setting = Pick<ClientChannelEvents['call'], 'runIn' | 'setHeader'>;
// biome-ignore lint/suspicious/noExplicitAny: events of all sorts in one list
type Told = { name: Name; [fact: string]: any };

/** What a tracer is told of one connector, without its logins. `trace` gets each call that begins. */
function watch(connector: { url: string }, trace: (call: Setting) => void = () => {}): Told[] {
  const told: Told[] = [];
  for (const name of names) {
    const listener = (message: unknown) => {
      const { baseUrl, path, reason } = message as { baseUrl: string; path?: string; reason?: string };
      if (baseUrl !== connector.url || path === '/initialize' || reason === 'login') return;
      if (name === 'call') trace(message as Setting);
      told.push({ ...(message as object), name });
    };
    subscribe(`concordat:client:${name}`, listener);
    onTestFinished(() => void unsubscribe(`concordat:client:${name}`, listener));
  }
  return told;
}

/** A file of `abcd`, of which a connection brings no more than `bytes`. */
const file =
  (bytes: number) =>
  ({ headers, response }: Exchange) => {
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
    const head = { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': 4 - from };
    const range = { 'content-range': `bytes ${from}-3/4` };
    response.writeHead(headers.range === undefined ? 200 : 206, { ...head, ...(headers.range && range) });
    const part = 'abcd'.slice(from, from + bytes);
    if (from + bytes >= 4) response.end(part);
    else response.write(part, () => response.destroy());
  };

const read = ({ body }: { body: ReadableStream<Uint8Array> }) => new Response(body).text();
const stream = async (client: ConnectorClient) => read(await client.stream('/file'));

describe('a stream that goes on after its connection broke', () => {
  it('is one call, with its requests and a retry for each that requests the rest', async () => {
    const connector = await scriptedConnector({ handle: file(2) });
    const told = watch(connector);
    const client = connect(connector);
    const retries: ClientEvents['retry'][] = [];
    client.on('retry', (event) => retries.push(event));
    expect(await stream(client)).toBe('abcd');
    expect(told.map(({ name }) => name)).toEqual(['call', 'attempt', 'retry', 'attempt', 'result']);
    const [{ call }, first, retry, second, result] = told as [Told, Told, Told, Told, Told];
    for (const message of [first, second, result]) expect(message.call).toBe(call);
    expect([first, second]).toMatchObject([
      { number: 1, status: 200, outcome: 'success' },
      { number: 2, status: 206, outcome: 'success' },
    ]);
    expect(retry).toMatchObject({ method: 'GET', path: '/file', attempt: 1, delayMs: 0 });
    expect(retry.error).toMatchObject({ name: 'RequestError', code: 'NETWORK_ERROR', path: '/file' });
    expect(result).toMatchObject({ status: 206, attempts: 2 });
    expect(result).not.toHaveProperty('error');
    expect(retries).toHaveLength(1);
    expect(client.status.counters).toMatchObject({ calls: 1, retries: 1 });
  });

  it('counts its retries, and tells of the delays between them', async () => {
    const connector = await scriptedConnector({ handle: file(1) });
    const told = watch(connector);
    const retry = { minTimeoutMs: 1000, maxTimeoutMs: 1000 };
    const { client, clock } = connectVirtually(connector, { retry });
    expect(await clock.runUntil(stream(client))).toBe('abcd');
    const of = (name: Name) => told.filter((message) => message.name === name);
    expect(of('retry').map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [1, 0],
      [2, 1000],
      [3, 1000],
    ]);
    expect(of('wait').map(({ reason, waitedMs, call }) => [reason, waitedMs, call])).toEqual([
      ['retry', 1000, of('call')[0]?.call],
      ['retry', 1000, of('call')[0]?.call],
    ]);
    expect(of('result')).toMatchObject([{ attempts: 4, durationMs: 2000 }]);
    expect(client.status.counters.retries).toBe(3);
  });

  it("carries a tracer's headers to the end, beside the caller's and those for the rest", async () => {
    const connector = await scriptedConnector({ handle: file(2) });
    watch(connector, ({ setHeader }) => {
      setHeader('traceparent', '00-1');
      setHeader('x-mine', 'the tracer');
    });
    await read(await connect(connector).stream('/file', { headers: { 'x-mine': 'the caller' } }));
    const headers = connector.requests.map((request) => request.headers);
    const expected = { traceparent: '00-1', 'x-mine': 'the caller' };
    expect(headers).toMatchObject([expected, { ...expected, range: 'bytes=2-', 'if-range': '"v1"' }]);
  });

  it("runs in the tracer's wrapper to the end", async () => {
    const connector = await scriptedConnector({ handle: file(2) });
    const storage = new AsyncLocalStorage<string>();
    watch(connector, ({ runIn }) => runIn((run) => storage.run('the call', run)));
    const active: (string | undefined)[] = [];
    const fetch: typeof globalThis.fetch = (...parameters) => {
      active.push(storage.getStore());
      return globalThis.fetch(...parameters);
    };
    await stream(connect(connector, { fetch }));
    expect(active.slice(1)).toEqual(['the call', 'the call']); // after the login
  });

  it.each(['cancelled', 'aborted'])('and is %s meanwhile has told of all attempts before its result', async (how) => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.headers.range === undefined && file(1)(exchange),
    });
    const told = watch(connector);
    const controller = new AbortController();
    const { body } = await connect(connector).stream('/file', { signal: controller.signal });
    const reader = body.getReader();
    await reader.read();
    await until(() => connector.requests.length === 2);
    if (how === 'cancelled') await reader.cancel();
    else controller.abort();
    await until(() => told.some(({ name }) => name === 'result'));
    expect(told.slice(-2)).toMatchObject([
      { name: 'attempt', outcome: 'aborted', number: 2 },
      { name: 'result', attempts: 2 },
    ]);
  });

  it('has told of its result and its error before the client has closed', async () => {
    const connector = await scriptedConnector({ handle: file(1) });
    const told = watch(connector);
    const retry = { minTimeoutMs: 1000, maxTimeoutMs: 1000 };
    const { client, clock } = connectVirtually(connector, { retry });
    const reading = rejection(stream(client));
    await until(() => told.filter(({ name }) => name === 'retry').length === 2 && clock.pending === 1);
    await client.close();
    await until(() => told.at(-1)?.name === 'close');
    const error = await reading;
    expect(error).toMatchObject({ code: 'CLIENT_CLOSED' });
    expect(told.slice(-4)).toMatchObject([
      { name: 'wait', reason: 'retry' },
      { name: 'error', error },
      { name: 'result', error },
      { name: 'close' },
    ]);
  });
});

describe('the result of a stream comes with the end of its body', () => {
  const results = async (handle: (exchange: Exchange) => unknown, use: (client: ConnectorClient) => unknown) => {
    const connector = await scriptedConnector({ handle });
    const told = watch(connector);
    const found = () => told.filter(({ name }) => name === 'result');
    await use(connect(connector));
    await until(() => found().length > 0);
    return found();
  };
  const packed = gzipSync('abcd');
  const gzip = (bytes: Buffer) => (exchange: Exchange) => exchange.reply(200, bytes, { 'content-encoding': 'gzip' });

  it.each<[string, (exchange: Exchange) => unknown]>([
    ['a whole body', (exchange) => exchange.reply(200, 'abcd')],
    ['a compressed one', gzip(packed)],
    ['one that says it is not compressed', (e) => e.reply(200, 'abcd', { 'content-encoding': 'identity' })],
    ['none', (exchange) => exchange.reply(204)],
  ])('%s', async (_what, handle) => {
    const [result] = await results(handle, stream);
    expect(result).toMatchObject({ attempts: 1 });
    expect(result).not.toHaveProperty('error');
  });

  it.each<[string, string, (exchange: Exchange) => unknown]>([
    ['breaks off', 'NETWORK_ERROR', ({ response }) => response.writeHead(200).write('a', () => response.destroy())],
    ['cannot be decompressed', 'INVALID_ENCODING', gzip(packed.subarray(0, -9))],
  ])('one that %s, with its error', async (_what, code, handle) => {
    let error: unknown;
    const told = await results(handle, async (client) => (error = await rejection(stream(client))));
    expect(told).toMatchObject([{ status: 200, attempts: 1, error: { code } }]);
    expect(told[0]?.error).toBe(error);
  });

  it('one that is aborted, with the reason', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    const told = await results(
      ({ response }) => void response.writeHead(200).write('a'),
      async (client) => {
        await client.stream('/file', { signal: controller.signal });
        controller.abort(reason);
      },
    );
    expect(told).toMatchObject([{ error: reason }]);
  });

  it.each(['a', packed])('and one whose reader wants no more, without (%#)', async (body) => {
    const head = { 'content-length': 1000, ...(body === 'a' ? {} : { 'content-encoding': 'gzip' }) };
    const told = await results(
      ({ response }) => void response.writeHead(200, head).write(body),
      async (client) => (await client.stream('/file')).body.cancel(),
    );
    expect(told).toHaveLength(1);
    expect(told[0]).not.toHaveProperty('error');
  });

  it('but where there is no success, with the error of the call', async () => {
    const told = await results(
      ({ fail }) => fail(404, 'NO_FILE', 'No such file'),
      (client) => rejection(stream(client)),
    );
    expect(told).toMatchObject([{ status: 404, error: { code: 'NO_FILE' }, attempts: 1 }]);
  });
});
