import { Readable } from 'node:stream';
import { ConnectorError, isConnectorError, RateLimitError } from 'concordat';
import { endSystemFetch, limitBody, readResponse, serve } from 'concordat/connector';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { endSystem, type Reply } from './support/end-system.js';
import { errorsOf, send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

type Options = Parameters<typeof endSystemFetch>[0];

async function failureOf(reply: Reply, options?: Options): Promise<ConnectorError> {
  const url = await endSystem(reply);
  const error = await endSystemFetch(options)(`${url}/issues/7?token=canary`).then(
    () => undefined,
    (thrown) => thrown,
  );
  if (!isConnectorError(error)) throw new Error(`expected a ConnectorError, got ${String(error)}`);
  return error;
}

async function* failing() {
  yield Buffer.from('a');
  throw new RangeError('cannot decrypt');
}

const said = { code: 'E_42', message: 'The end system says no', extra: [1] };

describe('without a preset', () => {
  test.each([
    [400, 'bad-request', 400, 'BAD_REQUEST'],
    [401, 'unauthorized', 401, 'UNAUTHORIZED'],
    [402, 'other', 402, 'CONNECTOR_ERROR'],
    [403, 'forbidden', 403, 'FORBIDDEN'],
    [404, 'not-found', 404, 'NOT_FOUND'],
    [408, 'other', 504, 'CONNECTOR_ERROR'],
    [409, 'bad-request', 400, 'CONFLICT'],
    [410, 'not-found', 404, 'NOT_FOUND'],
    [418, 'other', 418, 'CONNECTOR_ERROR'],
    [422, 'bad-request', 400, 'BAD_REQUEST'],
    [500, 'other', 502, 'CONNECTOR_ERROR'],
    [503, 'other', 503, 'CONNECTOR_ERROR'],
    [504, 'other', 504, 'CONNECTOR_ERROR'],
    [529, 'other', 503, 'CONNECTOR_ERROR'],
  ])('%d is %s, status %d (E2)', async (status, kind, ours, code) => {
    const error = await failureOf({ status, body: said });
    expect(error).toMatchObject({ kind, status: ours, code: 'E_42', message: 'The end system says no' });
    expect(error.detail).toBe(JSON.stringify(said));
    const silent = await failureOf({ status });
    expect(silent).toMatchObject({ kind, status: ours, code });
    expect(silent.detail).toBeUndefined();
  });

  test('a 416 that is passed on says how long the file is (RFC 9110, 15.5.17)', async () => {
    const reply: Reply = { status: 416, headers: { 'content-range': 'bytes */1234' } };
    const connector = makeConnector();
    const url = await endSystem(reply);
    connector.get('/file', () => endSystemFetch()(url, { headers: { range: 'bytes=9999-' } }));
    const response = await send(await start(connector), { path: '/file', headers: withToken });
    expect([response.status, response.headers['content-range']]).toEqual([416, 'bytes */1234']);
    const missing = await failureOf({ ...reply, status: 404 });
    expect(missing.headers).toBeUndefined();
  });

  test('an upload that exceeds `limitBody` on its way through is no failure of the end system', async () => {
    const heard: unknown[] = [];
    const connector = makeConnector({ onError: (error) => void heard.push(error) });
    const url = await endSystem({ status: 200, body: {} });
    connector.post('/files', limitBody(1_000), (c) =>
      endSystemFetch()(url, { method: 'POST', body: c.req.raw.body, duplex: 'half' } as RequestInit),
    );
    const headers = { ...withToken, 'transfer-encoding': 'chunked' };
    const body = 'x'.repeat(200_000);
    const response = await send(await start(connector), { method: 'POST', path: '/files', headers, body });
    expect([response.status, errorsOf(response).code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(heard).toMatchObject([{ status: 413, code: 'PAYLOAD_TOO_LARGE' }]);
  });

  test('an own fetch that throws a contract error has said what failed', async () => {
    const own = new ConnectorError('No disk left.', { status: 507, code: 'FULL' });
    const call = endSystemFetch({ fetch: () => Promise.reject(own) })('https://end-system.example/');
    await expect(call).rejects.toBe(own);
  });

  test('a success is returned as it is', async () => {
    const url = await endSystem({ status: 201, body: said });
    const response = await endSystemFetch()(url);
    expect([response.status, await response.json()]).toEqual([201, said]);
  });

  test.each([
    [{ code: 42, message: 'm' }, '42', 'm'],
    [{ error: { code: 'NESTED', message: 'deep' } }, 'NESTED', 'deep'],
    [{ errors: [{ code: 'FIRST', message: 'of many' }] }, 'FIRST', 'of many'],
    [{ code: '', message: ['one', ' ', 'two'] }, 'NOT_FOUND', 'one; two'],
    [{ error: 'not_found', error_description: 'No such thing' }, 'not_found', 'No such thing'],
    ['Rate plan is gone\n', 'NOT_FOUND', 'Rate plan is gone'],
    [['Name is required', 'Key is taken'], 'NOT_FOUND', 'Name is required; Key is taken'],
    ['x'.repeat(200), 'NOT_FOUND', 'x'.repeat(200)],
  ])('code and message of %j are passed on (E3)', async (body, code, message) => {
    expect(await failureOf({ status: 404, body })).toMatchObject({ code, message });
  });

  test.each([
    ['HTML', '<html><h1>502 Bad Gateway</h1></html>'],
    ['nothing', undefined],
    ['JSON that is null', null],
    ['a message that is no text', { message: { deep: 1 } }],
    ['a long text', 'x'.repeat(201)],
  ])('%s gives a message with the call, without its query', async (_what, body) => {
    const error = await failureOf({ status: 500, body });
    expect(error.message).toMatch(/^GET \/issues\/7: the end system responded with 500 Internal Server Error\.$/);
    expect(error.code).toBe('CONNECTOR_ERROR');
  });

  test.each([
    ['Retry-After', { 'retry-after': '30' }, 30_000],
    ['a Retry-After with decimals', { 'retry-after': '2.5' }, 2_500],
    ['an unreadable Retry-After', { 'retry-after': 'soon' }, 60_000],
    ['an empty quota with a reset in seconds', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '17' }, 17_000],
    ['an empty quota without a reset', { 'ratelimit-remaining': '0' }, 60_000],
    ['a limit that says "now"', { 'retry-after': '0' }, 1_000],
  ])('a 403 with %s is a limit (W2)', async (_what, headers, retryAfterMs) => {
    const error = await failureOf({ status: 403, headers, body: said });
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ kind: 'rate-limit', status: 403, code: 'E_42', retryAfterMs });
  });

  test('a 403 with quota left is a denial (W2)', async () => {
    const headers = { 'x-ratelimit-remaining': '10', 'x-ratelimit-reset': '17' };
    expect((await failureOf({ status: 403, headers })).kind).toBe('forbidden');
  });

  test.each([
    [429, {}, 60_000],
    [429, { 'retry-after': '7' }, 7_000],
    [429, { 'ratelimit-reset': '7' }, 7_000],
    [503, { 'retry-after': '7' }, 7_000],
  ])('%d with %j is a limit (W3)', async (status, headers, retryAfterMs) => {
    expect(await failureOf({ status, headers })).toMatchObject({ kind: 'rate-limit', status: 403, retryAfterMs });
  });

  test("a time is measured by the end system's own clock (W5)", async () => {
    const date = 'Tue, 01 Jan 2030 00:00:00 GMT';
    const reset = Date.UTC(2030, 0, 1, 0, 2) / 1000;
    for (const value of [String(reset), `${reset}.5`, String(reset * 1000)]) {
      const headers = { date, 'x-ratelimit-reset': value };
      const { retryAfterMs } = (await failureOf({ status: 429, headers })) as RateLimitError;
      expect(retryAfterMs).toBe(value.includes('.') ? 120_500 : 120_000);
    }
    const http = { date, 'retry-after': 'Tue, 01 Jan 2030 00:00:30 GMT' };
    expect(await failureOf({ status: 429, headers: http })).toMatchObject({ retryAfterMs: 30_000 });
  });
});

