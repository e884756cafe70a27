// What a request is made of: query, path, headers and body (rules D1, G8).
import { openAsBlob } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { BodyOption, ConnectorClientOptions } from 'concordat/client';
import { FormData as UndiciFormData } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { version } from '../../src/client/http/request-headers.js';
import { connect, password } from '../helpers/connect.js';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection } from '../helpers/until.js';
import { leaksOf, show } from '../helpers/visible.js';

const transports: [string, Partial<ConnectorClientOptions>][] = [
  ['undici', {}],
  ['fetch', { fetch: (input, init) => globalThis.fetch(input, init) }],
];

describe('query', () => {
  class Filter {
    open = true;
  }
  const nothing: { none?: string } = {};
  it.each([
    [
      { a: 'ä &', b: 1.5, c: true, d: 10n, e: new Date(0) },
      'a=%C3%A4+%26&b=1.5&c=true&d=10&e=1970-01-01T00%3A00%3A00.000Z',
    ],
    [{ a: [1, null, 'x', undefined], b: undefined, c: null }, 'a=1&a=x'],
    [new URLSearchParams('a=1&a=2'), 'a=1&a=2'],
    [new Filter(), 'open=true'],
    [nothing, ''],
  ])('%o', async (query, expected) => {
    const connector = await scriptedConnector();
    await connect(connector).get('/', { query });
    expect(connector.requests[0]?.path).toBe(expected === '' ? '/' : `/?${expected}`);
  });

  it.each<[string, unknown, string]>([
    ['an object', { filter: { status: 'open' } }, '`query.filter`'],
    ['NaN', { page: Number.NaN }, '`query.page`'],
    ['Infinity', { page: Number.POSITIVE_INFINITY }, '`query.page`'],
    ['a Map as a value', { ids: new Map() }, '`query.ids`'],
    ['a Set as a value', { ids: new Set([1]) }, '`query.ids`'],
    ['an array in an array', { ids: [[1, 2]] }, 'holds an array in an array'],
    ['an object without a constructor', { id: Object.create(null) }, 'holds an object'],
    ['a Promise', { id: Promise.resolve(1) }, 'holds a Promise'],
    ['an invalid Date', { since: new Date('no') }, '`query.since`'],
    ['a function', { since: () => 1 }, '`query.since`'],
    ['a symbol', { since: Symbol('x') }, '`query.since`'],
    ['an empty array, which would leave it out', { id: [] }, '`query.id`'],
    ['half a character, which UTF-8 cannot carry', { name: 'a\ud83d' }, '`query.name`'],
    ['a name with half a character', { '\ude00': 1 }, '`query`'],
    ['a Map', new Map([['id', '7']]), '`query`'],
    ['a Set', new Set(['id']), '`query`'],
    ['an array', ['id'], '`query`'],
    ['text', 'id=7', '`query`'],
    ['null', null, '`query`'],
    ['a Date', new Date(), '`query`'],
  ])('that cannot be written is a TypeError before anything is sent: %s', async (_what, query, named) => {
    const connector = await scriptedConnector();
    const error = await rejection(connect(connector).delete('/issues', { query: query as object }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain(named);
    expect([...connector.logins, ...connector.requests]).toHaveLength(0);
  });
});

describe('a path', () => {
  it.each([
    ['', '/issues?page=2', '/issues?page=2'],
    ['/base/v1', '/base/v1/issues?page=2', '/base/v1/issues?page=2'],
    ['/base/v1', '/base/v1/', '/base/v1/'],
    ['', '', '/'],
    ['', '?page=2', '/?page=2'],
  ])('may be a URL below baseUrl: %s + %s', async (base, link, expected) => {
    const connector = await scriptedConnector();
    const client = connect({ url: connector.url + base });
    await client.get(connector.url + link);
    await client.get(connector.url.replace('http', 'HTTP') + link);
    expect(connector.requests.map(({ path: sent }) => sent)).toEqual([expected, expected]);
  });

  it('is joined to baseUrl where it is none, whatever it begins with', async () => {
    const connector = await scriptedConnector();
    await connect({ url: `${connector.url}/base` }).get('/base/issues');
    expect(connector.requests[0]?.path).toBe('/base/base/issues');
  });

  it.each([
    'http://elsewhere.example/base/issues',
    'https://HOST/base/issues',
    'http://HOST/issues',
    'http://HOST/basement',
    'http://user:secret@HOST/base/issues',
    'http://HOST@elsewhere.example/base/issues',
    'http://HOST\\@elsewhere.example/base/issues',
    'http://HOST/base/../issues',
    'http://HOST/base/%2e%2e/issues',
    '//elsewhere.example/base/issues#x',
  ])('that leads elsewhere is a TypeError: %s', async (link) => {
    const connector = await scriptedConnector();
    const client = connect({ url: `${connector.url}/base` });
    const error = await rejection(client.get(link.replace('HOST', connector.url.slice('http://'.length))));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).not.toContain('secret');
    expect([...connector.logins, ...connector.requests]).toHaveLength(0);
  });
});

it('a path with half a character is a TypeError: UTF-8 cannot carry it (D1)', async () => {
  const connector = await scriptedConnector();
  const error = await rejection(connect(connector).get('/files/\ud83d.png'));
  expect(error).toBeInstanceOf(TypeError);
  expect(error.message).toContain('`path`');
  expect([...connector.logins, ...connector.requests]).toHaveLength(0);
});

describe('headers of the client', () => {
  it('go with every request; a call has its own, and the session wins', async () => {
    const connector = await scriptedConnector();
    const headers = { 'X-Tenant': 'a', 'x-session': 'mine', 'X-None': undefined };
    const client = connect(connector, { headers, cleanup: {} });
    await client.get('/');
    await client.get('/', { headers: { 'x-tenant': 'b' } });
    await client.close();
    const all = [...connector.logins, ...connector.requests].map((exchange) => exchange.headers);
    expect(all.map((sent) => sent['x-tenant'])).toEqual(['a', 'a', 'b', 'a']);
    expect(all.map((sent) => sent['x-session'])).toEqual(['mine', 'session-1', 'session-1', 'session-1']);
    expect(all.map((sent) => sent['user-agent'])).toEqual(Array(4).fill(`concordat/${version}`));
    expect(all[0]).not.toHaveProperty('x-none');
  });

  it('may name the service; credentials among them are shown nowhere', async () => {
    const handle = (exchange: Exchange) => exchange.fail(400, 'NO', `not ${exchange.headers.authorization}`);
    const connector = await scriptedConnector({ handle });
    const headers = new Headers({ 'user-agent': 'sync/2', authorization: 'Bearer canary-token-1' });
    const error = await rejection(connect(connector, { headers }).get('/'));
    expect(connector.requests[0]?.headers['user-agent']).toBe('sync/2');
    expect(leaksOf(['canary-token-1'], show(error))).toEqual([]);
    connector.initialize = (exchange) => exchange.fail(400, 'NO', `not ${exchange.headers.authorization}`);
    const refused = await rejection(connect(connector, { headers }).get('/'));
    expect(refused.name).toBe('InitializeError');
    expect(leaksOf(['canary-token-1', password], show(refused))).toEqual([]);
  });

  it.each([[{ host: 'x' }], [{ 'x y': '1' }], [{ a: 'ö€' }], [['a', 'b']], ['a: b']])(
    'that cannot be sent are a TypeError at creation: %j',
    (headers) => {
      expect(() => connect({ url: 'http://127.0.0.1:1' }, { headers: headers as never })).toThrow(/`headers/);
    },
  );

  it('the version is the package’s', async () => {
    const file = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
    expect(version).toBe(JSON.parse(file).version);
  });
});

describe.each(transports)('bodies, by %s', (_name, transport) => {
  /** Sends it to a connector whose session has ended, so that it goes out twice where it can. */
  async function send(body: BodyOption, headers: Record<string, string> = {}) {
    const connector = await scriptedConnector();
    const client = connect(connector, transport);
    await client.get('/');
    connector.expireSessions();
    const outcome = (await client.post('/', { body, headers }).catch((error) => error)) as Error;
    return { outcome, sent: connector.requests.slice(1) };
  }
  async function* generate() {
    yield 'one, ';
    yield Buffer.from('twö');
  }
  const bytes = Buffer.from(Uint8Array.from({ length: 100_000 }, (_, index) => index % 251));

  it('URLSearchParams: a form', async () => {
    const { sent } = await send(new URLSearchParams({ a: 'ö', b: '1 2' }));
    expect(sent.map(({ body }) => String(body))).toEqual(['a=%C3%B6&b=1+2', 'a=%C3%B6&b=1+2']);
    expect(sent[1]?.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
      'content-length': '14',
    });
  });

  it('Blob: with its type and length', async () => {
    const { sent } = await send(new Blob([bytes], { type: 'image/png' }));
    expect(sent.map(({ body }) => body.equals(bytes))).toEqual([true, true]);
    expect(sent[1]?.headers).toMatchObject({ 'content-type': 'image/png', 'content-length': '100000' });
  });

  it('an empty Blob', async () => {
    const { sent } = await send(new Blob([]));
    expect(sent.map(({ body }) => body.length)).toEqual([0, 0]);
    expect(sent[1]?.headers).toMatchObject({ 'content-length': '0' });
  });

  it.each([
    ['FormData', FormData],
    ["undici's FormData", UndiciFormData as unknown as typeof FormData],
  ])('%s: fields and files, with the length of it all', async (_name, Form) => {
    const form = new Form();
    form.append('title', 'Größe\nzwei');
    form.append('photo "1"', new File([bytes], 'a"b\n.png', { type: 'image/png' }));
    form.append('photo "1"', new Blob(['x']), 'x.bin');
    const { sent } = await send(form);
    expect(sent).toHaveLength(2);
    for (const { body, headers } of sent) {
      expect(headers['content-length']).toBe(String(body.length));
      const read = await new Response(new Uint8Array(body), { headers: headers as Record<string, string> }).formData();
      expect([...read.keys()]).toEqual(['title', 'photo "1"', 'photo "1"']);
      expect(read.get('title')).toBe('Größe\nzwei');
      const [file, other] = read.getAll('photo "1"') as File[];
      expect([file?.name, file?.type, other?.name]).toEqual(['a"b\n.png', 'image/png', 'x.bin']);
      expect(Buffer.from((await file?.arrayBuffer()) as ArrayBuffer).equals(bytes)).toBe(true);
    }
  });

  it('a file, by openAsBlob', async () => {
    const file = path.join(tmpdir(), `concordat-${process.pid}-${Math.random()}.bin`);
    await writeFile(file, bytes);
    onTestFinished(() => rm(file));
    const { sent } = await send(await openAsBlob(file));
    expect(sent.map(({ body }) => body.equals(bytes))).toEqual([true, true]);
  });

  it('an async iterable from a factory is sent again; text in it is UTF-8', async () => {
    const { sent } = await send(generate);
    expect(sent.map(({ body }) => String(body))).toEqual(['one, twö', 'one, twö']);
  });

  it('an async iterable by itself is used up, and the error says so (G8)', async () => {
    const { outcome, sent } = await send(generate());
    expect(outcome.message).toContain('factory');
    expect(sent.map(({ body }) => String(body))).toEqual(['one, twö']);
  });

  it.each<[string, (part: Buffer) => BodyOption]>([
    ['a DataView', ({ buffer, byteOffset, length }) => new DataView(buffer, byteOffset, length)],
    ['a Uint16Array', (part) => new Uint16Array(new Uint8Array(part).buffer)],
    [
      'one from a factory',
      ({ buffer, byteOffset, length }) =>
        () =>
          new DataView(buffer, byteOffset, length),
    ],
  ])('bytes in any view of a buffer: %s', async (_what, make) => {
    const part = bytes.subarray(10, 20);
    const { sent } = await send(make(part));
    expect(sent.map(({ body }) => body.equals(part))).toEqual([true, true]);
    expect(sent[1]?.headers).toMatchObject({ 'content-type': 'application/octet-stream', 'content-length': '10' });
  });

  it.each<[string, BodyOption]>([
    ['a Buffer', Buffer.from('twö')],
    ['text', 'twö'],
    ['a Blob', new Blob(['twö'])],
  ])('of which the caller says the right length: %s', async (_what, body) => {
    const { sent } = await send(body, { 'Content-Length': '4' });
    expect(sent.map((each) => String(each.body))).toEqual(['twö', 'twö']);
    expect(sent[1]?.headers).toMatchObject({ 'content-length': '4' });
  });

  it('of a stream whose length is given', async () => {
    const { sent } = await send(() => Readable.from([bytes]), { 'Content-Length': '100000' });
    expect(sent.map(({ body }) => body.equals(bytes))).toEqual([true, true]);
    expect(sent[1]?.headers).toMatchObject({ 'content-length': '100000' });
    expect(sent[1]?.headers).not.toHaveProperty('transfer-encoding');
  });

  it.each<[string, () => BodyOption]>([
    ['a stream of objects', () => () => Readable.from([{ a: 1 }])],
    ['a stream that breaks', () => () => Readable.from(breaking())],
    ['a generator that throws', () => breaking],
    [
      'a web stream that errors',
      () => () => new ReadableStream({ pull: (c) => c.error(new Error('the disk is gone')) }),
    ],
  ])('that fail are final, with a code of their own: %s', async (_what, make) => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(200, 'ok') });
    const client = connect(connector, transport);
    const error = await rejection(client.put('/', { body: make() }));
    expect(error).toMatchObject({ name: 'RequestError', code: 'BODY_FAILED', attempts: 1 });
    expect(error.message).toContain('`body`');
    expect(error.cause).toBeInstanceOf(Error);
    expect(client.status.counters.retries).toBe(0);
  });

  async function* breaking() {
    yield 'x';
    throw new Error('the disk is gone');
  }
});

describe('bodies that cannot be sent as said', () => {
  it('a stream of another length than it was given', async () => {
    const connector = await scriptedConnector();
    const headers = { 'content-length': '5' };
    const error = await rejection(connect(connector).put('/', { body: () => Readable.from(['x']), headers }));
    expect(error).toMatchObject({ code: 'BODY_FAILED', attempts: 1 });
  });

  it.each<[string, BodyOption | undefined, string, string]>([
    ['text', 'ö', '1', '"content-length" is 1, but the length of the body is 2; leave it out.'],
    ['nothing', undefined, '1', '"content-length" is 1, but the length of the body is 0; leave it out.'],
    ['a Blob', new Blob(['x']), '2', '"content-length" is 2, but the length of the body is 1; leave it out.'],
    ['a stream, and it is no number', () => Readable.from(['x']), '-1', 'must be a number of bytes, in digits.'],
  ])('content-length is refused if wrong for %s', async (_what, body, length, message) => {
    const connector = await scriptedConnector();
    const options = { ...(body === undefined ? {} : { body }), headers: { 'content-length': length } };
    const error = await rejection(connect(connector).post('/', options));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain(message);
    expect(connector.requests).toHaveLength(0);
  });

  it('a header that is null is named, with what to do', async () => {
    const connector = await scriptedConnector();
    const headers = { 'x-trace': null } as unknown as Record<string, string>;
    const hint = '`headers`: the value of "x-trace" is not a string; leave it out, or pass undefined.';
    expect((await rejection(connect(connector).get('/', { headers }))).message).toBe(hint);
    expect((await rejection(connect(connector).stream('/', { headers }))).message).toBe(hint);
    expect(() => connect(connector, { headers })).toThrow(hint);
  });
});
