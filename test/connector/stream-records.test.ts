import { AsyncLocalStorage } from 'node:async_hooks';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { BadRequestError, NotFoundError } from 'concordat';
import { limitBody, serve, streamRecords } from 'concordat/connector';
import type { Context } from 'hono';
import { compress } from 'hono/compress';
import { etag } from 'hono/etag';
import { request } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../helpers/until.js';
import { errorsOf, send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

const records = [{ id: 1 }, { id: 2 }, { id: 3, title: 'Größe' }];
const lines = '{"id":1}\n{"id":2}\n{"id":3,"title":"Größe"}\n';

async function* failingAfter(count: number): AsyncGenerator<{ id: number }> {
  for (let id = 1; id <= count; id += 1) yield { id };
  throw new Error('canary: the cursor failed');
}

async function ask(iterable: () => Parameters<typeof streamRecords>[1], options?: Parameters<typeof streamRecords>[2]) {
  const connector = makeConnector();
  connector.get('/', (c) => streamRecords(c, iterable(), options));
  return send(await start(connector), { headers: withToken });
}

describe('streamRecords', () => {
  test.each<[string, () => Parameters<typeof streamRecords>[1]]>([
    ['an array', () => records],
    [
      'a generator',
      function* () {
        yield* records;
      },
    ],
    [
      'an async generator',
      async function* () {
        yield* records;
      },
    ],
    [
      'a ReadableStream',
      () =>
        new ReadableStream({
          start(c) {
            for (const r of records) c.enqueue(r);
            c.close();
          },
        }) as never,
    ],
  ])('writes one line of JSON for each record of %s', async (_what, iterable) => {
    const answer = await ask(iterable);
    expect(answer).toMatchObject({ status: 200, body: lines, cut: false });
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
  });

  test('no records are an empty body', async () => {
    expect(await ask(() => [])).toMatchObject({ status: 200, body: '', cut: false });
  });

  test('bytes go out as they are', async () => {
    const answer = await ask(() => [Buffer.from([1, 255]), new Uint8Array(), Uint8Array.of(0)]);
    expect(answer.headers['content-type']).toBe('application/octet-stream');
    const typed = await ask(() => [new TextEncoder().encode('id;title\n')], { contentType: 'text/csv' });
    expect([typed.headers['content-type'], typed.body]).toEqual(['text/csv', 'id;title\n']);
  });

  test('a failure in the middle breaks the connection, and `onError` hears of it (D2)', async () => {
    const heard: unknown[] = [];
    const connector = makeConnector({ onError: (error, c) => void heard.push([c.req.path, error]) });
    connector.get('/', (c) => streamRecords(c, failingAfter(3)));
    connector.get('/long', (c) => streamRecords(c, failingAfter(20_000)));
    const server = await serve(connector, { port: 0, onError: (error) => void heard.push(['server', error]) });
    onTestFinished(() => server.close({ graceMs: 0 }));
    for (const path of ['/', '/long']) {
      const response = fetch(server.url + path, { headers: withToken });
      await expect(response.then((whole) => whole.text())).rejects.toThrow();
    }
    const answer = await send(server.url, { path: '/long', headers: withToken });
    expect([answer.status, answer.cut]).toEqual([200, true]);
    expect(answer.body.startsWith('{"id":1}\n{"id":2}\n')).toBe(true);
    const error = expect.objectContaining({ message: 'canary: the cursor failed' });
    expect(heard).toEqual(
      ['/', '/long', '/long'].flatMap((path) => [
        [path, error],
        ['server', error],
      ]),
    );
  });

  test('over HTTP/1.0, where the end of the connection is the end of a body, it resets the connection (E4)', async () => {
    const connector = makeConnector();
    connector.get('/', (c) => streamRecords(c, failingAfter(2)));
    const { hostname, port } = new URL(await start(connector));
    const socket = connect(Number(port), hostname);
    socket.write(`GET / HTTP/1.0\r\nx-token: ${withToken['x-token']}\r\n\r\n`);
    socket.resume();
    const ended = await new Promise((resolve) => {
      socket.once('end', () => resolve('as if it were complete'));
      socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    });
    expect(ended).toBe('ECONNRESET');
  });

  test('every record, the end and `onError` are in the async context of the request', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: string[] = [];
    const note = (what: string) => void seen.push(`${what} in ${context.getStore()}`);
    const connector = makeConnector({ onError: () => note('onError') });
    connector.use((_c, next) => context.run('request', next));
    connector.get('/issues', (c) => {
      const records = async function* () {
        try {
          for (let id = 1; id <= 3; id++) {
            note(`record ${id}`);
            yield { id };
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
          if (c.req.query('how') === 'fails') throw new Error('late');
        } finally {
          note('end');
        }
      };
      return streamRecords(c, records());
    });
    const url = await start(connector);
    const read = async (how: string) => {
      const response = await fetch(`${url}/issues?how=${how}`, { headers: withToken });
      return response.text().then(
        () => 'whole',
        () => 'broken',
      );
    };
    expect([await read('ends'), await read('fails')]).toEqual(['whole', 'broken']);
    expect(seen).toHaveLength(9);
    expect(seen.filter((what) => !what.endsWith(' in request'))).toEqual([]);
  });

  test('the same behind compress()', async () => {
    const connector = makeConnector();
    connector.use(compress());
    connector.get('/', (c) => streamRecords(c, failingAfter(1_000)));
    connector.get('/whole', (c) => streamRecords(c, records));
    const url = await start(connector);
    await expect(fetch(url, { headers: withToken }).then((response) => response.text())).rejects.toThrow();
    expect(await (await fetch(`${url}/whole`, { headers: withToken })).text()).toBe(lines);
  });

  test.each<[string, (c: Context, next: () => Promise<void>) => Promise<unknown>]>([
    ['etag()', (c, next) => etag()(c, next) as Promise<unknown>],
    ['a reader of the copy', async (c, next) => next().then(() => c.res.clone().text())],
  ])('middleware that meets the failure first does not make it two: %s (E4)', async (_what, middleware) => {
    const heard: unknown[] = [];
    const connector = makeConnector({ onError: (error) => heard.push(error) });
    connector.use('/records', async (c, next) => void (await middleware(c, next)));
    const failure = new Error('canary: the same one each time');
    connector.get('/records', (c) =>
      streamRecords(
        c,
        (async function* () {
          yield 1;
          throw failure;
        })(),
      ),
    );
    const url = await start(connector);
    expect(await send(url, { path: '/records', headers: withToken })).toMatchObject({ status: 500, cut: false });
    expect(heard).toEqual([failure]);
    await send(url, { path: '/records', headers: withToken });
    expect(heard).toEqual([failure, failure]); // another request
  });

  test('a failure before the first record is an error answer', async () => {
    const answer = await ask(() => ({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new NotFoundError('No such list', { code: 'LIST_NOT_FOUND' })),
      }),
    }));
    expect([answer.status, errorsOf(answer).code]).toEqual([404, 'LIST_NOT_FOUND']);
  });

  test.each([undefined, () => {}, Symbol('a'), 7n])(
    'a record that JSON cannot write is a failure: %s',
    async (record) => {
      expect((await ask(() => [record])).status).toBe(500);
      expect((await ask(() => [{ id: 1 }, record])).cut).toBe(true);
    },
  );

  test.each<[string, unknown]>([
    ['it is a function.', () => {}],
    ['it is undefined.', undefined],
    ['"owner" is an object of type Promise.', { id: 1, owner: Promise.resolve('x') }],
    ['"tags" is an object of type Map.', { id: 1, tags: new Map([['a', 1]]) }],
    ['"count" is NaN.', { id: 1, count: Number.NaN }],
  ])('which JSON would change is one, too, and the error for the log names it (D1): %s', async (what, record) => {
    const errors: unknown[] = [];
    const connector = makeConnector({ onError: (error) => void errors.push(error) });
    connector.get('/', (c) => streamRecords(c, [record]));
    expect((await send(await start(connector), { headers: withToken })).status).toBe(500);
    expect(errors).toEqual([new TypeError(`A record cannot be written as JSON: ${what}`)]);
  });

  test('is written as JSON.stringify writes it: dates as text, and no member for what is undefined', async () => {
    const record = { at: new Date(0), left: undefined, none: {}, list: [null], own: { toJSON: () => 'mine' } };
    expect((await ask(() => [record])).body).toBe(`${JSON.stringify(record)}\n`);
  });

  test('asks for no record before its reader does', async () => {
    let made = 0;
    const connector = makeConnector();
    const source = function* () {
      while (made < 5) yield made++;
    };
    connector.get('/', (c) => streamRecords(c, source()));
    const response = await connector.request('/', { headers: withToken });
    const reader = response.body?.getReader();
    await reader?.read();
    await new Promise(setImmediate);
    expect(made).toBe(1);
    await reader?.cancel();
  });

  test('holds one record at a time, and ends the iteration when the service goes away', async () => {
    let made = 0;
    let ended = () => {};
    const hasEnded = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const connector = makeConnector();
    connector.get('/', (c) =>
      streamRecords(
        c,
        (async function* () {
          try {
            for (; ; made += 1) yield { text: 'x'.repeat(100_000) };
          } finally {
            ended();
          }
        })(),
      ),
    );
    const controller = new AbortController();
    const response = await fetch(await start(connector), { headers: withToken, signal: controller.signal });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    let before = -1;
    while (before !== made) {
      before = made;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(made).toBeLessThan(1_000);
    controller.abort();
    await hasEnded;
  });

  test.each<[string, (c: Context, next: () => Promise<void>) => Promise<void>, number]>([
    [
      'middleware that throws',
      async (_c, next) => {
        await next();
        throw new BadRequestError('too late');
      },
      400,
    ],
    ['a body over its limit', async (_c, next) => next(), 413],
  ])('ends the iteration when an error takes its place: %s', async (_what, use, status) => {
    let isOpen = false;
    const connector = makeConnector();
    connector.use(use);
    connector.post('/', limitBody(10), async (c) => {
      await c.req.text().catch(() => {});
      const records = async function* () {
        isOpen = true;
        try {
          for (;;) yield { a: 1 };
        } finally {
          isOpen = false;
        }
      };
      return streamRecords(c, records());
    });
    const body = Readable.from(['x'.repeat(status === 413 ? 11 : 1)]);
    const url = await start(connector);
    const answer = await request(url, { method: 'POST', headers: withToken, body });
    expect(answer.statusCode).toBe(status);
    await answer.body.dump();
    await until(() => !isOpen);
  });

  test('a service that gives up in the middle is no failure: `onError` gets an AbortError (E4)', async () => {
    let hear: (error: unknown) => void = () => {};
    const heard = new Promise<unknown>((resolve) => {
      hear = resolve;
    });
    const connector = makeConnector({ onError: (error) => hear(error) });
    const pages = async function* (signal: AbortSignal) {
      yield { id: 1 };
      // As a fetch of the next page does.
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    connector.get('/', (c) => streamRecords(c, pages(c.req.raw.signal)));
    const service = new AbortController();
    const response = await fetch(await start(connector), { headers: withToken, signal: service.signal });
    await response.body?.getReader().read();
    service.abort();
    expect(await heard).toBeInstanceOf(Error);
    expect(await heard).toMatchObject({ name: 'AbortError', cause: expect.anything() });
  });

  test.each<[string, (end: (how: string) => void) => unknown]>([
    ['a ReadableStream', (end) => new ReadableStream({ cancel: () => end('ended') })],
    ['a stream of Node', (end) => new Readable({ read() {} }).once('close', () => end('ended'))],
    ['a cursor', (end) => ({ [Symbol.iterator]: () => expect.unreachable(), return: () => end('ended') })],
  ])('HEAD ends %s that is already open', async (_what, open) => {
    const connector = makeConnector();
    const ended = new Promise<string>((end) => {
      connector.get('/', (c) => streamRecords(c, open(end) as never));
    });
    const answer = await send(await start(connector), { method: 'HEAD', headers: withToken });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    expect(await ended).toBe('ended');
  });

  test('HEAD asks for no record of an array', async () => {
    const connector = makeConnector();
    connector.get('/', (c) => streamRecords(c, records));
    expect((await send(await start(connector), { method: 'HEAD', headers: withToken })).status).toBe(200);
  });

  test('HEAD asks for no record', async () => {
    const connector = makeConnector();
    let isAsked = false;
    connector.get('/', (c) =>
      streamRecords(
        c,
        (function* () {
          isAsked = true;
          yield 1;
        })(),
      ),
    );
    const answer = await send(await start(connector), { method: 'HEAD', headers: withToken });
    expect([answer.status, answer.headers['content-type'], isAsked]).toEqual([200, 'application/x-ndjson', false]);
  });
});
