// Redaction rewrote parts of error codes: with the parameters `{ entity: 'ISSUE' }` the code `ISSUE_NOT_FOUND` arrived as
// `[redacted]_NOT_FOUND`, and whoever switches on codes took the wrong branch. A session value marked `sensitive: false`
// did the same. A review found it; both sides were wrong (rule E5).
import { ConnectorError, NotFoundError } from 'concordat';
import { type ConnectorClientOptions, createConnectorClient, memoryState } from 'concordat/client';
import { createConnector, errorResponse } from 'concordat/connector';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { hosts } from '../connector/support/hosts.js';
import { errorsOf, send } from '../connector/support/send.js';
import { start } from '../connector/support/start.js';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection } from '../helpers/until.js';

const token = 'tok-SECRET-123456';

type Initialize = ConnectorClientOptions['initialize'];

/** The error of a call whose connector answers with `errors`, after a login with these parameters and this session. */
async function callFailing(
  errors: { code: string; message: string; detail?: string },
  { initialize, session }: { initialize?: Initialize; session?: unknown } = {},
): Promise<ConnectorError> {
  const connector = await scriptedConnector({
    guard: false,
    initialize: (exchange: Exchange) => exchange.reply(200, session ?? { 'x-session': token }),
    handle: (exchange: Exchange) => exchange.reply(404, { errors }),
  });
  const client = createConnectorClient({
    baseUrl: connector.url,
    initialize: initialize ?? { parameters: { user: 'ada' } },
  });
  onTestFinished(() => client.close().catch(() => {}));
  return rejection(client.get('/issues/7'));
}

describe('a code arrives at the client as the connector wrote it (E5)', () => {
  const login = (parameters: Record<string, string>): Initialize => ({ parameters });
  test.each<[string, string, { initialize?: Initialize; session?: unknown }]>([
    ['a parameter of a record is a part of it', 'ISSUE_NOT_FOUND', { initialize: login({ entity: 'ISSUE' }) }],
    ['in another case', 'ADMIN_REQUIRED', { initialize: login({ user: 'admin' }) }],
    ['a longer word', 'time_entry_closed', { initialize: login({ entity: 'time_entry' }) }],
    ['a word that is a secret', 'PASSWORD_TOO_OLD', { initialize: login({ password: 'password' }) }],
    [
      'a parameter marked as a secret',
      'ISSUE_NOT_FOUND',
      { initialize: { parameters: [{ key: 'entity', value: 'ISSUE', sensitive: true }] } },
    ],
    [
      'a session value marked as no secret',
      'production_closed',
      { session: [{ key: 'x-tenant', value: 'production', sensitive: false }] },
    ],
    [
      'a long one marked as no secret',
      'eu-west-1.closed',
      { session: [{ key: 'x-region', value: 'eu-west-1', sensitive: false }] },
    ],
    ['a session value that nobody marked', 'production_closed', { session: { 'x-tenant': 'production' } }],
  ])('%s: %s', async (_what, code, how) => {
    expect((await callFailing({ code, message: 'No' }, how)).code).toBe(code);
  });

  test.each([token, `E_${token}`, `E ${encodeURIComponent(token)}`, `Basic ${btoa(`a:${token}`)}`])(
    'a code that shows a secret gives way as a whole, to the default of its kind: %s (control)',
    async (code) => {
      expect((await callFailing({ code, message: 'No' })).code).toBe('NOT_FOUND');
    },
  );

  test.each<[string, Initialize]>([
    ['parameters', login({ user: 'admin' })],
    [
      'a function',
      async ({ request }) => {
        await request({ method: 'POST', path: '/initialize', json: { user: 'admin' } });
        return {};
      },
    ],
  ])('of a refused login by %s', async (_how, initialize) => {
    const connector = await scriptedConnector({
      initialize: (exchange) => exchange.fail(403, 'ADMIN_REQUIRED', 'Only an ADMIN may'),
    });
    const client = createConnectorClient({ baseUrl: connector.url, initialize: initialize as never });
    onTestFinished(() => client.close().catch(() => {}));
    expect((await rejection(client.get('/'))).code).toBe('ADMIN_REQUIRED');
  });

  test('a password that is a word is no code either (control)', async () => {
    const initialize = login({ password: 'swordfish' });
    expect((await callFailing({ code: 'swordfish', message: 'No' }, { initialize })).code).toBe('NOT_FOUND');
  });
});

