import { type FaultRule, type Recording, simulateConnector } from 'concordat/testing';
import { describe, expect, it } from 'vitest';
import { simulateInProcess, simulateOnPort } from './helpers/connect.js';

const json = { 'content-type': 'application/json' };
const bytes = { 'content-type': 'application/octet-stream' };
const recording: Recording = {
  version: 1,
  recordedAt: '2026-11-22T12:00:00.000Z',
  initialize: { path: '/login', session: ['x-token'] },
  exchanges: [
    {
      request: { method: 'GET', path: '/issues?limit=2&page=1' },
      response: { status: 200, headers: json, json: [7, 8] },
    },
    {
      request: { method: 'GET', path: '/issues/0' },
      response: { status: 404, headers: json, json: { errors: { code: 'ISSUE_NOT_FOUND', message: 'No issue 0' } } },
    },
    { request: { method: 'POST', path: '/issues', json: { title: '' } }, response: { status: 422, headers: {} } },
    {
      request: { method: 'POST', path: '/issues', json: { title: 'a' } },
      response: { status: 201, headers: {}, json: 1 },
    },
    { request: { method: 'GET', path: '/file' }, response: { status: 200, headers: bytes, base64: 'AP8Q' } },
    {
      request: { method: 'GET', path: '/note' },
      response: { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, text: 'Grüße' },
    },
  ],
};
const initialize = { path: '/login', parameters: { user: 'ada' } };

const ticket = { method: 'GET', path: '/tickets/3' };
const file = { method: 'GET', path: '/files/1' };
const fileHeaders = { ...bytes, 'accept-ranges': 'bytes', etag: '"1"' };
const conditional: Recording = {
  ...recording,
  exchanges: [
    {
      request: { ...ticket, headers: { 'If-None-Match': '"1"' } },
      response: { status: 304, headers: { etag: '"1"' } },
    },
    { request: ticket, response: { status: 200, headers: { ...json, etag: '"1"' }, json: { id: 3 } } },
    {
      request: { ...file, headers: { range: 'bytes=0-1' } },
      response: { status: 206, headers: { ...fileHeaders, 'content-range': 'bytes 0-1/6' }, base64: btoa('ab') },
    },
    { request: file, response: { status: 200, headers: fileHeaders, base64: btoa('abcdef') } },
  ],
};

describe.each([
  ['over a socket', simulateOnPort],
  ['over fetch', simulateInProcess],
])('a recording, replayed %s', (_name, simulate) => {
  it('gives what was recorded with a condition or a range only to a request with the same', async () => {
    const { client } = await simulate({ recording: conditional }, { initialize });
    const statusOf = async (path: string, headers: Record<string, string> = {}) =>
      (await client.request({ method: 'GET', path, headers, responseType: 'bytes' })).status;
    expect(await client.get('/tickets/3')).toEqual({ id: 3 });
    expect(await statusOf('/tickets/3', { 'if-none-match': '"1"' })).toBe(304);
    expect(await statusOf('/tickets/3', { 'if-none-match': '"2"' })).toBe(200);
    expect(await statusOf('/files/1')).toBe(200);
  });

  it('takes a masked value of the query for any value, unless that value was recorded', async () => {
    const exchange = (path: string, value: string) => ({
      request: { method: 'GET', path },
      response: { status: 200, headers: json, json: value },
    });
    const exchanges = [
      exchange('/q?user=[redacted]&page=1', 'masked'),
      exchange('/q?page=1&user=bob', 'of bob'),
      exchange('/r?to=%2Fa%3Fkey%3D[redacted]', 'in part'),
    ];
    const { client } = await simulate({ recording: { ...recording, exchanges } }, { initialize });
    expect(await client.get('/q?page=1&user=alice')).toBe('masked');
    expect(await client.get('/q?page=1&user=bob')).toBe('of bob');
    expect(await client.get('/r?to=%2Fa%3Fkey%3D7')).toBe('in part');
    for (const path of ['/q?page=2&user=alice', '/q?page=1', '/q?page=1&user=a&more=1', '/q?page=1&name=alice']) {
      await expect(client.get(path)).rejects.toMatchObject({ code: 'NOT_RECORDED' });
    }
  });

  it('gives parts of a file whose connector sends ranges', async () => {
    const { client } = await simulate({ recording: conditional }, { initialize });
    const part = async (headers: Record<string, string>) => {
      const request = { method: 'GET', path: '/files/1', headers, responseType: 'bytes' } as const;
      const { status, data, headers: received } = await client.request<Uint8Array>(request);
      return [status, Buffer.from(data).toString(), received.get('content-range')];
    };
    expect(await part({ range: 'bytes=0-1' })).toEqual([206, 'ab', 'bytes 0-1/6']);
    expect(await part({ range: 'bytes=4-' })).toEqual([206, 'ef', 'bytes 4-5/6']);
    expect(await part({ range: 'bytes=4-99', 'if-range': '"1"' })).toEqual([206, 'ef', 'bytes 4-5/6']);
    await expect(part({ range: 'bytes=6-' })).rejects.toMatchObject({ status: 416 });
    expect((await part({ range: 'bytes=4-', 'if-range': '"2"' })).slice(0, 2)).toEqual([200, 'abcdef']);
  });

  it('a file that breaks off is completed, as it would be by the connector', async () => {
    const faults: FaultRule[] = [{ kind: 'truncated', on: 'GET /files/1', at: [1] }];
    const { client, connector } = await simulate({ recording: conditional, faults }, { initialize });
    const { body } = await client.stream('/files/1');
    expect(await new Response(body).text()).toBe('abcdef');
    const reads = connector.journal.filter(({ path }) => path === '/files/1');
    expect(reads.map(({ status }) => status)).toEqual([200, 206]);
  });

  it('gives the recorded responses: JSON, text, bytes and errors', async () => {
    const { client } = await simulate({ recording }, { initialize });
    expect(await client.get('/issues?page=1&limit=2')).toEqual([7, 8]);
    expect(await client.get('/note')).toBe('Grüße');
    expect(await client.get('/file')).toEqual(new Uint8Array([0, 255, 16]));
    await expect(client.get('/issues/0')).rejects.toMatchObject({ kind: 'not-found', code: 'ISSUE_NOT_FOUND' });
    await expect(client.post('/issues', { json: { title: '' } })).rejects.toMatchObject({ status: 422 });
    expect((await client.request({ method: 'POST', path: '/issues', json: { title: 'a' } })).status).toBe(201);
    // Of a body that was not recorded nobody knows that it is wrong.
    expect((await client.request({ method: 'POST', path: '/issues', json: { title: 'b' } })).status).toBe(201);
  });

  it('has limits, expiry, latency and faults laid over it', async () => {
    const { clock, connector, client } = await simulate(
      {
        recording,
        rateLimit: { limit: 2, windowMs: 60_000 },
        session: { maxRequests: 1 },
        latency: 10,
        faults: [{ kind: 'status', status: 503, at: 1 }],
      },
      { initialize },
    );
    for (let call = 0; call < 3; call++) expect(await clock.runUntil(client.get('/note'))).toBe('Grüße');
    expect(clock.monotonic()).toBeGreaterThan(60_000);
    const statuses = connector.journal.filter(({ kind }) => kind === 'request').map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(new Set(statuses)).toEqual(new Set([503, 200, 401, 403]));
    expect(connector.journal[0]).toMatchObject({ kind: 'login', path: '/login' });
    expect(connector.journal.at(-1)?.headers).toHaveProperty('x-token');
  });
});

