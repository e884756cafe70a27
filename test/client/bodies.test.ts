import { open, readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { isConnectorError } from 'concordat';
import type { BodyOption, ConnectorClient, ConnectorClientOptions, RequestOptions } from 'concordat/client';
import { Pool } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, connectVirtually } from '../helpers/connect.js';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';

const post = (client: ConnectorClient, body: BodyOption) => client.request({ method: 'POST', path: '/items', body });
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const ok = (exchange: Exchange) => exchange.reply(200, { bytes: exchange.body.length });
const bodies = (requests: Exchange[]) => requests.map(({ body }) => body.toString('latin1'));

const content = 'caf\xe9 \0\xff binary';
const bytes = Buffer.from(content, 'latin1');
const webStream = () => new Blob([bytes]).stream() as ReadableStream<Uint8Array>;
const nodeStream = () => Readable.from([bytes.subarray(0, 4), bytes.subarray(4)]);

const whole: [string, () => BodyOption][] = [
  ['a Buffer', () => Buffer.from(bytes)],
  ['a Uint8Array', () => new Uint8Array(bytes)],
  ['an ArrayBuffer', () => new Uint8Array(bytes).buffer],
  [
    'a view into a larger buffer',
    () => new Uint8Array(Buffer.concat([Buffer.from('xx'), bytes, Buffer.from('yy')])).subarray(2, 2 + bytes.length),
  ],
];
const streams: [string, () => BodyOption][] = [
  ['a Node stream', nodeStream],
  ['a web stream', webStream],
];
const factories: [string, () => BodyOption][] = [
  ['a factory of Node streams', () => nodeStream],
  ['a factory of web streams', () => webStream],
  ['a factory of Buffers', () => () => Buffer.from(bytes)],
  ['a factory of Uint8Arrays', () => () => new Uint8Array(bytes)],
  ['a factory of ArrayBuffers', () => () => new Blob([bytes]).arrayBuffer()],
];

describe.each([...whole, ...streams, ...factories])('%s', (_name, make) => {
  it('arrives as it is', async () => {
    const connector = await scriptedConnector({ handle: ok });
    await expect(post(connect(connector), make())).resolves.toMatchObject({ data: { bytes: bytes.length } });
    expect(bodies(connector.requests)).toEqual([content]);
  });

  it('is not touched before the login is done', async () => {
    const connector = await scriptedConnector({ handle: ok });
    connector.initialize = (exchange) =>
      exchange.number < 3 ? exchange.reply(503) : setTimeout(() => connector.logIn(exchange), 10);
    await post(connect(connector), make());
    expect(bodies(connector.requests)).toEqual([content]);
  });
});

const refusals: [string, number, (exchange: Exchange) => void][] = [
  ['a 401', 401, (exchange) => exchange.fail(401, 'EXPIRED', 'Session expired')],
  ['a rate limit', 403, (exchange) => exchange.limit(1)],
  ['a 500', 500, (exchange) => exchange.fail(500, 'BOOM', 'It broke')],
];

describe.each([['a string', () => 'text'] as [string, () => BodyOption], ...whole, ...factories])(
  'sent again (G8): %s',
  (_name, make) => {
    it.each(refusals)('after %s, the same bytes', async (_refusal, _status, refuse) => {
      const connector = await scriptedConnector({ guard: false });
      connector.handle = (exchange) => (exchange.number === 1 ? refuse(exchange) : ok(exchange));
      const { client, clock } = connectVirtually(connector);
      const call = track(client.request({ method: 'PUT', path: '/', body: make() }));
      for (let step = 0; step < 50 && !call.settled; step++) {
        await grace(3);
        await clock.advance(100);
      }
      await until(() => call.settled);
      expect(call.error).toBeUndefined();
      const [first, second] = bodies(connector.requests);
      expect(connector.requests).toHaveLength(2);
      expect(first?.length).toBeGreaterThan(0);
      expect(second).toBe(first);
    });
  },
);

