import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type ApiKeys, openApiKeys, type RequestHeaders, RequestLookups } from 'concordat/api-keys';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyText } from '../helpers/any-text.js';
import { ada } from './helpers/people.js';

// One database for all: nothing here depends on it, and nothing is changed.
let apiKeys: ApiKeys;
let key: string;
let other: string;

beforeAll(async () => {
  apiKeys = await openApiKeys({ database: ':memory:', edition: 'Professional' });
  const expiresOn = apiKeys.maxExpiresOn();
  key = (await apiKeys.create(ada, { name: 'CI', expiresOn })).key;
  other = (await apiKeys.create(ada, { name: 'Other', expiresOn })).key;
});
afterAll(async () => await apiKeys.close());

const outcomeOf = async (headers: RequestHeaders) => {
  const verification = await apiKeys.verify(headers);
  return verification.outcome === 'refused' ? verification.reason : verification.outcome;
};

type Pairs = readonly (readonly [string, string])[];
const basic = 'Basic YWRhOnNlY3JldA==';

/** What was sent, and what it amounts to (K8). `<K>` and `<L>` stand for two good keys. */
const cases: readonly [title: string, sent: Pairs, outcome: string][] = [
  ['no header', [], 'none'],
  ['x-api-key', [['x-api-key', '<K>']], 'authenticated'],
  ['X-API-KEY', [['X-API-KEY', '<K>']], 'authenticated'],
  ['Authorization: ApiKey', [['Authorization', 'ApiKey <K>']], 'authenticated'],
  ['the scheme in small letters', [['authorization', 'apikey <K>']], 'authenticated'],
  ['the scheme in capitals', [['authorization', 'APIKEY <K>']], 'authenticated'],
  ['several blanks after the scheme', [['authorization', 'ApiKey    <K>']], 'authenticated'],
  [
    'both headers with one key',
    [
      ['x-api-key', '<K>'],
      ['authorization', 'ApiKey <K>'],
    ],
    'authenticated',
  ],
  [
    'both headers with different keys',
    [
      ['x-api-key', '<K>'],
      ['authorization', 'ApiKey <L>'],
    ],
    'different-keys',
  ],
  [
    'a good key beside Basic of a proxy',
    [
      ['x-api-key', '<K>'],
      ['authorization', basic],
    ],
    'authenticated',
  ],
  [
    'a good key beside an unknown scheme',
    [
      ['x-api-key', '<K>'],
      ['authorization', 'Bearer abc'],
    ],
    'authenticated',
  ],
  [
    'a bad key beside Basic: no way out to Basic',
    [
      ['x-api-key', 'nonsense'],
      ['authorization', basic],
    ],
    'malformed',
  ],
  [
    'an empty key beside Basic',
    [
      ['x-api-key', ''],
      ['authorization', basic],
    ],
    'malformed',
  ],
  ['only Basic', [['authorization', basic]], 'none'],
  ['only Bearer', [['authorization', 'Bearer <K>']], 'none'],
  ['only Digest, whose value has commas', [['authorization', 'Digest username="a", realm="b"']], 'none'],
  ['an empty x-api-key', [['x-api-key', '']], 'malformed'],
  ['an empty authorization', [['authorization', '']], 'malformed'],
  [
    'a good key beside an empty authorization',
    [
      ['x-api-key', '<K>'],
      ['authorization', ''],
    ],
    'malformed',
  ],
  ['the scheme alone', [['authorization', 'ApiKey']], 'malformed'],
  ['the scheme glued to the key', [['authorization', 'ApiKey<K>']], 'none'],
  ['a tab after the scheme', [['authorization', 'ApiKey\t<K>']], 'malformed'],
  ['two keys in one header', [['authorization', 'ApiKey <K> <L>']], 'malformed'],
  ['a key in quotes', [['x-api-key', '"<K>"']], 'malformed'],
  ['the scheme in x-api-key', [['x-api-key', 'ApiKey <K>']], 'malformed'],
  [
    'x-api-key twice, the same',
    [
      ['x-api-key', '<K>'],
      ['x-api-key', '<K>'],
    ],
    'repeated-header',
  ],
  [
    'x-api-key twice, different',
    [
      ['x-api-key', '<K>'],
      ['X-Api-Key', '<L>'],
    ],
    'repeated-header',
  ],
  ['x-api-key joined by a comma', [['x-api-key', '<K>, <K>']], 'repeated-header'],
  [
    'authorization twice, both keys',
    [
      ['authorization', 'ApiKey <K>'],
      ['authorization', 'ApiKey <K>'],
    ],
    'repeated-header',
  ],
  [
    'authorization twice, Basic first',
    [
      ['authorization', basic],
      ['authorization', 'ApiKey <K>'],
    ],
    'repeated-header',
  ],
  [
    'authorization twice, a key first',
    [
      ['authorization', 'ApiKey <K>'],
      ['authorization', basic],
    ],
    'repeated-header',
  ],
  [
    'authorization twice, both Basic',
    [
      ['authorization', basic],
      ['authorization', basic],
    ],
    'repeated-header',
  ],
  ['a key smuggled in after Digest', [['authorization', 'Digest a="b", ApiKey <K>']], 'repeated-header'],
  ['the scheme alone after Digest', [['authorization', 'Digest a="b", ApiKey']], 'repeated-header'],
  [
    'a good x-api-key beside Basic twice',
    [
      ['x-api-key', '<K>'],
      ['authorization', `${basic}, ${basic}`],
    ],
    'repeated-header',
  ],
  [
    'other headers that look alike',
    [
      ['x-api-keys', '<K>'],
      ['api-key', '<K>'],
      ['x-api-key2', '<K>'],
    ],
    'none',
  ],
  [
    'the key in the query and cookie of another',
    [
      ['cookie', 'x-api-key=<K>'],
      ['x-forwarded-authorization', 'ApiKey <K>'],
    ],
    'none',
  ],
];
const fill = (sent: Pairs): [string, string][] =>
  sent.map(([name, value]) => [name, value.replace(/<[KL]>/g, (slot) => (slot === '<K>' ? key : other))]);