describe('translate', () => {
  test('decides first; without an answer the preset does', async () => {
    const seen: unknown[] = [];
    const translate: NonNullable<Options>['translate'] = async (failure) => {
      seen.push([failure.status, failure.json, failure.headers.get('x-a'), failure.request.method]);
      return failure.status === 418 ? new ConnectorError('Teapot', { status: 501 }) : undefined;
    };
    const headers = { 'x-a': '1' };
    expect(await failureOf({ status: 418, headers, body: said }, { translate })).toMatchObject({ status: 501 });
    expect(await failureOf({ status: 404, headers, body: said }, { translate })).toMatchObject({ kind: 'not-found' });
    expect(seen).toEqual([
      [418, said, '1', 'GET'],
      [404, said, '1', 'GET'],
    ]);
  });
});

describe('an end system that does not answer', () => {
  test('cannot be reached: 502 (E2)', async () => {
    const gone = await serve(makeConnector(), { port: 0 });
    await gone.close();
    const error = await endSystemFetch()(`${gone.url}/issues?token=canary`).catch((thrown) => thrown);
    expect(error).toMatchObject({ kind: 'other', status: 502, code: 'END_SYSTEM_UNREACHABLE' });
    expect(error.message).toBe(`GET /issues: the end system cannot be reached (ECONNREFUSED).`);
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  test('that ends the connection while it is sent an upload was reached', async () => {
    const cause = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    const fetch = async () => Promise.reject(new TypeError('fetch failed', { cause }));
    await expect(endSystemFetch({ fetch })('http://x/files', { method: 'PUT' })).rejects.toMatchObject({
      ...{ status: 502, code: 'END_SYSTEM_UNREACHABLE' },
      message: 'PUT /files: the end system ended the connection before it had read the whole request (EPIPE).',
    });
  });

  test('a Request is named by its method and path', async () => {
    const url = await endSystem((request) => request.socket.destroy());
    const request = new Request(`${url}/issues?token=canary`, { method: 'PUT' });
    await expect(endSystemFetch()(request)).rejects.toMatchObject({
      status: 502,
      message: expect.stringMatching(/^PUT \/issues: the end system cannot be reached/),
    });
  });

  test.each([
    new DOMException('too late', 'TimeoutError'),
    new TypeError('fetch failed', { cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } }),
  ])('is too slow for the fetch itself: 504', async (thrown) => {
    const call = endSystemFetch({ fetch: () => Promise.reject(thrown) })('http://end.system/things');
    await expect(call).rejects.toMatchObject({ status: 504, code: 'END_SYSTEM_TIMEOUT' });
  });

  test('an own fetch that rejects with nothing: 502', async () => {
    const call = endSystemFetch({ fetch: () => Promise.reject() })('http://end.system/things');
    await expect(call).rejects.toMatchObject({
      status: 502,
      message: 'GET /things: the end system cannot be reached.',
    });
  });

  test('hangs up: 502', async () => {
    const url = await endSystem((request) => request.socket.destroy());
    await expect(endSystemFetch()(url, { method: 'POST' })).rejects.toMatchObject({
      status: 502,
      message: expect.stringMatching(/^POST /),
    });
  });

  test.each(['json', 'text', 'arrayBuffer', 'blob'] as const)('breaks off while %s() reads: 502', async (read) => {
    const url = await endSystem((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"id":', () => response.destroy());
    });
    const response = await endSystemFetch()(`${url}/issues?token=canary`);
    const message = "GET /issues: the end system's response broke off.";
    await expect(response[read]()).rejects.toMatchObject({ status: 502, code: 'END_SYSTEM_UNREACHABLE', message });
  });

  test('sent a body that is read twice, or is no form: the mistake of the connector (control)', async () => {
    const url = await endSystem({ status: 200, body: {} });
    const response = await endSystemFetch()(url);
    await response.json();
    const other = await endSystemFetch()(url);
    for (const read of [response.json(), other.formData()]) await expect(read).rejects.toBeInstanceOf(TypeError);
  });

  test('has its time for itself: what the connector does between the head and the body does not count', async () => {
    let finish = () => {};
    const url = await endSystem((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
      finish = () => response.end('7}');
    });
    const response = await endSystemFetch()(url);
    const now = performance.now();
    const later = vi.spyOn(performance, 'now').mockReturnValue(now + 3_600_000);
    onTestFinished(() => later.mockRestore());
    const reading = response.json();
    await new Promise((resolve) => setTimeout(resolve, 50));
    finish();
    expect(await reading).toEqual({ id: 7 });
  });

  test.each<[string, () => unknown]>([
    ['a web stream', () => new ReadableStream({ pull: () => Promise.reject(new RangeError('cannot decrypt')) })],
    ['a stream of Node', () => Readable.from(failing())],
    ['a generator', () => failing()],
  ])('is not to blame for a body that fails: %s', async (_what, bodyOf) => {
    const url = await endSystem((request, response) => {
      request.resume().on('end', () => response.end('{}'));
    });
    const init = { method: 'POST', body: bodyOf(), duplex: 'half' } as RequestInit;
    await expect(endSystemFetch()(url, init)).rejects.toThrow(new RangeError('cannot decrypt'));
  });

  test('is too slow for AbortSignal.timeout: 504', async () => {
    const url = await endSystem(() => {});
    await expect(endSystemFetch()(url, { signal: AbortSignal.timeout(5) })).rejects.toMatchObject({
      kind: 'other',
      status: 504,
      code: 'END_SYSTEM_TIMEOUT',
    });
  });

  test("an abort is passed on with the signal's reason", async () => {
    const url = await endSystem(() => {});
    const controller = new AbortController();
    const reason = new Error('no longer needed');
    const pending = endSystemFetch()(new Request(url, { signal: controller.signal }));
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    const plain = new AbortController();
    plain.abort();
    await expect(endSystemFetch()(url, { signal: plain.signal })).rejects.toHaveProperty('name', 'AbortError');
  });

  test('an abort while the error body arrives is passed on too', async () => {
    const controller = new AbortController();
    const url = await endSystem((_request, response) => {
      response.writeHead(500).write('half');
      setTimeout(() => controller.abort(), 5);
    });
    await expect(endSystemFetch()(url, { signal: controller.signal })).rejects.toHaveProperty('name', 'AbortError');
  });

  test('a URL that is none stays the mistake of the connector', async () => {
    await expect(endSystemFetch()('not a url')).rejects.toBeInstanceOf(TypeError);
  });

  test.each<[string, (url: string) => [string, RequestInit?]]>([
    ['a header that HTTP cannot carry', (url) => [url, { headers: { 'x-city': 'Łódź' } }]],
    ['a header whose name is none', (url) => [url, { headers: { 'bad name': 'a' } }]],
    ['a GET with a body', (url) => [url, { body: 'a' }]],
    ['a stream without `duplex`', (url) => [url, { method: 'POST', body: new Blob(['a']).stream() }]],
    [
      'a length that is not that of the body',
      (url) => [url, { method: 'POST', headers: { 'content-length': '9' }, body: 'a' }],
    ],
    ['credentials in the URL', (url) => [url.replace('//', '//ada:secret@')]],
    ['another scheme', (url) => [url.replace('http:', 'ftp:')]],
  ])('and so does %s', async (_what, request) => {
    const url = await endSystem({ status: 200 });
    await expect(endSystemFetch()(...request(url))).rejects.toBeInstanceOf(TypeError);
  });

  test.each<[string, string]>([
    ['nonsense', 'http://[bad'],
    ['a port that there is not', 'http://localhost:99999/'],
  ])('but a redirect to %s is a failure of the end system', async (_what, location) => {
    const url = await endSystem({ status: 302, headers: { location } });
    await expect(endSystemFetch()(url)).rejects.toMatchObject({ status: 502 });
  });

  test('and so are redirects without end', async () => {
    const url = await endSystem({ status: 302, headers: { location: '/again' } });
    await expect(endSystemFetch()(url)).rejects.toMatchObject({ status: 502, code: 'END_SYSTEM_UNREACHABLE' });
  });

  test('and what an own fetch can send only that knows: a binding takes a path alone', async () => {
    const fetch = async () => {
      throw new TypeError('fetch failed');
    };
    await expect(endSystemFetch({ fetch })('/things')).rejects.toMatchObject({ code: 'END_SYSTEM_UNREACHABLE' });
  });

  test('a stream that was sent to nobody does not (control)', async () => {
    const body = new Blob(['a']).stream();
    const url = await endSystem((request) => request.socket.destroy());
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
    const error = await endSystemFetch()(url, init).catch((thrown) => thrown);
    expect(error).toMatchObject({ status: 502, code: 'END_SYSTEM_UNREACHABLE' });
  });
});

describe('hostile error bodies', () => {
  test('JSON that breaks off is no message', async () => {
    const headers = { 'content-type': 'application/json' };
    const error = await failureOf({ status: 404, headers, body: '{"message":"half' });
    expect(error.message).toBe('GET /issues/7: the end system responded with 404 Not Found.');
    expect(error.detail).toBe('{"message":"half'); // control
  });

  test('a string as JSON is the message', async () => {
    const headers = { 'content-type': 'application/json' };
    const error = await failureOf({ status: 404, headers, body: '"Name is required"' });
    expect(error.message).toBe('Name is required');
  });

  test.each([
    ['a picture', { 'content-type': 'image/png' }, '\x89PNG\r\n'],
    ['what was packed in a way that fetch does not know', { 'content-encoding': 'x-own' }, '(\xb5/\xfd\0\x01'],
  ])('%s is neither message nor detail', async (_what, headers, body) => {
    const error = await failureOf({ status: 404, headers, body });
    expect(error.message).toBe('GET /issues/7: the end system responded with 404 Not Found.');
    expect(error.detail).toBeUndefined();
  });

  test('one that is cut keeps its status and what has arrived', async () => {
    const url = await endSystem((_request, response) => {
      response.writeHead(404, { 'content-length': '1000' }).write('{"code":"half');
      setTimeout(() => response.destroy(), 5);
    });
    await expect(endSystemFetch()(url)).rejects.toMatchObject({ kind: 'not-found', detail: '{"code":"half' });
  });

  test('one that never stops is read no further than needed', async () => {
    let written = 0;
    const url = await endSystem((_request, response) => {
      response.writeHead(500);
      const chunk = `${'x'.repeat(16_383)}\n`;
      const more = () => {
        do written += chunk.length;
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    const error = await endSystemFetch()(url).catch((thrown) => thrown);
    expect(error).toMatchObject({ status: 502 });
    expect(error.detail).toHaveLength(65_536);
    expect(written).toBeLessThan(50 * 1024 * 1024); // what the sockets' buffers hold
  });

  test('one that is read no further shows no part of a secret: neither through endSystemFetch nor returned (E5)', async () => {
    const session = Array.from({ length: 1500 }, (_, index) => (index * 7919 + 13).toString(36))
      .join('')
      .slice(0, 2000);
    const url = await endSystem((request, response) => {
      response.writeHead(400, { 'content-type': 'text/plain' });
      response.end(`token ${request.headers.authorization}\n`.repeat(60));
    });
    const connector = makeConnector();
    const headers = { authorization: session };
    connector.get('/thrown', async (c) => c.json(await (await endSystemFetch()(url, { headers })).json()));
    connector.get('/returned', async () => fetch(url, { headers }));
    const connectorUrl = await start(connector);
    for (const path of ['/thrown', '/returned']) {
      const answer = await send(connectorUrl, { path, headers: { 'x-token': session } });
      const { detail } = errorsOf(answer);
      expect(detail).toContain('[redacted]'); // control
      expect(detail).not.toContain(session.slice(0, 8));
    }
  });
});

test('own fetch is used, with the arguments of the call and a signal that ends it', async () => {
  const calls: unknown[] = [];
  const fetch = endSystemFetch({
    fetch: async (...args) => {
      calls.push(args);
      return Response.json({ code: 'X' }, { status: 404 });
    },
  });
  const init = { headers: { a: '1' } };
  await expect(fetch('http://end.system/', init)).rejects.toMatchObject({ code: 'X' });
  expect(calls).toEqual([['http://end.system/', { ...init, signal: expect.any(AbortSignal) }]]);
});

test('in a connector the failure reaches the service whole, without the session (E3, E5)', async () => {
  const url = await endSystem({
    status: 429,
    headers: { 'retry-after': '9' },
    body: { code: 7, message: 'Slow, token-of-alice' },
  });
  const connector = makeConnector();
  connector.get('/', async () => endSystemFetch()(url));
  const answer = await send(await start(connector), { headers: withToken });
  expect([answer.status, answer.headers['retry-after'], errorsOf(answer)]).toEqual([
    403,
    '9',
    { code: '7', message: 'Slow, [redacted]', detail: '{"code":7,"message":"Slow, [redacted]"}' },
  ]);
});

describe('what a failure says of the request to the end system (E5)', () => {
  const token = '7f3kd92mx81hsv0q2plz';
  const xml = (inside: string) => ({
    method: 'POST',
    headers: { 'content-type': 'text/xml' },
    body: `<?xml version="1.0"?>\n<e:Envelope xmlns:e="urn:e"><e:Header>${inside}</e:Header></e:Envelope>`,
  });

  test.each<[string, (url: string) => [string | Request, RequestInit?]]>([
    ['Authorization', (url) => [url, { headers: { authorization: `Bearer ${token}` } }]],
    ['a header of a Request', (url) => [new Request(url, { headers: { authorization: `Bearer ${token}` } })]],
    ['the query of a Request', (url) => [new Request(`${url}?api_key=${token}`)]],
    ['a header whose name says so', (url) => [url, { headers: [['Private-Token', token]] }]],
    ['the query', (url) => [`${url}?api_key=${token}`]],
    ['the query after another "?"', (url) => [`${url}?next=/a?b&api_key=${token}#top`]],
    ['a form', (url) => [url, { method: 'POST', body: new URLSearchParams({ client_secret: token }) }]],
    [
      'a form that is text',
      (url) => [
        url,
        {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: `client_secret=${token}`,
        },
      ],
    ],
    [
      'an upload',
      (url) => {
        const body = new FormData();
        body.append('token', token);
        return [url, { method: 'POST', body }];
      },
    ],
    [
      'JSON',
      (url) => {
        const body = JSON.stringify({ auth: [{ client_secret: token }] });
        return [url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }];
      },
    ],
    ['XML', (url) => [url, xml(`<a:Secret>${token}</a:Secret>`)]],
    ['XML without its type', (url) => [url, { method: 'POST', body: xml(`<password>${token}</password>`).body }]],
    [
      'XML with a document type',
      (url) => {
        const body = `<!DOCTYPE cXML SYSTEM "a.dtd" [<!ENTITY a "b">]>\n<cXML><SharedSecret>${token}</SharedSecret></cXML>`;
        return [url, { method: 'POST', body }];
      },
    ],
    ['XML in lines', (url) => [url, xml(`<Password\n Type="urn:x#PasswordText">\n  ${token}\n</Password >`)]],
    ['XML that is marked as text', (url) => [url, xml(`<Password><!-- no --><![CDATA[${token}]]></Password>`)]],
    ['an attribute of XML', (url) => [url, xml(`<Login user="ada" a:password = '${token}'/>`)]],
    ['text beside an element of XML', (url) => [url, xml(`<Password>${token}<Hint></Hint></Password>`)]],
    ['XML before much data', (url) => [url, xml(`<Token>${token}</Token><File>${'QUJD'.repeat(50_000)}</File>`)]],
    [
      'XML with attachments',
      (url) => {
        const headers = { 'content-type': 'multipart/related; boundary=b; type="application/xop+xml"' };
        const body = `--b\r\nContent-ID: <root>\r\n\r\n${xml(`<Password>${token}</Password>`).body}\r\n--b--`;
        return [url, { method: 'POST', headers, body }];
      },
    ],
    ['JSON without its type', (url) => [url, { method: 'POST', body: JSON.stringify({ password: token }) }]],
  ])('a secret in %s is not shown', async (_where, request) => {
    const url = await endSystem({ status: 400, body: { code: 'BAD', message: `No: Bearer ${token}`, more: token } });
    const error = await endSystemFetch()(...request(url)).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'BAD', message: expect.stringMatching(/^No: (?:Bearer )?\[redacted\]$/) });
    expect(error.detail).toContain('"more":"[redacted]"');
  });

  test('a secret that XML writes with entities is known as what it is, and as it is written', async () => {
    const said = `No: a&b<c>"d"'e' and a&amp;b&lt;c&gt;&quot;d&quot;&apos;e&apos;`;
    const written = 'a&amp;b&lt;c&gt;&quot;d&quot;&apos;e&apos;';
    const url = await endSystem({ status: 400, body: { message: said } });
    for (const inside of [`<Password>${written}</Password>`, `<Login password="${written}"/>`]) {
      const error = await endSystemFetch()(url, xml(inside)).catch((thrown) => thrown);
      expect(error.message).toBe('No: [redacted] and [redacted]');
    }
  });

  test('what is no secret in XML stays (control)', async () => {
    const message = 'ada may not read urn:session-7 of acme-intern-0042';
    const url = await endSystem({ status: 400, body: { message } });
    const inside = `<Username>ada</Username><m:Get xmlns:session="urn:session-7"><Credentials><Project>
      acme-intern-0042</Project></Credentials></m:Get>`;
    const error = await endSystemFetch()(url, xml(inside)).catch((thrown) => thrown);
    expect(error.message).toBe(message);
  });

  test.each([
    ['elements in each other', '<token>'.repeat(9_000)],
    ['attributes', ` <a ${'token="1" '.repeat(6_000)}>`],
    ['attributes without a value', `<a ${'token '.repeat(10_000)}>`],
    ['long names', `<a ${'t'.repeat(60_000)}>`],
    ['spaces', `<a b${' '.repeat(60_000)}>`],
    ['quotes that never end', `<a ${'b=" '.repeat(15_000)}`],
    ['comments', `<token>${'x<!---->'.repeat(8_000)}</token>`],
  ])('hostile XML is read in time: %s (E8)', async (_what, inside) => {
    const { outgoingSecrets } = await import('../../src/connector/end-system/outgoing-secrets.js');
    const startedAt = performance.now();
    outgoingSecrets('http://end.system/', xml(inside));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  test.each([
    ['XML', xml(Array.from({ length: 2_500 }, (_, index) => `<token>${token}${index}</token>`).join(''))],
    ['JSON', { body: JSON.stringify(Array.from({ length: 1_800 }, (_, index) => ({ token: `${token}${index}` }))) }],
  ])('of %s with more secrets than any login has, the first are sought (E8)', async (_what, init) => {
    const { outgoingSecrets } = await import('../../src/connector/end-system/outgoing-secrets.js');
    const secrets = outgoingSecrets('http://end.system/', init);
    expect(secrets).toHaveLength(100);
    expect(secrets).toContain(`${token}99`);
  });

  test('nor a part of it, where a long message is cut (E8)', async () => {
    for (const length of [1990, 2020, 2047]) {
      const message = `No: ${'x'.repeat(length)} ${token}, and ${'more '.repeat(100)}`;
      const url = await endSystem({ status: 400, body: { code: 'BAD', message } });
      const error = await endSystemFetch()(`${url}?api_key=${token}`).catch((thrown) => thrown);
      expect(error.message).toMatch(/^No: x+.*… \[cut\]$/);
      expect(error.message).not.toContain(token.slice(0, 2));
    }
  });

  test('a code that is the secret gives way to that of the status', async () => {
    const url = await endSystem({ status: 400, body: { code: token, message: 'No' } });
    const error = await endSystemFetch()(url, { headers: { authorization: `Bearer ${token}` } }).catch(
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ code: 'BAD_REQUEST', message: 'No' });
  });

  test.each(['sessionType=open', 'passive=true', 'token=1'])(
    'a word of the query stays where it is: %s',
    async (query) => {
      const url = await endSystem({ status: 400, body: { code: 'BAD', message: 'Cannot open 1', ok: true } });
      const error = await endSystemFetch()(`${url}?${query}`).catch((thrown) => thrown);
      expect([error.message, error.detail]).toEqual([
        'Cannot open 1',
        '{"code":"BAD","message":"Cannot open 1","ok":true}',
      ]);
    },
  );

  test('headers that only an own fetch can send do no harm', async () => {
    const fetch = async () => Response.json({ message: 'No' }, { status: 400 });
    const call = endSystemFetch({ fetch })('http://end.system/', { headers: { 'x-city': 'Łódź' } });
    await expect(call).rejects.toMatchObject({ status: 400, message: 'No' });
  });

  test('what is not secret stays (control)', async () => {
    const url = await endSystem({ status: 400, body: { code: 'BAD', message: 'No project acme-intern' } });
    const error = await endSystemFetch()(`${url}?project=acme-intern`).catch((thrown) => thrown);
    expect(error.message).toBe('No project acme-intern');
    const headers = { 'x-project': 'acme-intern', authorization: `Bearer ${token}` };
    const inHeader = await endSystemFetch()(url, { headers }).catch((thrown) => thrown);
    expect(inHeader.message).toBe('No project acme-intern');
  });
});

describe('text that is not UTF-8', () => {
  const latin = (text: string) => Buffer.from(text, 'latin1');
  const failure = async (type: string, body: Buffer, preset?: 'soap') => {
    const url = await endSystem((_request, response) => response.writeHead(500, { 'content-type': type }).end(body));
    return endSystemFetch({ preset })(url).catch((thrown) => thrown);
  };

  test('is decoded as its content type says', async () => {
    expect((await failure('text/plain; charset=iso-8859-1', latin('Größe?'))).message).toBe('Größe?');
    expect((await failure('text/plain; charset=us-ascii', latin('Größe?'))).message).toBe('Größe?');
    const json = latin('{"message":"Kunde Müller"}');
    expect((await failure('application/json; charset="windows-1252"', json)).message).toBe('Kunde Müller');
  });

  test('and XML as it says itself', async () => {
    const fault = '<Fault><faultcode>Client</faultcode><faultstring>Kunde Müller</faultstring></Fault>';
    const xml = `<?xml version="1.0" encoding="ISO-8859-1"?><Envelope><Body>${fault}</Body></Envelope>`;
    expect((await failure('text/xml', latin(xml), 'soap')).message).toBe('Kunde Müller');
    expect((await failure('text/xml', Buffer.from(xml), 'soap')).message).toBe('Kunde Müller'); // wrong, and common
  });

  test.each(['iso-8859-1', 'us-ascii', 'windows-1252'])(
    'though labelled %s, what is UTF-8 is read as that',
    async (charset) => {
      const json = Buffer.from('{"message":"Kunde Müller"}');
      expect((await failure(`application/json; charset=${charset}`, json)).message).toBe('Kunde Müller');
    },
  );

  test('UTF-16 is read in the order of its mark', async () => {
    const little = Buffer.from('\ufeff{"message":"Müller"}', 'utf16le');
    for (const body of [little, Buffer.from(little).swap16()]) {
      expect((await failure('application/json; charset=utf-16', body)).message).toBe('Müller');
    }
  });

  test.each(['utf-8', 'ISO-8859-1', 'utf-16'])(
    'XML in UTF-8 that is cut in a character, and says %s',
    async (charset) => {
      const start = `<?xml version="1.0" encoding="${charset}"?><Envelope><Body><Fault><faultstring>Kunde Müller</faultstring>`;
      const filler = 64 * 1024 - Buffer.byteLength(start) - 1;
      const xml = `${start}${' '.repeat(filler)}ü</Fault></Body></Envelope>`;
      expect((await failure('text/xml', Buffer.from(xml), 'soap')).message).toBe('Kunde Müller');
    },
  );

  test('with a charset that nobody knows is taken for UTF-8', async () => {
    expect((await failure('text/plain; charset=klingon', Buffer.from('Größe?'))).message).toBe('Größe?');
  });

  test('is what `readResponse` reads', async () => {
    const url = await endSystem((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json;charset=ISO-8859-1' })
        .end(latin('{"name":"Müller"}')),
    );
    expect(await readResponse(await endSystemFetch()(url), z.object({ name: z.string() }))).toEqual({ name: 'Müller' });
  });
});
