import { gzipSync } from 'node:zlib';
import { Agent, DecoratorHandler, type Dispatcher } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../helpers/connect.js';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection } from '../helpers/until.js';

const answering = async (status: number, body: unknown, headers: Record<string, string>) =>
  connect(await scriptedConnector({ handle: (exchange) => exchange.reply(status, body, headers) }));

it('a request says that it would rather have JSON, unless the caller says otherwise', async () => {
  const connector = await scriptedConnector();
  const client = connect(connector);
  await client.get('/');
  await client.get('/', { headers: { Accept: 'text/csv' } });
  expect(connector.requests.map(({ headers }) => headers.accept)).toEqual(['application/json, */*;q=0.5', 'text/csv']);
});

it('a body may be compressed three times', async () => {
  const packed = gzipSync(gzipSync(gzipSync('{"a":1}')));
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip, gzip, gzip' };
  expect(await (await answering(200, packed, headers)).get('/')).toEqual({ a: 1 });
});

it('a charset that is said twice is read', async () => {
  const headers = { 'content-type': ['application/json; charset=utf-8', 'application/json; charset=utf-8'] };
  expect(await (await answering(200, '{"a":1}', headers as never)).get('/')).toEqual({ a: 1 });
});

it('a header that an older undici has read in the wrong charset keeps neither response nor stream', async () => {
  const connector = await scriptedConnector({ handle: ({ reply }) => reply(200, 'text', { 'x-name': 'M' }) });
  const older = new Agent().compose((dispatch) => (options, handler) => {
    const changed = new DecoratorHandler(handler) as Dispatcher.DispatchHandler;
    changed.onResponseStart = (controller, status, headers, message) =>
      handler.onResponseStart?.(controller, status, { ...headers, 'x-name': 'M\ufffdller' }, message);
    return dispatch(options, changed);
  });
  onTestFinished(() => older.close());
  const client = connect(connector, { dispatcher: older });
  expect((await client.request({ method: 'GET', path: '/' })).headers.get('x-name')).toBe('M?ller');
  expect((await client.stream('/')).headers.get('x-name')).toBe('M?ller');
});

const bigEndian = Buffer.from([0xfe, 0xff, 0x00, 0x41]);

it.each([
  ['decides the order of UTF-16', 'text/plain; charset=utf-16', 'A'],
  ['does not decide where another charset is told', 'text/plain; charset=utf-16le', '\ufffe\u4100'],
])('a byte order mark %s', async (_what, type, expected) => {
  expect(await (await answering(200, bigEndian, { 'content-type': type })).get('/')).toBe(expected);
});

it.each([
  [206, 'a part that was not requested', { 'content-range': 'bytes 0-3/9' }],
  [600, 'HTTP has no such status', {}],
])('a status of %d is said to be wrong in its own words', async (status, words, headers) => {
  const client = await answering(status, 'text', headers);
  expect((await rejection(client.get('/'))).message).toContain(words);
});

describe('a part of a file that the caller has asked for (D1)', () => {
  const get = async (range: string, contentRange: string) => {
    const client = await answering(206, 'part', { 'content-type': 'text/plain', 'content-range': contentRange });
    return client.get('/', { headers: { range } });
  };

  it.each([
    ['bytes=5-', 'bytes 5-8/9'],
    ['bytes=5-8', 'bytes 5-8/*'],
    ['bytes=5-100', 'bytes 5-8/9'],
    ['bytes=-4', 'bytes 5-8/9'],
    ['bytes=0-1,5-6', 'bytes 0-6/9'],
    ['lines=5-', 'lines 6-9/9'],
  ])('%s may be answered with %s', async (range, contentRange) => {
    expect(await get(range, contentRange)).toBe('part');
  });

  it('must not begin elsewhere: appended to what the caller has, it would spoil the file', async () => {
    const error = await rejection(get('bytes=5-', 'bytes 0-3/9'));
    expect(error).toMatchObject({ code: 'UNEXPECTED_STATUS', status: 206 });
    expect(error.message).toContain('a part that was not requested');
  });
});

describe('what a stream gets for the rest of a broken body (D2)', () => {
  const content = Buffer.alloc(300_000, 'abcdefg');
  const cut = 100_000;

  /** Reads a file whose first response breaks off, and whose rest is sent by `respond`. */
  async function readRest(respond: (exchange: Exchange, from: number) => void) {
    const connector = await scriptedConnector({
      handle: (exchange) => {
        const { headers, response } = exchange;
        if (headers.range !== undefined) return respond(exchange, Number(/\d+/.exec(headers.range)));
        response.writeHead(200, { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': content.length });
        response.write(content.subarray(0, cut), () => response.destroy());
      },
    });
    const { body } = await connect(connector, { retry: { retries: 0 } }).stream('/file');
    return new Response(body).arrayBuffer();
  }
  const reply = (status: number, rangeOf: (from: number) => string, extra = Buffer.alloc(0)) =>
    readRest(({ response }, from) => {
      const head = {
        etag: '"v1"',
        'content-range': rangeOf(from),
        'content-length': content.length - from + extra.length,
      };
      response.writeHead(status, head).end(Buffer.concat([content.subarray(from), extra]));
    });
  const range = (from: number) => `bytes ${from}-${content.length - 1}/${content.length}`;

  it('is taken where it fits', async () => {
    expect(Buffer.from(await reply(206, range)).equals(content)).toBe(true);
  });

  it.each([
    ['is of a longer file', () => reply(206, (from) => `bytes ${from}-${content.length - 1}/${content.length + 1}`)],
    ['begins elsewhere', () => reply(206, (from) => `bytes ${from - 1}-${content.length - 1}/${content.length}`)],
    ['is no part, whatever its header says', () => reply(200, range)],
    ['is longer than it says', () => reply(206, range, Buffer.from('more'))],
  ])('is refused where it %s', async (_what, read) => {
    expect(await rejection(read())).toMatchObject({ code: 'NETWORK_ERROR' });
  });
});