describe('presented keys (K8)', () => {
  it.each(cases)('%s, as rawHeaders, pairs and fetch Headers', async (_, sent, outcome) => {
    const pairs = fill(sent);
    expect(await outcomeOf(pairs)).toBe(outcome);
    expect(await outcomeOf(pairs.flat())).toBe(outcome);
    // Fetch trims and joins; a header that is only whitespace arrives empty.
    expect(await outcomeOf(new Headers(pairs))).toBe(outcome);
  });

  it.each(cases)('%s, through a real server: rawHeaders and headersDistinct', async (_, sent, outcome) => {
    const seen: string[] = [];
    const server = createServer(async (request, response) => {
      seen.push(await outcomeOf(request.rawHeaders));
      seen.push(await outcomeOf(request.headersDistinct));
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const lines = fill(sent).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`GET / HTTP/1.1\r\nhost: x\r\n${lines.join('')}connection: close\r\n\r\n`);
    await once(socket.resume(), 'close');
    server.close();
    expect(seen).toEqual([outcome, outcome]);
  });

  it("Node's own `headers` joins x-api-key, which is refused as well", async () => {
    expect(await outcomeOf({ 'x-api-key': `${key}, ${key}` })).toBe('repeated-header');
    expect(await outcomeOf({ 'x-api-key': [key, key] })).toBe('repeated-header');
    expect(await outcomeOf({ 'x-api-key': [key] })).toBe('authenticated');
    expect(await outcomeOf({ 'x-api-key': key, 'X-Api-Key': key })).toBe('repeated-header');
    expect(await outcomeOf({ 'x-api-key': undefined, 'X-API-Key': key, accept: '*/*' })).toBe('authenticated');
  });

  it.each([
    ['nothing but the prefix', 'ck_'],
    ['another prefix', (good: string) => `sk${good.slice(2)}`],
    ['no prefix', (good: string) => good.slice(3)],
    ['a capital prefix', (good: string) => `CK${good.slice(2)}`],
    ['one character less', (good: string) => good.slice(0, -1)],
    ['one character more', (good: string) => `${good}0`],
    ['a line break at the end', (good: string) => `${good}\n`],
    ['a line break inside', (good: string) => good.replace('_', '_\r\n')],
    ['blanks around', (good: string) => ` ${good} `],
    ['a NUL at the end', (good: string) => `${good}\0`],
    ['a letter of another script', (good: string) => good.replace(/.$/, 'а')],
    ['full-width digits', (good: string) => good.replace(/.$/, '１')],
    ['a base64url character', (good: string) => good.replace(/.$/, '-')],
    ['percent encoding', (good: string) => good.replace('_', '%5f')],
    ['a megabyte', 'ck_'.padEnd(1 << 20, 'a')],
    ['SQL', "ck_' or '1'='1"],
    ['an id that is a pattern', (good: string) => `ck_%%%%%%%%%%%%${good.slice(15)}`],
    ['JSON', '{"$ne":null}'],
    ['the prototype', '__proto__'],
  ])('a key that is %s is refused before any look-up', async (_, change) => {
    const value = typeof change === 'string' ? change : change(key);
    expect(await apiKeys.verify({ 'x-api-key': value })).toEqual({ outcome: 'refused', reason: 'malformed' });
    expect(await apiKeys.authenticate({ authorization: `ApiKey ${value}` })).toBeUndefined();
    expect(await outcomeOf({ 'x-api-key': key })).toBe('authenticated');
  });

  it.each([7, true, {}, [], [7], [[]], () => 'x', Symbol('x'), new Date()])(
    'a header value that is no text (%o) is never a good key',
    async (value) => {
      const outcome = await outcomeOf({ 'x-api-key': value } as unknown as RequestHeaders);
      expect(['malformed', 'none']).toContain(outcome);
    },
  );

  it('finds every single typo by the checksum alone', async () => {
    const place = fc.integer({ min: 3, max: 76 }).filter((index) => key[index] !== '_');
    const letter = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
    await fc.assert(
      fc.asyncProperty(place, letter, async (index, replacement) => {
        fc.pre(key[index] !== replacement);
        const typo = key.slice(0, index) + replacement + key.slice(index + 1);
        expect(await apiKeys.verify({ 'x-api-key': typo })).toEqual({ outcome: 'refused', reason: 'malformed' });
      }),
    );
  });

  it('never lets anything in that is not the key', async () => {
    await fc.assert(
      fc.asyncProperty(anyText(), anyText(), async (plain, authorization) => {
        fc.pre(plain !== key);
        expect(await apiKeys.authenticate({ 'x-api-key': plain, authorization })).toBeUndefined();
        expect(await apiKeys.authenticate({ authorization })).toBeUndefined();
      }),
    );
  });

  it('wants headers at all', async () => {
    for (const headers of [undefined, null, 'x-api-key', 7] as unknown as RequestHeaders[]) {
      await expect(apiKeys.authenticate(headers)).rejects.toThrow(/`headers`/);
    }
  });
});

it.each<[string, (key: string) => unknown]>([
  ['a Request', (key) => new Request('http://localhost/', { headers: { 'x-api-key': key } })],
  ['a request of Node', (key) => ({ headers: { 'x-api-key': key }, rawHeaders: ['x-api-key', key] })],
])('%s in place of its headers is a TypeError that says what to pass', async (_, requestWith) => {
  const request = requestWith(key) as { headers: RequestHeaders };
  const message = '`headers` must be the headers of a request, such as `request.headers`, not the request.';
  for (const call of [apiKeys.authenticate, apiKeys.verify]) {
    await expect(call(request as never)).rejects.toThrow(new TypeError(message));
    expect(await call(request.headers)).toMatchObject({ userId: 'u-ada' });
  }
});

it('a header may be called `headers`', async () => {
  for (const value of ['a', ['a', 'b'], undefined]) {
    expect(await outcomeOf({ headers: value, 'x-api-key': key })).toBe('authenticated');
  }
});

it.each<[string, unknown, RegExp]>([
  ['the address alone', '10.0.0.7', /^`from` must be an object such as /],
  ['nothing', null, /^`from` must be an object such as /],
  ['a list', ['10.0.0.7'], /^`from` must be an object such as /],
  ['a socket', { remoteAddress: '10.0.0.7', address: () => {} }, /^`from` must be an object such as /],
  ['RequestLookups', new RequestLookups(), /^`from` must be an object such as /],
  ['a misspelt name', { addres: '10.0.0.7' }, /^`from\.addres` is not an option: did you mean `address`/],
])('where a request comes from is no %s', async (_, from, message) => {
  await expect(apiKeys.authenticate({ 'x-api-key': key }, from as never)).rejects.toThrow(message);
  await expect(apiKeys.authenticate({}, from as never)).rejects.toThrow(message);
});

it('where a request comes from may say more than the address', async () => {
  const remote = { address: '10.0.0.7', port: 4711, addressType: 'IPv4' };
  expect(await apiKeys.authenticate({ 'x-api-key': key }, remote)).toMatchObject({ userId: 'u-ada' });
});

it('a header that is no text is malformed', async () => {
  expect(await outcomeOf({ authorization: 7 } as unknown as RequestHeaders)).toBe('malformed');
});