describe.each(streams)('%s without a factory cannot be sent again (G8)', (_name, make) => {
  it.each(refusals)('%s is thrown as it is, with a message that says so', async (_refusal, status, refuse) => {
    const connector = await scriptedConnector({ guard: false, handle: refuse });
    const { client } = connectVirtually(connector);
    const error = await rejection(client.request({ method: 'PUT', path: '/', body: make() }));
    expect(isConnectorError(error)).toBe(true);
    expect(error.status).toBe(status);
    if (status !== 500) expect(error.message).toMatch(/stream/i);
    if (status !== 500) expect(error.message).toMatch(/factory|\(\) =>/);
    await grace(10);
    expect(bodies(connector.requests)).toEqual([content]); // and never an empty one
  });

  it('a reset connection is reported, and nothing empty is sent', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.drop() });
    const error = await rejection(connect(connector).request({ method: 'PUT', path: '/', body: make() }));
    expect(error).toBeInstanceOf(Error);
    await grace(10);
    expect(connector.requests).toHaveLength(1);
  });

  it('its 401 still ends the session for everybody else', async () => {
    const connector = await scriptedConnector({ handle: ok });
    const client = connect(connector);
    await client.request({ method: 'GET', path: '/' });
    connector.expireSessions();
    expect(await rejection(post(client, make()))).toMatchObject({ status: 401 });
    await expect(client.request({ method: 'GET', path: '/' })).resolves.toMatchObject({ status: 200 });
    expect(connector.logins).toHaveLength(2);
  });

  it('its limit still pauses everybody else', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(60) });
    const { client } = connectVirtually(connector);
    await rejection(post(client, make()));
    expect(client.status.paused).toBe(true);
  });
});

describe('a factory', () => {
  it('is called once for every send, and not more often', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.handle = (exchange) => (exchange.number < 3 ? exchange.reply(500) : ok(exchange));
    let calls = 0;
    const body = () => Buffer.from(`copy ${++calls}`);
    await connect(connector).request({ method: 'PUT', path: '/', body });
    expect(bodies(connector.requests)).toEqual(['copy 1', 'copy 2', 'copy 3']);
  });

  it('may make a string', async () => {
    const connector = await scriptedConnector({ handle: ok });
    await post(connect(connector), () => 'text');
    expect(bodies(connector.requests)).toEqual(['text']);
  });

  it("that throws the error of another client's call leaves it as it is, and parks nothing (E9, G6)", async () => {
    const limited = await scriptedConnector({ guard: false, handle: ({ limit }) => limit(60) });
    const source = connect(limited, { rateLimit: { onLimit: 'reject' } });
    const target = connect(await scriptedConnector({ handle: ok }));
    const events: string[] = [];
    for (const name of ['parked', 'error'] as const)
      target.on(name, ({ method, path }) => void events.push(`${name} ${method} ${path}`));
    const error = await rejection(post(target, async () => (await source.stream('/file')).body));
    expect(error).toMatchObject({ kind: 'rate-limit', method: 'GET', path: '/file', attempts: 1 });
    expect(events).toEqual(['error POST /items']);
  });

  it('that throws rejects this call with its error, and harms no other', async () => {
    const connector = await scriptedConnector({ handle: ok });
    const client = connect(connector);
    const failure = new Error('the file is gone');
    const results = await Promise.allSettled([
      post(client, () => {
        throw failure;
      }),
      post(client, 'fine'),
    ]);
    expect(results[0]).toMatchObject({ status: 'rejected', reason: failure });
    expect(results[1]).toMatchObject({ status: 'fulfilled' });
    await expect(post(client, 'fine')).resolves.toMatchObject({ status: 200 });
    expect(bodies(connector.requests)).toEqual(['fine', 'fine']);
  });

  it('that throws the second time rejects with its error, too', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.handle = (exchange) => (exchange.session === 'session-1' ? exchange.reply(401) : ok(exchange));
    const failure = new Error('the file is gone');
    let calls = 0;
    const error = await rejection(
      post(connect(connector), () => {
        if (++calls === 2) throw failure;
        return 'first';
      }),
    );
    expect(error).toBe(failure);
    expect(connector.requests).toHaveLength(1);
  });

  it('many that throw leave nothing blocked', async () => {
    const connector = await scriptedConnector({ handle: ok });
    const client = connect(connector, { concurrency: 4 });
    const fail = () => {
      throw new Error('no');
    };
    await Promise.allSettled(many(20, () => post(client, fail)));
    await expect(Promise.all(many(20, () => post(client, 'fine')))).resolves.toHaveLength(20);
  });
});

