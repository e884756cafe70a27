import { gzipSync } from 'node:zlib';
import { readJson, readQuery } from 'concordat/connector';
import { Hono } from 'hono';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { errorsOf, send, sendBytes } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

const issue = z.object({ title: z.string().min(1), labels: z.array(z.string()).default([]) });

function connectorThatReads() {
  const connector = makeConnector({ maxBodyBytes: 1_000 });
  connector.post('/checked', async (c) => c.json(await readJson(c, issue)));
  connector.post('/plain', async (c) => c.json(await c.req.json()));
  connector.post('/parsed', async (c) => c.json(issue.parse(await c.req.json())));
  connector.post('/text', async (c) => c.text(await c.req.text()));
  connector.get('/query', async (c) =>
    c.json(await readQuery(c, z.object({ page: z.coerce.number().int(), label: z.array(z.string()).optional() }))),
  );
  return connector;
}

const post = (url: string, path: string, body: string | undefined) =>
  send(url, { method: 'POST', path, headers: withToken, body });

test('readJson gives what the schema makes of the body', async () => {
  const answer = await post(await start(connectorThatReads()), '/checked', '{"title":"New","more":1}');
  expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { title: 'New', labels: [] }]);
});

test.each([
  ['a missing field', '{}', 'The request body is not valid: title: Invalid input: expected string, received undefined'],
  [
    'a field deep inside',
    '{"title":"x","labels":["a",7]}',
    'The request body is not valid: labels.1: Invalid input: expected string, received number',
  ],
  ['no object', '[]', 'The request body is not valid: Invalid input: expected object, received array'],
  ['broken JSON', '{"title"', 'The request body is not valid JSON.'],
  ['nothing', undefined, 'The request body is empty; it must be JSON.'],
])('readJson answers %s with a 400 that names it', async (_what, body, message) => {
  const answer = await post(await start(connectorThatReads()), '/checked', body);
  expect([answer.status, errorsOf(answer)]).toEqual([400, { code: 'BAD_REQUEST', message }]);
});

test('readJson names the values that are expected; what the validator says is the cause', async () => {
  const onError = vi.fn();
  const connector = makeConnector({ onError });
  connector.post('/', async (c) => c.json(await readJson(c, z.object({ state: z.enum(['open', 'closed']) }))));
  const answer = await post(await start(connector), '/', '{"state":"gone"}');
  expect(errorsOf(answer).message).toMatch(/: state: .*expected one of "open"\|"closed"$/);
  expect(onError.mock.calls[0]?.[0]).toHaveProperty('cause.issues.0.path', ['state']);
});

test.each(['/checked', '/initialize'])(
  'bytes that are not UTF-8 are no other text but a 400, at %s (D1)',
  async (path) => {
    const connector = connectorThatReads();
    const body = Buffer.from('{"title":"Gr\xfc\xdfe","user":"M\xfcller","password":"gr\xfc\xdfe"}', 'latin1');
    const answer = await connector.request(path, { method: 'POST', headers: withToken, body });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { errors: { code: 'BAD_REQUEST', message: 'The request body is not valid UTF-8.' } },
    ]);
    const control = Buffer.from(`\ufeff${body.toString('latin1')}`);
    expect((await connector.request(path, { method: 'POST', headers: withToken, body: control })).status).toBe(200);
  },
);

test('many invalid fields are one line of the first ten', async () => {
  const connector = makeConnector();
  const fields = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`f${index}`, z.string()]));
  connector.post('/many', async (c) => c.json(await readJson(c, z.object(fields))));
  const { message } = errorsOf(await post(await start(connector), '/many', '{}'));
  expect(message).toMatch(/f9: .*; and 5 more$/);
  expect(message).not.toContain('f10');
});

test('readQuery checks the query, repeated names being an array', async () => {
  const url = await start(connectorThatReads());
  const ask = (path: string) => send(url, { path, headers: withToken });
  expect(JSON.parse((await ask('/query?page=2&label=a&label=b')).body)).toEqual({ page: 2, label: ['a', 'b'] });
  const answer = await ask('/query?page=two');
  expect([answer.status, errorsOf(answer).message]).toEqual([
    400,
    'The query is not valid: page: Invalid input: expected number, received NaN',
  ]);
});

test('a name that is given once is an array where the schema wants one', async () => {
  const connector = makeConnector();
  const query = z.object({
    tag: z.array(z.string()),
    label: z.array(z.string().max(3)).optional(),
    either: z.union([z.string(), z.array(z.string())]).optional(),
    page: z.coerce.number().default(1),
    name: z.string().min(2).optional(),
    filter: z
      .string()
      .transform((text) => JSON.parse(text))
      .pipe(z.object({ ids: z.array(z.number()) }))
      .optional(),
  });
  connector.get('/', async (c) => c.json(await readQuery(c, query)));
  const url = await start(connector);
  const ask = (path: string) => send(url, { path, headers: withToken });
  expect(JSON.parse((await ask('/?tag=a&label=b&either=c')).body)).toEqual({
    tag: ['a'],
    label: ['b'],
    either: 'c',
    page: 1,
  });
  expect(JSON.parse((await ask('/?tag=a&tag=b')).body)).toEqual({ tag: ['a', 'b'], page: 1 });
  expect(errorsOf(await ask('/?tag=a&label=long')).message).toContain('label.0: ');
  expect(errorsOf(await ask('/')).message).toBe(
    'The query is not valid: tag: Invalid input: expected array, received undefined',
  );
  expect(errorsOf(await ask('/?tag=a&page=1&page=2')).message).toContain('page: ');
  // Nothing else becomes one.
  expect(errorsOf(await ask('/?tag=a&name=x')).message).toContain('name: Too small: expected string');
  expect(errorsOf(await ask('/?tag=a&filter={"ids":7}')).message).toContain(
    'filter.ids: Invalid input: expected array',
  );
});

