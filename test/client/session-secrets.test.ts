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

it.each(['', ' ', '\t '])('the password of a Basic header is not shown, with %j behind it (E5)', async (space) => {
  const connector = await scriptedConnector();
  connector.handle = (exchange: Exchange) => exchange.fail(400, 'BAD', `not with ${word} here`);
  const headers = { authorization: `Basic ${btoa(`ada:${word}`)}${space}` };
  const error = await rejection(connect(connector).get('/items', { headers }));
  expect(error.message).toContain('not with [redacted] here');
});