async function* generator() {
  yield bytes;
}

describe.each([
  ['a Node stream', nodeStream],
  ['a web stream', webStream],
  ['a generator', generator],
])('%s that was read before is no empty body (G8)', (_name, make) => {
  const used = { code: 'BODY_FAILED', message: expect.stringMatching(/it has been read already; pass a factory/) };

  it.each([
    ['undici', {}],
    ['fetch', { fetch: globalThis.fetch }],
  ])('by an attempt: from a factory that makes one only, by %s', async (_transport, options) => {
    const handle = (exchange: Exchange) => (exchange.number === 1 ? exchange.fail(401, 'EXPIRED', 'x') : ok(exchange));
    const body = make();
    const client = connect(await scriptedConnector({ handle }), options);
    expect(await rejection(post(client, () => body))).toMatchObject(used);
  });

  it('by another call', async () => {
    const body = make();
    const client = connect(await scriptedConnector({ handle: ok }));
    await post(client, body);
    expect(await rejection(post(client, body))).toMatchObject(used);
  });
});

it.each([
  ['Node', nodeStream],
  ['web', webStream],
])('nor is a %s stream that somebody else has read', async (_kind, make) => {
  const body = make();
  for await (const _chunk of body);
  const client = connect(await scriptedConnector({ handle: ok }));
  expect(await rejection(post(client, body))).toMatchObject({ code: 'BODY_FAILED' });
});

it('a stream whose beginning was looked at and put back is sent (control)', async () => {
  const body = nodeStream();
  body.unshift(await new Promise((resolve) => body.once('readable', () => resolve(body.read()))));
  const client = connect(await scriptedConnector({ handle: ok }));
  expect((await post(client, body)).data).toEqual({ bytes: bytes.length });
});

it('an iterable that begins anew each time may be sent again (control)', async () => {
  const body = { [Symbol.asyncIterator]: generator };
  const client = connect(await scriptedConnector({ handle: ok }));
  for (const data of [(await post(client, body)).data, (await post(client, () => body)).data]) {
    expect(data).toEqual({ bytes: bytes.length });
  }
});

describe('a stream that fails on the way', () => {
  const broken: [string, (failure: Error) => BodyOption][] = [
    [
      'a Node stream',
      (failure) =>
        Readable.from(
          (async function* () {
            yield Buffer.from('half');
            throw failure;
          })(),
        ),
    ],
    [
      'a web stream',
      (failure) => {
        let pulls = 0;
        return new ReadableStream<Uint8Array>({
          pull(controller) {
            if (pulls++ === 0) controller.enqueue(Buffer.from('half'));
            else controller.error(failure);
          },
        });
      },
    ],
  ];
  it.each(broken)('%s rejects the call, is not retried, and harms no other', async (_name, make) => {
    const connector = await scriptedConnector({ handle: ok });
    const client = connect(connector);
    const failure = new Error('disk error');
    const error = await rejection(client.request({ method: 'PUT', path: '/', body: make(failure) }));
    expect([error, error.cause, error.cause?.cause]).toContain(failure);
    await expect(post(client, 'fine')).resolves.toMatchObject({ status: 200 });
  });
});

