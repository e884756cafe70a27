import type { ConnectorClientOptions } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { connect } from '../helpers/connect.js';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection } from '../helpers/until.js';
import { show } from '../helpers/visible.js';

type Entry = { key: string; value: string; sensitive?: boolean };

const word = 'canary'; // a word, which only a mark or a name makes a secret
const random = '7f3a9c4e-51d0-canary'; // long and random

const cases: [string, Entry, boolean][] = [
  ['without `sensitive`, by its name', { key: 'x-session', value: word }, false],
  ['without `sensitive`, by its looks', { key: 'x-id', value: random }, false],
  ['with `sensitive: true`', { key: 'x-tenant', value: word, sensitive: true }, false],
  [
    'control: with `sensitive: false`, whatever its name and looks',
    { key: 'x-session', value: random, sensitive: false },
    true,
  ],
  ['control: without `sensitive`, where neither name nor looks say so', { key: 'x-tenant', value: word }, true],
];

describe('what an error shows of a session whose list a connector sends (E5, S7)', () => {
  it.each(cases)('an entry %s', async (_name, entry, isShown) => {
    const connector = await scriptedConnector({ guard: false, initialize: (exchange) => exchange.reply(200, [entry]) });
    connector.handle = (exchange: Exchange) =>
      exchange.reply(400, { errors: { code: 'BAD', message: `not for ${entry.value} here`, detail: entry.value } });
    const error = await rejection(connect(connector).get('/items'));
    expect(connector.requests[0]?.headers[entry.key]).toBe(entry.value);
    expect(show(error).includes(entry.value)).toBe(isShown);
    expect(error.message).toContain(isShown ? `not for ${entry.value} here` : 'not for [redacted] here');
  });

  it.each(cases)('the same of a login function: an entry %s', async (_name, entry, isShown) => {
    const connector = await scriptedConnector({ guard: false });
    connector.handle = (exchange: Exchange) => exchange.fail(400, 'BAD', `not for ${entry.value} here`);
    const initialize = (async () => [entry]) as unknown as ConnectorClientOptions['initialize'];
    const error = await rejection(connect(connector, { initialize }).get('/items'));
    expect(error.message.includes(entry.value)).toBe(isShown);
  });
});

type Login = Parameters<
  Parameters<Extract<ConnectorClientOptions['initialize'], (context: never) => unknown>>[0]['request']
>[0];

/** What a login function sends, with the secret that the connector echoes. */
const sent: [string, Omit<Login, 'method' | 'path'> & { path?: string }, string][] = [
  ['a number in `json`', { json: { pin: 48151623 } }, '48151623'],
  ['what `toJSON` makes of a value', { json: { key: { toJSON: () => word } } }, word],
  ['a string in a JSON text', { body: JSON.stringify({ user: { password: word } }) }, word],
  ['a number in a JSON text', { body: '{"pin":48151623}' }, '48151623'],
  ['JSON as bytes', { body: Buffer.from(JSON.stringify([word])) }, word],
  ['a form as bytes', { body: Buffer.from(`user=ada&password=${word}`) }, word],
  ['a text node of XML', { body: `<login>\n  <password> ${word} </password>\n</login>` }, word],
  ['an escaped text node of XML', { body: `<a><password>${word}&lt;&amp;</password></a>` }, `${word}<&`],
  ['a CDATA of XML', { body: `<a><password><![CDATA[${word}]]></password></a>` }, word],
  ['an attribute of XML', { body: `<login password = '${word}' user="ada"/>` }, word],
  ['a line of text', { body: `ada\r\n${word}\r\n` }, word],
  ['a header of any name', { headers: { 'x-company-pin': word } }, word],
  ['a value in the query', { path: `/initialize?pin=${word}` }, word],
];

describe.each(sent)('what a login function sends is secret (E5): %s', (_name, options, secret) => {
  const log = async (initialize: (exchange: Exchange) => void) => {
    const connector = await scriptedConnector({ guard: false, initialize });
    connector.handle = (exchange: Exchange) => exchange.fail(400, 'BAD', `not with ${secret} here`);
    const client = connect(connector, {
      initialize: async ({ request }) => {
        await request({ method: 'POST', path: '/initialize', ...options });
        return { 'x-session': 'session-1' };
      },
    });
    const error = await rejection(client.get('/items'));
    expect(connector.logins).toHaveLength(1);
    expect(error.message).toContain('not with [redacted] here');
    expect(show(error)).not.toContain(secret);
  };

  it('in the error of the login', () => log(({ fail }) => fail(400, 'BAD', `not with ${secret} here`)));

  it('in the error of a later call', () => log(({ reply }) => reply(200, {})));
});

it('of a login function in steps, the error of one shows nothing of an earlier one (E5)', async () => {
  const connector = await scriptedConnector({ initialize: ({ reply }) => reply(200, {}) });
  connector.initialize = ({ number, reply, fail }) => (number === 1 ? reply(200, {}) : fail(400, 'BAD', `not ${word}`));
  const client = connect(connector, {
    initialize: async ({ request }) => {
      await request({ method: 'POST', path: '/initialize', json: { password: word } });
      await request({ method: 'POST', path: '/initialize', headers: { accept: 'text/plain' } });
      return {};
    },
  });
  expect((await rejection(client.get('/items'))).message).toContain('not [redacted]');
});

it('the standard headers of a login function are no secrets', async () => {
  const connector = await scriptedConnector({ initialize: ({ fail }) => fail(400, 'BAD', 'text/plain, please') });
  const headers = { Accept: 'text/plain', 'content-type': 'text/plain', 'user-agent': 'please' };
  const client = connect(connector, {
    initialize: async ({ request }) => {
      await request({ method: 'POST', path: '/initialize', headers, body: 'x' });
      return {};
    },
  });
  expect((await rejection(client.get('/items'))).message).toContain('text/plain, please');
});

it.each(['', ' ', '\t '])('the password of a Basic header is not shown, with %j behind it (E5)', async (space) => {
  const connector = await scriptedConnector();
  connector.handle = (exchange: Exchange) => exchange.fail(400, 'BAD', `not with ${word} here`);
  const headers = { authorization: `Basic ${btoa(`ada:${word}`)}${space}` };
  const error = await rejection(connect(connector).get('/items', { headers }));
  expect(error.message).toContain('not with [redacted] here');
});
