// A login could hand out anything as a session: 100,000 headers (3.3 MB with every request), a `content-type` that belied the
// body of a request, an `accept-encoding` that made answers unreadable, a `range`, a condition, another method. Found by fuzzing
// the answers of initialize. A session is bounded now, and has no header that changes how a request or its answer is read.
import { createConnector } from 'concordat/connector';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connect } from '../helpers/connect.js';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection } from '../helpers/until.js';

const refused = [
  ...['Accept-Encoding', 'accept-charset', 'Content-Type', 'content-encoding', 'content-range', 'Range', 'if-range'],
  ...['If-Match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'x-original-url', 'x-rewrite-url'],
  ...['X-HTTP-Method-Override', 'x-http-method', 'x-method-override'],
];
const welcome = ['x-session', 'authorization', 'cookie', 'accept', 'accept-language', 'user-agent', 'prefer'];

type Login = (session: Record<string, string>) => Parameters<typeof connect>[1];
const logins: [string, Login][] = [
  ['over HTTP', () => ({})],
  ['by a function', (session) => ({ initialize: async () => session })],
];

/** How the first call of a client ends whose login hands out this session, and with which headers it goes out. */
async function callWith(session: Record<string, string>, login: Login) {
  const initialize = (exchange: Exchange) => exchange.reply(200, session);
  const connector = await scriptedConnector({ initialize, guard: false });
  const client = connect(connector, login(session));
  const call = await client.post('/items', { json: { a: 1 } }).then(
    () => undefined,
    (error) => error,
  );
  return { error: call, connector };
}

describe.each(logins)('a session that a login hands out %s (S2)', (_how, login) => {
  it.each(refused)('is refused with %s in it, before anything is sent', async (name) => {
    const { error, connector } = await callWith({ 'x-session': 'a', [name]: 'canary-value' }, login);
    expect(error).toMatchObject({ name: 'InitializeError' });
    expect(error.message).toContain(`"${name}"`);
    expect(error.message).not.toContain('canary-value');
    expect(connector.requests).toHaveLength(0);
  });

  it.each(welcome)('may have %s (control)', async (name) => {
    const { error, connector } = await callWith({ [name]: 'a-value' }, login);
    expect(error).toBeUndefined();
    expect(connector.requests[0]?.headers[name]).toBe('a-value');
    expect(connector.requests[0]?.headers['content-type']).toMatch(/^application\/json/);
  });

  it('has at most 100 headers', async () => {
    const session = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'v']));
    expect((await callWith(session(101), login)).error).toMatchObject({ name: 'InitializeError' });
    expect((await callWith(session(101), login)).error.message).toContain('more than 100 headers');
    expect((await callWith(session(100), login)).error).toBeUndefined(); // control
  });

  it('has at most 64 KiB of names and values', async () => {
    const session = (bytes: number) => ({ 'x-1': 'v'.repeat(bytes - 6), 'x-2': '' });
    const { error, connector } = await callWith(session(64 * 1024 + 1), login);
    expect(error).toMatchObject({ name: 'InitializeError' });
    expect(error.message).toContain('more than 65536 bytes');
    expect(connector.requests).toHaveLength(0);
    // Control: one byte less is no bad session, although node:http takes no headers of that size.
    expect((await callWith(session(64 * 1024), login)).error?.name).not.toBe('InitializeError');
  });
});

it('the answer of a login is read up to 1 MiB, whatever `maxResponseBytes` allows (S2, E8)', async () => {
  const session = (bytes: number) => JSON.stringify([{ key: 'x-session', value: 'a', more: 'm'.repeat(bytes) }]);
  for (const initialize of [undefined, byFunction]) {
    const answer = (bytes: number) =>
      scriptedConnector({ initialize: (exchange) => exchange.reply(200, session(bytes)), guard: false });
    const options = initialize === undefined ? {} : { initialize };
    const error = await rejection(connect(await answer(1024 * 1024), options).get('/items'));
    expect(error).toMatchObject({ name: 'InitializeError', status: 200 });
    expect(error.message).toContain('larger than');
    await connect(await answer(1000 * 1000), options).get('/items'); // control
  }
});

it.each([...refused, 'Host', 'content-length'])('createConnector refuses a `session` with %s (S2)', (name) => {
  const make = (header: string) =>
    createConnector({
      initialize: { parameters: z.object({}), handler: () => ({ [header]: 'a' }) },
      session: z.object({ [header]: z.string() }),
    });
  expect(() => make(name)).toThrow(TypeError);
  expect(() => make(name)).toThrow(`\`session.${name}\``);
  expect(() => make('x-session')).not.toThrow(); // control
});

it('a connector whose handler hands out too much answers 500, and nothing of it', async () => {
  const login = async (session: Record<string, string>) => {
    const connector = createConnector({
      initialize: { parameters: z.object({}), handler: () => session },
      session: z.object({ 'x-session': z.string() }),
    });
    return connector.request('/initialize', { method: 'POST', body: '{}' });
  };
  expect((await login({ 'x-session': 'a', 'content-type': 'text/plain' })).status).toBe(500);
  expect((await login({ 'x-session': 'a'.repeat(70_000) })).status).toBe(500);
  expect((await login({ 'x-session': 'a' })).status).toBe(200); // control
});

it('callers may still set these headers themselves (control)', async () => {
  const connector = await scriptedConnector();
  const headers = { 'content-type': 'text/csv', 'if-none-match': '"1"', range: 'bytes=0-9' };
  await connect(connector).post('/items', { headers, body: 'a,b' });
  expect(connector.requests[0]?.headers).toMatchObject(headers);
});

async function byFunction({ request }: { request: (options: { method: string; path: string }) => Promise<unknown> }) {
  await request({ method: 'POST', path: '/initialize' });
  return { 'x-session': 'a' };
}