it("a file handle's web stream arrives whole: on Node 20 it brings an ArrayBuffer after the other (D1)", async () => {
  const connector = await scriptedConnector();
  await using handle = await open(new URL(import.meta.url));
  await post(connect(connector), handle.readableWebStream() as ReadableStream<Uint8Array>);
  expect(connector.requests[0]?.body).toEqual(await readFile(new URL(import.meta.url)));
});

describe('text with half a character, which UTF-8 cannot carry (D1)', () => {
  const half = 'a\ud83d';

  it('is a TypeError before anything is sent', async () => {
    const connector = await scriptedConnector({ handle: ok });
    const error = await rejection(post(connect(connector), half));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('`body`');
    expect([...connector.logins, ...connector.requests]).toHaveLength(0);
  });

  it('from a factory is one, too', async () => {
    const connector = await scriptedConnector({ handle: ok });
    expect(await rejection(post(connect(connector), () => half))).toBeInstanceOf(TypeError);
    expect(connector.requests).toHaveLength(0);
  });

  it.each([
    ['that ends with it', ['x', half]],
    ['with the other half in the next but one', ['\ud83d', 'x', '\ude00']],
    ['with the other half after bytes', ['\ud83d', Buffer.from('x'), '\ude00']],
    ['that begins with it', ['\ude00x']],
  ])('breaks a stream %s', async (_where, chunks) => {
    const client = connect(await scriptedConnector({ handle: ok }));
    expect(await rejection(post(client, Readable.from(chunks)))).toMatchObject({ code: 'BODY_FAILED' });
  });

  it('is whole where two chunks of a stream have a half each', async () => {
    const connector = await scriptedConnector({ handle: ok });
    await post(connect(connector), Readable.from(['a\ud83d', '', '\ude00b\ud83d', '\ude00']));
    expect(String(connector.requests[0]?.body)).toBe('a😀b😀');
  });
});