describe('of message and detail whole words are redacted, and secrets only (E5)', () => {
  const messageOf = async (message: string, how: Parameters<typeof callFailing>[1]) =>
    (await callFailing({ code: 'A', message, detail: message }, how)).message;
  test.each<[string, string, string, Parameters<typeof callFailing>[1]]>([
    ['a name is none', 'No ISSUE 7', 'No ISSUE 7', { initialize: { parameters: { entity: 'ISSUE' } } }],
    [
      'what is named like a secret is one, as a word',
      'swordfish, swordfishes',
      '[redacted], swordfishes',
      { initialize: { parameters: { password: 'swordfish' } } },
    ],
    [
      'what is long and random is one, anywhere',
      'x3f9a-77b0-11x',
      'x[redacted]x',
      { initialize: { parameters: { id: '3f9a-77b0-11' } } },
    ],
    [
      'the marks decide',
      'eu-west-1 for ISSUE',
      'eu-west-1 for [redacted]',
      {
        initialize: {
          parameters: [
            { key: 'token', value: 'eu-west-1', sensitive: false },
            { key: 'entity', value: 'ISSUE', sensitive: true },
          ],
        },
      },
    ],
    [
      'those of the session too',
      'eu-west-1 for ISSUE',
      'eu-west-1 for [redacted]',
      {
        session: [
          { key: 'x-token', value: 'eu-west-1', sensitive: false },
          { key: 'x-entity', value: 'ISSUE', sensitive: true },
        ],
      },
    ],
    [
      'without marks name and looks',
      'production ISSUE eu-west-1',
      'production [redacted] [redacted]',
      {
        session: [
          { key: 'x-tenant', value: 'production' },
          { key: 'x-token', value: 'ISSUE' },
          { key: 'x-region', value: 'eu-west-1' },
        ],
      },
    ],
  ])('%s', async (_what, message, wanted, how) => {
    expect(await messageOf(message, how)).toContain(wanted);
    expect((await callFailing({ code: 'A', message: 'b', detail: message }, how)).detail).toBe(wanted);
  });

  test('marks go with a session that clients share', async () => {
    const connector = await scriptedConnector({
      guard: false,
      initialize: (exchange) => exchange.reply(200, [{ key: 'x-region', value: 'eu-west-1', sensitive: false }]),
      handle: (exchange) => exchange.fail(404, 'eu-west-1', 'eu-west-1 is closed'),
    });
    const state = memoryState();
    for (const _client of [1, 2]) {
      const client = createConnectorClient({ baseUrl: connector.url, initialize: { parameters: {} }, state });
      onTestFinished(() => client.close().catch(() => {}));
      const error = await rejection(client.get('/'));
      expect([error.code, error.message]).toEqual(['eu-west-1', expect.stringContaining('eu-west-1 is closed')]);
    }
    expect(connector.logins).toHaveLength(1);
  });
});

describe('a connector writes its codes as they are (E5)', () => {
  const fail = (code: string) => () => {
    throw new NotFoundError(`No ${code}`, { code });
  };

  test.each(Object.keys(hosts))('%s', async (name) => {
    let code = 'production_CLOSED';
    const host = await (hosts[name] as (typeof hosts)[string])(() => fail(code)(), {
      rateLimit: { header: 'x', format: 'milliseconds' },
      sessionHeaders: ['x-tenant', 'x-token'],
    });
    onTestFinished(async () => void (await host.close()));
    const ask = async () =>
      errorsOf(await send(host.url, { path: '/fail', headers: { 'x-tenant': 'production', 'x-token': token } }));
    expect(await ask()).toEqual({ code, message: 'No [redacted]_CLOSED' });
    code = `E-${token}`;
    expect(await ask()).toEqual({ code: 'NOT_FOUND', message: 'No E-[redacted]' });
  });

  test('initialize, with parameters marked as secrets and with an object of them', async () => {
    const connector = createConnector({
      initialize: { parameters: z.object({ entity: z.string() }), handler: fail('ISSUE_NOT_FOUND') },
      session: z.object({}),
    });
    const url = await start(connector);
    for (const body of [[{ key: 'entity', value: 'ISSUE', sensitive: true }], { entity: 'ISSUE' }]) {
      const answer = await send(url, { method: 'POST', path: '/initialize', body: JSON.stringify(body) });
      expect(errorsOf(answer).code).toBe('ISSUE_NOT_FOUND');
    }
  });

  test('session values that the login marked as no secrets stay, those it did not mark go', async () => {
    let sensitive: boolean | undefined = false;
    const connector = createConnector({
      initialize: {
        parameters: z.object({}),
        handler: () => [{ key: 'X-Region', value: 'eu-west-1', sensitive } as never],
      },
      session: z.object({ 'x-region': z.string() }),
    });
    connector.get('/', fail('eu-west-1_CLOSED'));
    const url = await start(new Hono().route('/', connector));
    const logIn = () => send(url, { method: 'POST', path: '/initialize', body: '{}' });
    const ask = async () => errorsOf(await send(url, { headers: { 'x-region': 'eu-west-1' } }));
    const open = { code: 'eu-west-1_CLOSED', message: 'No eu-west-1_CLOSED' };
    const closed = { code: 'NOT_FOUND', message: 'No [redacted]_CLOSED' };
    expect(await ask()).toEqual(closed); // nothing is known yet
    await logIn();
    expect(await ask()).toEqual(open);
    sensitive = undefined;
    await logIn();
    expect(await ask()).toEqual(closed);
    sensitive = false; // it was a secret once, and sessions of that time may still be about
    await logIn();
    expect(await ask()).toEqual(closed);
  });

  test('errorResponse with `redact`', async () => {
    const codeOf = async (code: string, redact: string[]) =>
      (await errorResponse(new ConnectorError('No', { status: 400, code }), { redact }).json()).errors.code;
    expect(await codeOf('ISSUE_NOT_FOUND', ['ISSUE'])).toBe('ISSUE_NOT_FOUND');
    expect(await codeOf('E-canary-secret', ['canary-secret'])).toBe('BAD_REQUEST');
  });
});
