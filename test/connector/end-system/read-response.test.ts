import { isConnectorError } from 'concordat';
import { endSystemFetch, readResponse } from 'concordat/connector';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { endSystem, type Reply } from '../support/end-system.js';
import { errorsOf, send } from '../support/send.js';
import { makeConnector, start, withToken } from '../support/start.js';

const issue = z
  .object({ id: z.number(), tags: z.array(z.object({ name: z.string() })) })
  .transform(({ id }) => ({ key: `I-${id}` }));
const read = async (reply: Parameters<typeof endSystem>[0]) =>
  readResponse(await endSystemFetch()(`${await endSystem(reply)}/issues/7?key=hidden`), issue);
const failureOf = (reply: Parameters<typeof endSystem>[0]) =>
  read(reply).then(
    () => expect.unreachable('it was taken for what was expected'),
    (error: unknown) => error,
  );

const invalid = { kind: 'other', status: 502, code: 'END_SYSTEM_INVALID_RESPONSE' };
const html = { 'content-type': 'text/html; charset=utf-8' };

test('what fits the schema is returned, transformed', async () => {
  expect(await read({ status: 200, body: { id: 7, tags: [{ name: 'bug' }] } })).toEqual({ key: 'I-7' });
});

const bytes =
  (type: string, body: Buffer): Exclude<Parameters<typeof endSystem>[0], Reply> =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': type }).end(body);

test.each<[string, string, Buffer]>([
  ['its charset', 'application/json; charset=iso-8859-1', Buffer.from('{"name":"Größe"}', 'latin1')],
  ['UTF-8, whatever it says', 'application/json; charset=iso-8859-1', Buffer.from('{"name":"Größe"}')],
])('text is decoded by %s', async (_what, type, body) => {
  const response = await endSystemFetch()(await endSystem(bytes(type, body)));
  expect(await readResponse(response, z.object({ name: z.string() }))).toEqual({ name: 'Größe' });
});

test('a replacement character that was sent is text', async () => {
  const response = await endSystemFetch()(await endSystem({ status: 200, body: { name: '\ufffd' } }));
  expect(await readResponse(response, z.object({ name: z.string() }))).toEqual({ name: '\ufffd' });
});

test.each<[string, Parameters<typeof endSystem>[0], RegExp]>([
  [
    'another shape',
    { status: 200, body: { id: 7, tags: [{ name: 7 }] } },
    /does not fit: tags\.0\.name: .*expected string/,
  ],
  ['a list', { status: 200, body: [] }, /does not fit: .*expected object/],
  [
    'a page',
    { status: 200, headers: html, body: '<html>Sign in</html>' },
    /is a page \(text\/html; charset=utf-8\), not JSON\.$/,
  ],
  ['a page without a type', { status: 200, body: ' <!doctype html>' }, /is a page, not JSON\.$/],
  ['text', { status: 200, headers: { 'content-type': 'text/plain' }, body: 'OK' }, /is text\/plain, not JSON\.$/],
  [
    'cut JSON',
    { status: 200, headers: { 'content-type': 'application/json' }, body: '{"id":' },
    /is not valid JSON\.$/,
  ],
  ['cut JSON without a type', { status: 200, body: '{"id":' }, /is not valid JSON\.$/],
  [
    'JSON in another charset than it says',
    bytes('application/json', Buffer.from('{"id":7,"tags":[{"name":"Größe"}]}', 'latin1')),
    /has text in another charset than it says\.$/,
  ],
  ['nothing', { status: 204 }, /is empty; JSON was expected\.$/],
])('%s is a 502 that names what is wrong', async (_what, reply, message) => {
  const error = await failureOf(reply);
  expect(error).toMatchObject({ ...invalid, message: expect.stringMatching(message) });
  expect((error as Error).message).toMatch(/^GET \/issues\/7: the end system's response /);
});

test('a body that breaks off is a 502', async () => {
  const error = await failureOf((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"id":', () => response.destroy());
  });
  expect(error).toMatchObject({ kind: 'other', status: 502, code: 'END_SYSTEM_UNREACHABLE' });
});

test('so is one of a response of fetch itself', async () => {
  const url = await endSystem((_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"id":', () => response.destroy());
  });
  await expect(readResponse(await fetch(`${url}/issues/7`), issue)).rejects.toMatchObject({
    status: 502,
    code: 'END_SYSTEM_UNREACHABLE',
    message: "/issues/7: the end system's response broke off.",
  });
});

test.each([endSystemFetch(), fetch])('a body that is read twice is a mistake of the connector (E4)', async (call) => {
  const response = await call(await endSystem({ status: 200, body: {} }));
  await response.json();
  await expect(readResponse(response, issue)).rejects.toBeInstanceOf(TypeError);
});

test('a body that does not come in time stays a 504', async () => {
  const url = await endSystem((_request, response) => void response.writeHead(200).write('{'));
  const late = endSystemFetch({ timeoutMs: 50 })(url).then((response) => readResponse(response, issue));
  await expect(late).rejects.toMatchObject({ status: 504, code: 'END_SYSTEM_TIMEOUT' });
});

test("an error of the author's own transform stays his", async () => {
  const broken = z.object({}).transform(() => (undefined as unknown as string[]).length);
  const response = await endSystemFetch()(await endSystem({ status: 200, body: {} }));
  const error = await readResponse(response, broken).catch((thrown: unknown) => thrown);
  expect([error instanceof TypeError, isConnectorError(error)]).toEqual([true, false]);
});

test('a response of another fetch is named by its URL', async () => {
  await expect(readResponse(Response.json([]), issue)).rejects.toMatchObject({
    ...invalid,
    message: expect.stringMatching(/^The end system's response/),
  });
  const response = await fetch(`${await endSystem({ status: 200, body: [] })}/issues`);
  await expect(readResponse(response, issue)).rejects.toMatchObject({
    message: expect.stringMatching(/^\/issues: the/),
  });
});

describe('in a connector', () => {
  test('the service gets the 502, with the field', async () => {
    const url = await endSystem({ status: 200, body: { id: '7', tags: [] } });
    const connector = makeConnector({ onError() {} });
    connector.get('/', async (c) => c.json(await readResponse(await endSystemFetch()(url), issue)));
    const answer = await send(await start(connector), { headers: withToken });
    expect(answer.status).toBe(502);
    expect(errorsOf(answer).message).toMatch(/does not fit: id: /);
  });
});