test('readJson and readQuery work in any Hono app', async () => {
  const app = new Hono();
  app.onError((error) => new Response(`${error.name}: ${error.message}`, { status: 499 }));
  app.post('/', async (c) => c.json(await readJson(c, issue)));
  expect(await (await app.request('/', { method: 'POST', body: '{}' })).text()).toMatch(/^BadRequestError: .*title/);
});

test('broken JSON is a 400 for a plain c.req.json() too', async () => {
  const url = await start(connectorThatReads());
  const answer = await post(url, '/plain', '{"a');
  expect([answer.status, errorsOf(answer).message]).toEqual([400, 'The request body is not valid JSON.']);
  expect((await post(url, '/plain', '{"a":1}')).body).toBe('{"a":1}');
});

test.each(['/checked', '/plain', '/initialize'])('a compressed body is a 400 that says so, at %s', async (path) => {
  const ask = (body: string | Uint8Array<ArrayBuffer>, encoding: string) =>
    connectorThatReads().request(path, {
      method: 'POST',
      headers: { ...withToken, 'content-encoding': encoding },
      body,
    });
  const json = '{"title":"New","user":"ada","password":"secret"}';
  const answer = await ask(gzipSync(json), 'gzip');
  expect([answer.status, await answer.json()]).toEqual([
    400,
    { errors: { code: 'BAD_REQUEST', message: 'The content-encoding of the request body is not supported.' } },
  ]);
  expect([(await ask(json, 'identity')).status, (await ask(json, 'gzip')).status]).toEqual([200, 200]); // decompressed by a proxy
});

test.each(['application/x-www-form-urlencoded', 'multipart/form-data'])(
  'a form where JSON is expected is a 400 that names its type: %s',
  async (type) => {
    const url = await start(connectorThatReads());
    for (const path of ['/checked', '/plain', '/initialize']) {
      const headers = { ...withToken, 'content-type': `${type}; charset=utf-8` };
      const answer = await send(url, { method: 'POST', path, headers, body: 'title=New' });
      expect([answer.status, errorsOf(answer).message]).toEqual([
        400,
        `The request body is not valid JSON; its content type is ${type}.`,
      ]);
    }
  },
);

test('a SyntaxError of the author’s own code stays a 500, though the body is no JSON either (E4)', async () => {
  const connector = makeConnector();
  connector.post('/', async (c) => {
    await c.req.text();
    return c.json(JSON.parse('{own'));
  });
  const answer = await post(await start(connector), '/', 'no JSON');
  expect([answer.status, errorsOf(answer).code]).toEqual([500, 'INTERNAL_ERROR']);
});

test.each([
  ['multipart/form-data; boundary=x', 'no parts'],
  ['multipart/form-data', '--x--'],
  ['application/json', '{}'],
])('a body of the type %s that is no form is a 400 for a handler that reads one', async (type, body) => {
  const connector = makeConnector();
  connector.post('/form', async (c) => c.json([...(await c.req.formData()).keys()]));
  connector.post('/parsed', async (c) => c.json(await c.req.parseBody()));
  connector.post('/other', async (c) => {
    await c.req.text();
    return c.json(await new Response(body, { headers: { 'content-type': type } }).formData()); // not the request's
  });
  const url = await start(connector);
  const ask = (path: string) =>
    send(url, { method: 'POST', path, headers: { ...withToken, 'content-type': type }, body });
  const answer = await ask('/form');
  expect([answer.status, errorsOf(answer).message]).toEqual([400, 'The request body is not a valid form.']);
  // Hono takes another type for an empty form.
  expect((await ask('/parsed')).status).toBe(type === 'application/json' ? 200 : 400);
  expect((await ask('/other')).status).toBe(500);
});

test("a ZodError of the author's own code stays a 500 (E4)", async () => {
  const answer = await post(await start(connectorThatReads()), '/parsed', '{}');
  expect([answer.status, errorsOf(answer).code]).toEqual([500, 'INTERNAL_ERROR']);
});

test.each(['with its length', 'in chunks'])('a body that is too large, sent %s, is a 413', async (how) => {
  const url = await start(connectorThatReads());
  const { hostname } = new URL(url);
  const request = (size: number) => {
    const body = 'x'.repeat(size);
    const framing =
      how === 'in chunks'
        ? ['transfer-encoding: chunked', '', `${size.toString(16)}`, body, '0', '', '']
        : [`content-length: ${size}`, '', body];
    const head = ['POST /text HTTP/1.1', `host: ${hostname}`, 'x-token: abc', 'connection: close'];
    return sendBytes(url, [...head, ...framing].join('\r\n'));
  };
  const tooLarge = await request(1_001);
  expect(tooLarge).toMatch(/^HTTP\/1.1 413 /);
  expect(tooLarge).toContain('{"errors":{"code":"PAYLOAD_TOO_LARGE","message":');
  const fits = await request(1_000);
  expect(fits).toMatch(/^HTTP\/1.1 200 /);
  expect(fits).toContain('x'.repeat(1_000));
});

test('initialize has the same limit, before there is any session', async () => {
  const url = await start(connectorThatReads());
  const answer = await send(url, {
    method: 'POST',
    path: '/initialize',
    body: JSON.stringify({ user: 'x'.repeat(1_000) }),
  });
  expect([answer.status, errorsOf(answer).code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
});