it('what was not recorded fails loudly, unless a route has it', async () => {
  const { client } = simulateInProcess({ recording, routes: { '/users': ['ada'] } }, { initialize });
  await expect(client.get('/issues?limit=3')).rejects.toMatchObject({
    status: 501,
    code: 'NOT_RECORDED',
    message: expect.stringContaining('no response to GET /issues?limit=3'),
  });
  expect(await client.get('/users')).toEqual(['ada']);
});

it('may be an imported JSON file, of which TypeScript knows less', async () => {
  const imported = {
    version: 1,
    recordedAt: '2026-01-01',
    initialize: null,
    exchanges: [
      { request: { method: 'GET', path: '/a' }, response: { status: 200, headers: { etag: '"1"' }, json: 1 } },
      { request: { method: 'GET', path: '/b' }, response: { status: 204, headers: { 'x-a': '1' } } },
    ],
  };
  expect((await simulateConnector({ recording: imported }).fetch('http://c.test/b')).status).toBe(204);
});

describe('of several responses to the same method and path, the one with the same body', () => {
  const bodies = [
    { json: { first: true } },
    { json: { a: 1, b: { c: [1, 2], d: 'x' } } },
    { json: { a: 1, b: { c: [2, 1], d: 'x' } } },
    { text: '{"query": "a", "page": 2}' },
    { text: 'a=1&b=2' },
    { text: 'b=2&a=1' },
    { json: 'null' },
    { text: '{"id":9007199254740992}' },
    { text: '{"id":9007199254740993}' },
  ];
  const exchanges = bodies.map((body, index) => ({
    request: { method: 'POST', path: '/up', ...body },
    response: { status: 200, headers: json, json: index },
  }));
  const { fetch } = simulateConnector({ recording: { ...recording, initialize: null, exchanges } });

  it.each([
    ['JSON with its members in the same order', 1, '{"a":1,"b":{"c":[1,2],"d":"x"}}'],
    ['JSON with its members in another order, at any depth', 1, '{"b":{"d":"x","c":[1,2]},"a":1}'],
    ['JSON with an array in another order', 2, '{"b":{"d":"x","c":[2,1]},"a":1}'],
    ['JSON that was recorded as text', 3, '{"page":2,"query":"a"}'],
    ['a form', 4, 'a=1&b=2'],
    ['a form in another order, which is another text', 5, 'b=2&a=1'],
    ['the text "null"', 6, '"null"'],
    ['a number that is rounded to another', 8, '{"id":9007199254740993}'],
    ['a body that was not recorded', 0, '{"a":2}'],
    ['no body', 0, undefined],
  ])('%s', async (_name, expected, body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch('http://c.test/up', { method: 'POST', headers, ...(body && { body }) });
    expect(await response.json()).toBe(expected);
  });
});

it('needs no session where none was recorded, and a test may choose otherwise', async () => {
  const open = { ...recording, initialize: null };
  expect((await simulateConnector({ recording: open }).fetch('http://c.test/note')).status).toBe(200);
  expect((await simulateConnector({ recording: open, session: {} }).fetch('http://c.test/note')).status).toBe(401);
  expect((await simulateConnector({ recording }).fetch('http://c.test/note')).status).toBe(401);
});

it.each([
  ['recording', 'recording.json'],
  ['recording.version', { ...recording, version: 2 }],
  [
    'recording.exchanges[0].response.status',
    { ...recording, exchanges: [{ ...recording.exchanges[0], response: { status: 99, headers: {} } }] },
  ],
  ['recording.exchange', { ...recording, exchange: [] }],
])('a wrong `%s` is a TypeError that names it', (name, wrong) => {
  expect(() => simulateConnector({ recording: wrong as never })).toThrow(`\`${name}\``);
});
