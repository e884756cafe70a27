// What a success is read as (rules D1, D3).
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { type as ark } from 'arktype';
import type { ConnectorClientOptions, StandardSchema } from 'concordat/client';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { connect } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';
import { unhandledRejections } from '../helpers/unhandled-rejections.js';
import { rejection } from '../helpers/until.js';
import { show } from '../helpers/visible.js';

const transports: [string, Partial<ConnectorClientOptions>][] = [
  ['undici', {}],
  ['fetch', { fetch: (input, init) => globalThis.fetch(input, init) }],
];
const xml = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<name>Müller</name>';
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => utf16le(text).swap16();
const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);

async function answering(
  body: unknown,
  headers: Record<string, string> = {},
  options: Partial<ConnectorClientOptions> = {},
  status = 200,
) {
  const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(status, body, headers) });
  return { connector, client: connect(connector, { retry: { retries: 0 }, ...options }) };
}
const type = (value: string) => ({ 'content-type': value });

describe.each(transports)('a success arrives as it was sent (D1), by %s', (_name, transport) => {
  it.each([
    ['bytes of an image', 'image/png', bytes, bytes],
    ['bytes of no known kind', 'application/octet-stream; charset=utf-8', bytes, bytes],
    ['nothing, of a file', 'application/pdf', '', new Uint8Array()],
    ['text in Latin-1', 'text/csv; charset=iso-8859-1', latin1('Müller;Größe'), 'Müller;Größe'],
    ['text in Windows-1252', 'text/csv; charset=windows-1252', Buffer.from([0x80, 0x31, 0x92, 0x9f, 0xff]), '€1’Ÿÿ'],
    ['text in Windows-1252 that is said to be Latin-1', 'text/csv; charset=latin1', Buffer.from([0x80]), '€'],
    ['text in UTF-8 that is said to be ASCII', 'text/plain; charset=us-ascii', 'Größe', 'Größe'],
    ['JSON in UTF-8 that is said to be ASCII', 'application/json; charset=ASCII', '{"a":"ü"}', { a: 'ü' }],
    ['a charset in single quotes', "application/json; charset='utf-8'", '{"a":"ü"}', { a: 'ü' }],
    ['text in another charset', 'text/plain; charset="Shift_JIS"', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
    ['text in UTF-16', 'text/plain; charset=utf-16le', utf16le('é€'), 'é€'],
    ['XML that names its charset', 'text/xml', latin1(xml), xml],
    ['XML in UTF-8 that names another charset', 'application/xml', xml, xml],
    ['text in UTF-16, by its mark', 'text/csv', Buffer.concat([utf16be('\ufeff'), utf16be('é€')]), 'é€'],
    ['text with a mark of UTF-8', 'text/plain', Buffer.from('\ufeffé'), 'é'],
    ['text of no type', '', 'é', 'é'],
    ['XML', 'application/xml', '<a/>', '<a/>'],
    ['another XML', 'application/atom+xml; charset=utf-8', '<a/>', '<a/>'],
    ['a form', 'application/x-www-form-urlencoded', 'a=1', 'a=1'],
    ['JSON with a mark', 'application/json', Buffer.from('\ufeff[1]'), [1]],
    ['JSON in Latin-1', 'application/json; charset=iso-8859-1', latin1('{"a":"é"}'), { a: 'é' }],
    ['JSON in UTF-16', 'application/json; charset=utf-16le', utf16le('{"a":"é"}'), { a: 'é' }],
    ['another JSON', 'application/problem+json', '{"a":1}', { a: 1 }],
  ])('%s', async (_what, contentType, body, expected) => {
    const { client } = await answering(body, contentType === '' ? {} : type(contentType), transport);
    const data = await client.get('/');
    expect(data).toEqual(expected);
    if (data instanceof Uint8Array) expect(data.buffer.byteLength).toBe(data.length); // nobody else's bytes
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['gzip, br', (text: Buffer) => brotliCompressSync(gzipSync(text))],
    ['identity', (text: Buffer) => text],
  ])('%s is unpacked', async (encoding, pack) => {
    const text = 'Größe '.repeat(1000);
    const packed = pack(Buffer.from(JSON.stringify({ text })));
    const { client } = await answering(
      packed,
      { ...type('application/json'), 'content-encoding': encoding },
      transport,
    );
    expect(await client.get('/')).toEqual({ text });
  });

  it('the body of an error is unpacked, too', async () => {
    const body = gzipSync(JSON.stringify({ errors: { code: 'ISSUE_NOT_FOUND', message: 'No issue 7' } }));
    const { client } = await answering(body, { 'content-encoding': 'gzip' }, transport, 404);
    expect(await rejection(client.get('/'))).toMatchObject({ code: 'ISSUE_NOT_FOUND', origin: 'connector' });
  });

  it('what is unpacked counts against `maxResponseBytes` (E8)', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const { client } = await answering(
      bomb,
      { 'content-encoding': 'gzip' },
      { ...transport, maxResponseBytes: 100_000 },
    );
    const error = await rejection(client.get('/'));
    expect(error.code).toBe('RESPONSE_TOO_LARGE');
    expect(error.message).toContain('`maxResponseBytes`; raise it, or read the response with `client.stream`');
  });

  it('`maxResponseBytes` may be larger than any buffer', async () => {
    const headers = { ...type('application/json'), 'content-encoding': 'gzip' };
    const options = { ...transport, maxResponseBytes: Number.MAX_SAFE_INTEGER };
    const { client } = await answering(gzipSync('{"a":1}'), headers, options);
    expect(await client.get('/')).toEqual({ a: 1 });
  });

  it('a 304 is a success where the caller gave a condition, and the connection goes on', async () => {
    const { client, connector } = await answering(undefined, { etag: '"1"' }, transport, 304);
    for (const headers of [{ 'If-None-Match': '"1"' }, { 'if-modified-since': 'Sat, 21 Nov 2026 09:00:00 GMT' }]) {
      const schema = z.object({ id: z.number() });
      const response = await client.request({ method: 'GET', path: '/', headers, schema });
      expect(response).toMatchObject({ status: 304, data: undefined });
      expect(response.headers.get('etag')).toBe('"1"');
    }
    expect(connector.requests.some(({ socket }) => socket.destroyed)).toBe(false);
    expect((await rejection(client.get('/'))).code).toBe('REDIRECT');
  });

  it('a copy of a response has its headers', async () => {
    const { client } = await answering('{}', { ...type('application/json'), etag: '"1"' }, transport);
    const response = await client.request({ method: 'GET', path: '/' });
    const { headers, ...rest } = { ...response };
    expect(headers.get('etag')).toBe('"1"');
    expect(headers).toBe(response.headers);
    expect(rest).toEqual({ status: 200, data: {} });
  });

  it.each([204, 205])('a %s has no data', async (status) => {
    const { client } = await answering(undefined, {}, transport, status);
    expect(await client.get('/')).toBeUndefined();
    expect(await client.get('/', { responseType: 'bytes' })).toBeUndefined();
  });

  it('HEAD has no data, whatever the headers say', async () => {
    const headers = { ...type('application/json'), 'content-encoding': 'gzip', 'content-length': '7' };
    const { client } = await answering(undefined, headers, transport);
    expect((await client.request({ method: 'HEAD', path: '/' })).data).toBeUndefined();
  });
});

