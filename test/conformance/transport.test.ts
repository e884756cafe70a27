// What most servers and clients of HTTP do right by themselves, and hand-written ones do not. Real sockets, byte by byte.
import { type CaseResult, runConformance } from 'concordat/conformance';
import { describe, expect, it } from 'vitest';
import { json, type RawRequest, rawConnector, refusal } from './helpers/raw-connector.js';

const parameters = { token: 'canary-token' };
const session = [{ key: 'x-session', value: 'canary-session', sensitive: true }];
const probes = { initialize: { parameters }, readable: '/issues', cleanup: {} };

/** A connector of one user; `changes` replaces responses by the beginning of their request lines. */
function answering(changes: Record<string, string | Buffer> = {}) {
  return ({ line, headers, body }: RawRequest): string | Buffer => {
    const login = JSON.stringify([{ key: 'token', value: parameters.token, sensitive: true }]);
    if (line.startsWith('POST /initialize')) {
      if (body !== login) return refusal(400);
      return changes['POST /initialize'] ?? json(200, session);
    }
    if (line.includes('no-such-route')) return refusal(404);
    if (headers['x-session'] !== 'canary-session') return refusal(401);
    const changed = Object.entries(changes).find(([start]) => line.startsWith(start))?.[1];
    return changed ?? (line.startsWith('POST /cleanup') ? 'HTTP/1.1 204 X\r\n\r\n' : json(200, []));
  };
}

/** The cases that failed or could not be judged, with their first messages. */
async function judged(baseUrl: string, given: object = probes): Promise<Record<string, string | undefined>> {
  const { results } = await runConformance({ baseUrl, probes: given });
  const isFound = ({ status }: CaseResult) => status === 'failed' || status === 'unjudged';
  return Object.fromEntries(results.filter(isFound).map(({ id, problems }) => [id, problems[0]?.message]));
}

describe('a body of a request that comes in chunks (D2)', () => {
  it('has to be read, and is judged without spoiling a connection', async () => {
    expect(await judged(await rawConnector(answering(), false))).toEqual({
      'session.chunked-body': expect.stringMatching(
        /^POST \/initialize: 400; with content-length the same login succeeds\. Read bodies with `transfer-encoding: chunked`/,
      ),
    });
  });

  it('passes where it is read (control)', async () => {
    expect(await judged(await rawConnector(answering()))).toEqual({});
  });

  it('may be refused with a 411: an upload then fails aloud', async () => {
    const refuse = (request: RawRequest) =>
      request.headers['transfer-encoding'] === 'chunked'
        ? json(411, { errors: { code: 'LENGTH_REQUIRED', message: 'No' } })
        : answering()(request);
    expect(await judged(await rawConnector(refuse))).toEqual({});
  });
});

describe('the body of a success that the client cannot read (D1)', () => {
  const text = '[{"name":"Größe"}]';
  const bytes = (body: Buffer, length = body.length, type = 'application/json; charset=utf-8') =>
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 X\r\ncontent-type: ${type}\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`),
      body,
    ]);
  const utf8 = Buffer.from(text);
  const latin1 = Buffer.from(text, 'latin1');
  const judgedWith = async (response: Buffer) =>
    (await judged(await rawConnector(answering({ 'GET /issues': response }))))['routes.body'];

  it.each([
    [
      'in another charset than it says',
      bytes(latin1),
      ': the body is not UTF-8, and content-type is "application/json; cha',
    ],
    ['in a charset that there is not', bytes(utf8, utf8.length, 'text/csv; charset=utf-9'), 'the body is not utf-9'],
    ['whose length counts characters', bytes(utf8, text.length), 'content-length counts bytes, not characters'],
    [
      'that is empty',
      bytes(Buffer.alloc(0)),
      ': the body is empty, but content-type is "application/json; charset=utf-8"',
    ],
    ['that is no JSON', bytes(Buffer.from('ok')), ': the body is not JSON, as content-type says'],
  ])('is found: one %s', async (_what, response, message) => {
    expect(await judgedWith(response)).toContain(message);
  });

  it.each([
    ['UTF-8', bytes(utf8)],
    ['Latin-1 that says so', bytes(latin1, latin1.length, 'application/json; charset=iso-8859-1')],
    ['a file', bytes(latin1, latin1.length, 'application/octet-stream')],
  ])('is not found in %s (control)', async (_what, response) => {
    expect(await judgedWith(response)).toBeUndefined();
  });
});

describe('a 204 with a body (D1)', () => {
  const judgedWith = async (fields: string) => {
    const cleanup = `HTTP/1.1 204 X\r\n${fields}\r\n`;
    return judged(await rawConnector(answering({ 'POST /cleanup': cleanup })));
  };

  it.each([
    ['content-length: 11', '\r\n\r\n{"ok":true}'],
    ['transfer-encoding: chunked', '\r\n\r\n0\r\n'],
  ])('is found by its %s', async (field, rest) => {
    expect(await judgedWith(`${field}${rest}`)).toEqual({
      'responses.no-content': `POST /cleanup: 204 with ${field}; expected neither a body nor a length`,
    });
  });

  it.each(['', 'content-length: 0\r\n'])('is not found in "%s" (control)', async (fields) => {
    expect(await judgedWith(fields)).toEqual({});
  });
});

describe('a session in a cookie (S1)', () => {
  const withCookie = (body: unknown) => ({ 'POST /initialize': json(200, body, 'set-cookie: sid=canary-session\r\n') });
  const cookie =
    'POST /initialize: 200: the session is empty; expected an array of {key, value, sensitive}; the service does not read cookies (set-cookie)';

  it.each([[{}], [[]]])('is no session: the body %j is said to be empty', async (body) => {
    const found = await judged(await rawConnector(answering(withCookie(body))));
    expect(found).toMatchObject({ 'session.answer': cookie });
  });

  it('is said to be none where nothing else would show it', async () => {
    const found = await judged(await rawConnector(answering(withCookie({}))), { initialize: { parameters } });
    expect(found).toEqual({ 'session.answer': cookie });
  });

  it('may be set beside a session, or where none is needed (control)', async () => {
    expect(await judged(await rawConnector(answering(withCookie(session))))).toEqual({});
    const open = { ...withCookie([]), 'GET /issues': json(200, []) };
    const forAll = ({ headers, ...request }: RawRequest) =>
      answering(open)({ ...request, headers: { ...headers, 'x-session': 'canary-session' } });
    expect(await judged(await rawConnector(forAll))).not.toHaveProperty(['session.answer']);
  });
});