describe('json', () => {
  it('is sent as JSON', async () => {
    const connector = await scriptedConnector({ handle: ok });
    const client = connect(connector);
    for (const json of [{ a: [1, 'é'] }, [], 'text', 0, false, null]) {
      await client.request({ method: 'POST', path: '/', json });
    }
    expect(connector.requests.map(({ body }) => String(body))).toEqual([
      '{"a":[1,"é"]}',
      '[]',
      '"text"',
      '0',
      'false',
      'null',
    ]);
    for (const { headers } of connector.requests) expect(headers['content-type']).toMatch(/^application\/json/);
  });

  it('is what it was when the call was made, however often it is sent', async () => {
    const connector = await scriptedConnector({ guard: false });
    const item = { name: 'before' };
    connector.handle = (exchange) => {
      item.name = 'after';
      return exchange.session === 'session-1' ? exchange.reply(401) : ok(exchange);
    };
    const call = connect(connector).request({ method: 'POST', path: '/', json: item });
    item.name = 'after';
    await call;
    expect(connector.requests.map(({ body }) => String(body))).toEqual(['{"name":"before"}', '{"name":"before"}']);
  });

  it.each([
    ['a cycle', cycle()],
    ['a bigint', { a: 1n }],
    ['a function', () => 1],
  ])('that cannot be written is a TypeError naming it: %s', async (_name, json) => {
    const connector = await scriptedConnector();
    const error = await rejection(connect(connector).request({ method: 'POST', path: '/', json }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('`json`');
    expect(connector.requests).toHaveLength(0);
  });

  it.each<[unknown, string]>([
    [{ price: Number.NaN }, '"price" is NaN.'],
    [{ items: [1, -1 / 0] }, '"1" is -Infinity.'],
    [Number.NaN, 'it is NaN.'],
    [{ ids: [7, undefined] }, '"1" is undefined.'],
    [Array(1), '"0" is undefined.'],
    [[() => 7], '"0" is a function.'],
    [[Symbol('a')], '"0" is a symbol.'],
    [{ since: new Date('soon') }, '"since" is an invalid Date.'],
    [{ tags: new Set(['a']) }, '"tags" is an object of type Set.'],
    [{ tags: new Map([['a', 1]]) }, '"tags" is an object of type Map.'],
    [{ author: Promise.resolve('alice') }, '"author" is an object of type Promise.'],
    [new URLSearchParams('a=1'), 'it is an object of type URLSearchParams.'],
    [{ reason: new Error('lost') }, '"reason" is an object of type Error.'],
    [{ file: new Uint8Array([1, 2]) }, '"file" is an object of type Uint8Array.'],
  ])('that would be changed on the way is a TypeError: %o', async (json, what) => {
    const connector = await scriptedConnector();
    const call = connect(connector).post('/', { json });
    await expect(call).rejects.toThrow(new TypeError(`\`json\` cannot be written as JSON: ${what}`));
    expect(connector.requests).toHaveLength(0);
  });

  it('is written as JSON.stringify writes it: dates as text, nothing for what is undefined, and empty objects', async () => {
    const connector = await scriptedConnector();
    class Point {
      readonly x = 1;
      readonly #y = 2;
      sum = () => this.x + this.#y;
    }
    const json = {
      at: new Date(0),
      left: undefined,
      nothing: null,
      none: {},
      bare: Object.create(null),
      list: [],
      point: new Point(),
      boxed: [Object(1), Object('a'), Object(false)],
      own: { toJSON: () => 'mine' },
      bytes: Buffer.from('a'),
      negative: -0,
    };
    await connect(connector).post('/', { json });
    expect(String(connector.requests[0]?.body)).toBe(JSON.stringify(json));
  });

  it('and body exclude each other', async () => {
    const connector = await scriptedConnector();
    const error = await rejection(connect(connector).request({ method: 'POST', path: '/', json: {}, body: 'x' }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/`json`.*`body`|`body`.*`json`/);
  });

  it('of the caller may have a content type of its own', async () => {
    const connector = await scriptedConnector({ handle: ok });
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    await connect(connector).request({ method: 'PATCH', path: '/', json: {}, headers });
    expect(connector.requests[0]?.rawHeaders.filter((name) => name.toLowerCase() === 'content-type')).toHaveLength(1);
    expect(connector.requests[0]?.headers['content-type']).toBe('application/merge-patch+json');
  });
});

describe.each([
  ['undici', {}],
  ['fetch', { fetch: globalThis.fetch }],
])('the content type of a body, by %s', (_transport, options) => {
  const bytesType = 'application/octet-stream';
  const image = { 'content-type': 'image/png' };

  it.each<[string, BodyOption, string, ConnectorClientOptions['headers'], RequestOptions['headers']]>([
    ['bytes', new Uint8Array(3), bytesType, undefined, undefined],
    ['a stream', Readable.from(['x']), bytesType, undefined, undefined],
    ['a factory', () => Readable.from(['x']), bytesType, undefined, undefined],
    ['a Blob without one', new Blob(['x']), bytesType, undefined, undefined],
    ['a Blob with one', new Blob(['x'], { type: 'image/gif' }), 'image/gif', undefined, undefined],
    ['text', 'x', 'text/plain;charset=UTF-8', undefined, undefined],
    ['text of a call that says so', 'x', 'image/png', undefined, image],
    ['bytes of a client that says so', new Uint8Array(3), 'image/png', image, undefined],
    ['a form', new URLSearchParams('a=1'), 'application/x-www-form-urlencoded;charset=UTF-8', image, undefined],
  ])('%s', async (_what, body, type, ofClient, ofCall) => {
    const connector = await scriptedConnector({ handle: ok });
    const client = connect(connector, { ...options, headers: ofClient });
    await client.put('/', { body, headers: ofCall });
    expect(connector.requests[0]?.headers['content-type']).toBe(type);
  });
});

it('a GET without a body announces none', async () => {
  const connector = await scriptedConnector({ handle: ok });
  await connect(connector).request({ method: 'GET', path: '/' });
  expect(connector.requests[0]?.headers).not.toHaveProperty('content-type');
  expect(connector.requests[0]?.headers).not.toHaveProperty('transfer-encoding');
});

describe('large bodies', () => {
  it('of 5 MB arrive whole, also when they are sent twice', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    await client.request({ method: 'GET', path: '/' });
    connector.handle = ok;
    connector.expireSessions();
    const body = Buffer.alloc(5_000_000, 'x');
    await expect(post(client, body)).resolves.toMatchObject({ data: { bytes: 5_000_000 } });
  });

  it('that the connector refuses before reading them do not hang', async () => {
    const connector = await scriptedConnector({ early: true, guard: false });
    connector.handle = (exchange) => exchange.fail(400, 'TOO_LARGE', 'Too large', { connection: 'close' });
    const error = await rejection(
      post(connect(connector), () => Readable.from(many(2000, () => Buffer.alloc(10_000)))),
    );
    expect(error).toBeInstanceOf(Error);
  });
});

describe('discarded responses are drained or destroyed (G8)', () => {
  const large = 'x'.repeat(200_000);
  it.each([
    ['401', (exchange: Exchange) => exchange.reply(401, large)],
    ['limits', (exchange: Exchange) => exchange.reply(403, large, { 'retry-after': '0' })],
    ['500', (exchange: Exchange) => exchange.reply(500, large)],
    ['404', (exchange: Exchange) => exchange.reply(404, large)],
    ['redirects', (exchange: Exchange) => exchange.reply(302, large, { location: '/x' })],
  ])('%s with large bodies block no connection', async (_name, refuse) => {
    const connector = await scriptedConnector({ guard: false });
    const dispatcher = new Pool(connector.url, { connections: 1 });
    onTestFinished(() => dispatcher.destroy());
    const client = connect(connector, { dispatcher });
    let turn = 0;
    connector.handle = (exchange) => (turn++ % 2 === 0 ? refuse(exchange) : ok(exchange));
    for (let round = 0; round < 10; round++) await Promise.allSettled([client.request({ method: 'GET', path: '/' })]);
    turn = 1;
    await expect(client.request({ method: 'GET', path: '/' })).resolves.toMatchObject({ status: 200 });
    expect(connector.sockets.size).toBeLessThanOrEqual(2);
  });
});

describe('data', () => {
  it.each([
    ['JSON', 'application/json', '{"a":1}', { a: 1 }],
    ['JSON with a charset', 'application/json; charset=utf-8', '[1]', [1]],
    ['JSON in capitals', 'Application/JSON', '1', 1],
    ['another JSON type', 'application/vnd.api+json', '{"a":1}', { a: 1 }],
    ['text', 'text/plain', '{"a":1}', '{"a":1}'],
    ['HTML', 'text/html', '<p>', '<p>'],
    ['text without a type', undefined, 'é', 'é'],
  ])('%s', async (_name, contentType, body, expected) => {
    const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(200, body, headers) });
    const { data } = await connect(connector).request({ method: 'GET', path: '/' });
    expect(data).toEqual(expected);
  });

  it('is undefined for a 204', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(204) });
    const answer = await connect(connector).request({ method: 'DELETE', path: '/items/1' });
    expect(answer.status).toBe(204);
    expect(answer.data).toBeUndefined();
  });

  it('comes with status and headers', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.reply(201, { id: 1 }, { location: '/items/1', 'x-a': ['1', '2'] }),
    });
    const answer = await connect(connector).request({ method: 'POST', path: '/items', json: {} });
    expect(answer).toMatchObject({ status: 201, data: { id: 1 } });
    expect(new Headers(answer.headers).get('location')).toBe('/items/1');
    expect(new Headers(answer.headers).get('x-a')).toBe('1, 2');
  });

  it.each(['get', 'post', 'put', 'patch', 'delete'] as const)('is all that client.%s returns', async (method) => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(200, { was: exchange.method }) });
    expect(await connect(connector)[method]('/items')).toEqual({ was: method.toUpperCase() });
  });
});

function cycle() {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}