describe('what cannot be read as it should is an error that says so (D1)', () => {
  it.each([
    ['an unknown charset', 'INVALID_TEXT', 'klingon', type('text/plain; charset=klingon'), 'x'],
    ['an unknown charset of JSON', 'INVALID_TEXT', 'klingon', type('application/json; charset=klingon'), '1'],
    ['text of another charset', 'INVALID_TEXT', 'utf-8', type('text/csv'), latin1('Größe')],
    ['JSON of another charset', 'INVALID_JSON', 'utf-8', type('application/json'), latin1('"Größe"')],
    ['text that is not ASCII', 'INVALID_TEXT', 'utf-8', type('text/csv; charset=us-ascii'), latin1('Größe')],
    ['an empty JSON', 'INVALID_JSON', 'no body', type('application/json'), ''],
    ['an unknown encoding', 'INVALID_ENCODING', '"zipper"', { 'content-encoding': 'zipper' }, 'x'],
    ['a broken encoding', 'INVALID_ENCODING', 'header', { 'content-encoding': 'gzip' }, 'no gzip at all'],
    [
      'half an encoding',
      'INVALID_ENCODING',
      'end of file',
      { 'content-encoding': 'gzip' },
      gzipSync('x'.repeat(99)).subarray(0, 20),
    ],
    ['packed all too often', 'INVALID_ENCODING', 'many', { 'content-encoding': 'gzip, gzip, gzip, gzip' }, 'x'],
  ])('%s', async (_what, code, named, headers, body) => {
    const { client, connector } = await answering(body, headers, { retry: { retries: 3 } });
    const error = await rejection(client.get('/'));
    expect(error).toMatchObject({ name: 'RequestError', code, status: 200 });
    expect(error.message).toContain(named);
    expect(connector.requests).toHaveLength(1);
  });

  it('an encoding whose name is a secret is not named (E5)', async () => {
    const headers = { 'content-encoding': 'canary-secret-1' };
    const { client } = await answering('x', headers);
    const error = await rejection(client.get('/', { headers: { authorization: 'canary-secret-1' } }));
    expect(error.code).toBe('INVALID_ENCODING');
    expect(show(error)).not.toContain('canary-secret-1');
  });

  it('a 304 that nobody asked for says so', async () => {
    const { client } = await answering(undefined, {}, {}, 304);
    expect((await rejection(client.get('/'))).message).toContain('condition');
  });

  const page = z.object({ items: z.array(z.unknown()) });
  it.each([
    ['an empty body of no type', {}, '', { schema: page }, 'neither body nor content type'],
    ['JSON of no type', {}, '{"items":[]}', { schema: page }, 'no content type'],
    ['an empty JSON', type('application/json'), '', { schema: z.unknown() }, 'body'],
    ['an empty body, asked to be JSON', type('text/plain'), '', { responseType: 'json' as const }, 'body'],
    [
      'a page for people, asked to be JSON',
      type('text/html'),
      '<html>Sign in',
      { responseType: 'json' as const },
      'JSON',
    ],
  ])('where JSON was expected: %s', async (_what, headers, body, options, reason) => {
    const { client } = await answering(body, headers);
    const error = await rejection(client.get('/', options));
    expect(error.code).toBe('INVALID_JSON');
    expect(error.message).toContain(reason);
  });
});

