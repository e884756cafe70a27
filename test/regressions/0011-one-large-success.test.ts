// One success of 98 MiB stopped a service: `JSON.parse` of `[[[…` took 49 s and 3.3 GB, because `maxResponseBytes` was 100 MiB
// by default and nothing bounded how deep an answer may be nested. An attack with large answers found it. The bound is 10 MiB
// now, and JSON of more than 1,000 levels is refused before it is parsed.
import { describe, expect, it } from 'vitest';
import { connect } from '../helpers/connect.js';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection } from '../helpers/until.js';

const mebibyte = 1024 * 1024;
const json = { 'content-type': 'application/json' };
const transports = [
  ['undici', {}],
  ['fetch', { fetch: (input: string | URL | Request, init?: RequestInit) => globalThis.fetch(input, init) }],
] as const;

async function answerOf(body: string, options: object, headers: Record<string, string> = json) {
  const handle = (exchange: Exchange) => exchange.reply(200, body, headers);
  return connect(await scriptedConnector({ handle }), options).get('/items');
}

describe.each(transports)('by %s', (_name, transport) => {
  it('a success of more than 10 MiB is refused by default (E8)', async () => {
    const error = await rejection(answerOf('x'.repeat(10 * mebibyte + 1), transport, {}));
    expect(error).toMatchObject({ name: 'RequestError', code: 'RESPONSE_TOO_LARGE', status: 200 });
  });

  it('one of 10 MiB arrives, and with `maxResponseBytes` a larger one (control)', async () => {
    await expect(answerOf('x'.repeat(10 * mebibyte), transport, {})).resolves.toHaveLength(10 * mebibyte);
    const options = { ...transport, maxResponseBytes: 20 * mebibyte };
    await expect(answerOf('x'.repeat(20 * mebibyte), options, {})).resolves.toHaveLength(20 * mebibyte);
  });

  it.each([
    ['lists', (levels: number) => '['.repeat(levels) + ']'.repeat(levels)],
    ['objects', (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`],
    [
      'both',
      (levels: number) =>
        `${'[{"a":'.repeat(Math.ceil((levels - 2) / 2))}[[]]${'}]'.repeat(Math.ceil((levels - 2) / 2))}`,
    ],
    ['lists that never end', (levels: number) => '['.repeat(levels)],
    ['lists after strings', (levels: number) => `["a\\\\","\\"",${'['.repeat(levels - 1)}${']'.repeat(levels)}`],
  ])('JSON of more than 1,000 levels is refused, and says so: %s (E8)', async (_what, nest) => {
    const error = await rejection(answerOf(nest(1001), transport));
    expect(error).toMatchObject({ name: 'RequestError', code: 'INVALID_JSON', status: 200 });
    expect(error.message).toContain('nested more than 1000 levels deep');
  });

  it('JSON of 1,000 levels arrives, and brackets in strings are no levels (control)', async () => {
    const nested = '['.repeat(1000) + ']'.repeat(1000);
    expect(JSON.stringify(await answerOf(nested, transport))).toBe(nested);
    const texts = JSON.stringify(['['.repeat(3000), `"${'{'.repeat(3000)}\\`, '\\"', { '[[': '['.repeat(3000) }]);
    expect(JSON.stringify(await answerOf(texts, transport))).toBe(texts);
    const wide = `[${'[],'.repeat(5000)}[]]`;
    expect(await answerOf(wide, transport)).toHaveLength(5001);
  });

  it('a login function is bounded as well', async () => {
    const connector = await scriptedConnector({
      initialize: (exchange) => exchange.reply(200, '['.repeat(5000), json),
    });
    const client = connect(connector, {
      ...transport,
      initialize: async ({ request }) => (await request({ method: 'POST', path: '/initialize' })).data as never,
    });
    expect((await rejection(client.get('/items'))).message).toContain('nested more than 1000 levels deep');
  });
});