describe('responseType', () => {
  it.each([
    ['json', 'text/plain', '{"a":1}', { a: 1 }],
    ['json', '', '{"a":1}', { a: 1 }],
    ['text', 'application/json', '{"a":1}', '{"a":1}'],
    ['text', 'application/x-ndjson', '{}\n{}', '{}\n{}'],
    ['bytes', 'application/json', '1', new Uint8Array([0x31])],
    ['bytes', 'text/plain; charset=klingon', bytes, bytes],
  ] as const)('%s of %s', async (responseType, contentType, body, expected) => {
    const { client } = await answering(body, contentType === '' ? {} : type(contentType));
    expect(await client.get('/', { responseType })).toEqual(expected);
  });

  it('another one is a TypeError before anything is sent', async () => {
    const { client, connector } = await answering('x');
    const error = await rejection(client.get('/', { responseType: 'xml' as never }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('`responseType`');
    expect(connector.requests).toHaveLength(0);
  });
});

describe('what is asked for', () => {
  it('compressed responses if the client decompresses; a fetch asks for them itself', async () => {
    const { client, connector } = await answering('x');
    await client.get('/');
    expect(connector.logins[0]?.headers['accept-encoding']).toBe('gzip, br, deflate');
    expect(connector.requests[0]?.headers['accept-encoding']).toBe('gzip, br, deflate');
    await client.get('/', { headers: { 'accept-encoding': 'identity' } });
    expect(connector.requests[1]?.headers['accept-encoding']).toBe('identity');
  });

  it('the response of a fetch in process is decompressed, too', async () => {
    const { connector } = await answering('x');
    const fetch: typeof globalThis.fetch = async (input, init) =>
      String(input).endsWith('/initialize')
        ? globalThis.fetch(input, init)
        : new Response(gzipSync('packed'), { headers: { 'content-encoding': 'gzip', 'content-type': 'text/plain' } });
    expect(await connect(connector, { fetch }).get('/')).toBe('packed');
  });
});

describe('parseJson', () => {
  const big = '{"id":9007199254740993}';
  const parseJson = (text: string) =>
    JSON.parse(text.replace(/\d{16,}/g, '"$&n"'), (_key, value) => {
      const digits = typeof value === 'string' ? /^(\d{16,})n$/.exec(value)?.[1] : undefined;
      return digits === undefined ? value : BigInt(digits);
    });

  it('keeps big integers, which JSON.parse rounds (control)', async () => {
    const { client } = await answering(big, type('application/json'), { parseJson });
    expect(await client.get('/')).toEqual({ id: 9007199254740993n });
    const control = await answering(big, type('application/json'));
    expect(await control.client.get('/')).toEqual({ id: 9007199254740992 });
  });

  it('what it throws is INVALID_JSON with the cause', async () => {
    const cause = new RangeError('too big');
    const throwing = () => {
      throw cause;
    };
    const { client } = await answering(big, type('application/json'), { parseJson: throwing });
    expect(await rejection(client.get('/'))).toMatchObject({ code: 'INVALID_JSON', cause });
  });
});

function standard<Output>(validate: StandardSchema<Output>['~standard']['validate']): StandardSchema<Output> {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

describe('schema (D3)', () => {
  const json = type('application/json');
  it.each([
    ['zod', z.object({ id: z.coerce.string() })],
    ['zod that waits', z.object({ id: z.coerce.string() }).refine(async () => true)],
    ['a Standard Schema', standard((value) => ({ value: { id: String((value as { id: number }).id) } }))],
    ['one that waits', standard(async (value) => ({ value: { id: String((value as { id: number }).id) } }))],
    [
      'a function that is one',
      Object.assign(
        () => {},
        standard(() => ({ value: { id: '7' } })),
      ),
    ],
    ['whatever has safeParse', { safeParse: () => ({ success: true as const, data: { id: '7' } }) }],
  ])('%s', async (_what, schema) => {
    const { client } = await answering('{"id":7}', json);
    expect(await client.get('/', { schema })).toEqual({ id: '7' });
  });

  it.each([
    ['null', null],
    ['a function', () => {}],
    ['an empty object', {}],
    ['text', 'string'],
  ])('that is none is a TypeError before anything is sent: %s', async (_what, schema) => {
    const { client, connector } = await answering('{"id":7}', json);
    const error = await rejection(client.post('/', { json: {}, schema: schema as never }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('`schema`');
    expect(connector.requests).toHaveLength(0);
  });

  const thrown = new Error('the schema is broken');
  const fail = () => {
    throw thrown;
  };
  it.each<[string, never, RegExp]>([
    ['what zod refuses', z.object({ id: z.string() }) as never, /id: /],
    ['what zod refuses later', z.object({ id: z.number().refine(async () => false, 'later') }) as never, /id: later/],
    [
      'what a Standard Schema refuses',
      standard(() => ({ issues: [{ message: 'got "ada@a.example"', path: ['a', { key: 'b' }] }] })) as never,
      /a\.b: is not valid$/, // without the value, which other libraries than zod quote
    ],
    ['what it throws', standard(fail) as never, /threw/],
    ['what it rejects with', standard(async () => fail()) as never, /threw/],
    ['what a transform throws', z.unknown().transform(fail) as never, /threw/],
    [
      "valibot's result, which is not zod's",
      { safeParse: (output: unknown) => ({ success: true, output }) } as never,
      /threw/,
    ],
  ])('%s is INVALID_DATA, and the response is on the error', async (_what, schema, message) => {
    const { client } = await answering('{"id":7}', { ...json, location: '/issues/7' }, {}, 201);
    const error = await rejection(client.post('/', { json: {}, schema }));
    expect(error).toMatchObject({ name: 'RequestError', code: 'INVALID_DATA', status: 201, attempts: 1 });
    expect(error.message).toMatch(message);
    expect(error.cause).toBeInstanceOf(Error);
    expect(error.response.headers.get('location')).toBe('/issues/7');
    expect(JSON.parse(error.response.text)).toEqual({ id: 7 });
    expect(Object.keys(error)).not.toContain('response');
  });

  it('a long list in which everything is wrong leaves a hundred issues (E8)', async () => {
    const { client } = await answering(JSON.stringify(new Array(5000).fill({ id: 'x' })), json);
    const ids = z.array(z.object({ id: z.number() }));
    const error = await rejection(client.get('/', { schema: ids }));
    expect(error.message).toMatch(/and 4997 more/);
    expect(error.cause.issues).toHaveLength(100);
    const few = await rejection(client.get('/', { schema: z.array(z.unknown()).max(10) }));
    expect(few.cause).toBeInstanceOf(z.ZodError); // control
  });

  it('data that is missing is said to be missing', async () => {
    const { client } = await answering('', {}, {}, 204);
    const error = await rejection(client.delete('/', { schema: z.object({ id: z.string() }) }));
    expect(error.message).toContain('204 INVALID_DATA: the response has no body, which does not fit `schema`');
  });

  it("zod's asynchronous check runs once, and its rejection is handled", async () => {
    const unhandled = unhandledRejections();
    const check = vi.fn(async () => {
      await null;
      throw thrown;
    });
    const { client } = await answering('{"id":7}', json);
    const error = await rejection(client.get('/', { schema: z.unknown().refine(check) }));
    expect(error).toMatchObject({ code: 'INVALID_DATA', cause: thrown });
    await new Promise(setImmediate);
    expect(check).toHaveBeenCalledOnce();
    expect(unhandled).toEqual([]);
  });

  it.each<[string, never]>([
    ['valibot', v.object({ id: v.number(), tags: v.array(v.object({ name: v.number() })) }) as never],
    ['ArkType', ark({ id: 'number', tags: ark({ name: 'number' }).array() }) as never],
    ['zod 3', z3.object({ id: z3.number(), tags: z3.array(z3.object({ name: z3.enum(['a']) })) }) as never],
    ['zod', z.object({ id: z.number(), tags: z.array(z.object({ name: z.enum(['a']) })) }) as never],
  ])('the cause of %s names fields and quotes no data (S7)', async (_what, schema) => {
    const { client } = await answering('{"id":"canary-1","tags":[{"name":"canary-2"}]}', json);
    const { cause } = await rejection(client.get('/', { schema }));
    expect(cause).toBeInstanceOf(Error);
    expect(cause.issues.map(({ path }: { path: unknown }) => path)).toEqual([['id'], ['tags', 0, 'name']]);
    expect(cause.issues[0].code ?? cause.issues[0].type).toMatch(/^(invalid_type|number|domain)$/);
    expect(show(cause)).not.toContain('canary');
  });

  it('a cause that quotes a secret is left out, and so is the secret in the message', async () => {
    const { client } = await answering('{"id":7}', json);
    const schema = standard(() => {
      throw new Error('Expected number, received "session-1-canary"');
    });
    const error = await rejection(client.get('/', { schema, headers: { authorization: 'session-1-canary' } }));
    expect(error.message).not.toContain('session-1-canary');
    expect(error.cause).toBeUndefined();
  });
});

it.each(['gzip, identity', 'identity,gzip', 'gzip,'])('%s is gzip (D1)', async (encoding) => {
  const headers = { ...type('application/json'), 'content-encoding': encoding };
  const { client } = await answering(gzipSync('{"id":7}'), headers, {});
  expect(await client.get('/')).toEqual({ id: 7 });
});
