import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type AdminHost, basic, inDays, startAdmin } from './helpers/admin-host.js';

const huge = 'x'.repeat(70_000);

/** Text that breaks something somewhere. */
const texts = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'; DROP TABLE api_keys; --",
  "' OR '1'='1",
  '%_\\%',
  '{{7*7}} <%= 7*7 %>',
  '../../../../etc/passwd',
  '=HYPERLINK("http://evil.example")',
  '😀😀😀',
  'é́',
  'مرحبا',
  '%00%0d%0aSet-Cookie: a=b',
];

/** What is no usable name (rule K3). */
const badNames: [string, unknown][] = [
  ['nothing', ''],
  ['blanks', ' \t\u00a0 '],
  ['a NUL', 'a\0b'],
  ['a line break', 'a\r\nSet-Cookie: b=c'],
  ['an escape', '\u001b[31mred'],
  ['a change of direction', 'a\u202eb'],
  ['only invisible characters', '\u200b\u200b'],
  ['half a character', 'a\ud800'],
  ['101 characters', 'x'.repeat(101)],
  ['a number', 7],
  ['true', true],
  ['null', null],
  ['an array', ['Export']],
  ['an object', { toString: 'Export' }],
  ['an object with $ne', { $ne: null }],
];

const badExpiries: [string, unknown][] = [
  ['nothing', ''],
  ['a word', 'tomorrow'],
  ['a local time', '2027-01-01T10:00:00'],
  ['31 February', '2027-02-31T00:00:00Z'],
  ['hour 25', '2027-01-01T25:00:00Z'],
  ['an offset that does not exist', '2027-01-01T00:00:00+25:00'],
  ['epoch milliseconds', Date.UTC(2027, 0, 1)],
  ['epoch milliseconds as text', String(Date.UTC(2027, 0, 1))],
  ['a number no date holds', 8.64e15 + 1],
  ['null', null],
  ['an array', ['2027-01-01']],
  ['an object', { $date: '2027-01-01' }],
  ['a year of six digits', '+275760-09-13T00:00:00Z'],
  ['text behind it', '2027-01-01T00:00:00Z; DROP TABLE'],
  ['70 KB of digits', '9'.repeat(60_000)],
];

async function post(host: AdminHost, body: string | Buffer | object, headers: readonly string[] = []) {
  return await host.send({ method: 'POST', path: '/api/v1/api-keys', headers: [...basic('alice'), ...headers], body });
}

function expectPlainError(answer: Awaited<ReturnType<typeof post>>, status = 400) {
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject({ errorMessage: expect.stringMatching(/\S/), stackTrace: null });
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.text).not.toMatch(/\bat .*\.[jt]s|node_modules|sqlite|SQL/i);
}

describe('fields of a key', () => {
  it.each(badNames)('a name that is %s is 400 with an error of the field', async (_, name) => {
    const host = await startAdmin();
    const answer = await post(host, { name, expiresOn: inDays(1) });
    expectPlainError(answer);
    expect(answer.body.fieldErrors).toMatchObject([{ field: 'name' }]);
    expect(host.errors).toEqual([]);
  });

  it.each(badExpiries)('an expiry that is %s is 400 with an error of the field', async (_, expiresOn) => {
    const host = await startAdmin();
    const answer = await post(host, { name: 'Export', expiresOn });
    expectPlainError(answer);
    expect(answer.body.fieldErrors).toMatchObject([{ field: 'expiresOn' }]);
    expect(host.errors).toEqual([]);
  });

  it('any other text is a name like all others, and comes back as it was', async () => {
    const host = await startAdmin();
    const { key } = await host.key('u-alice', 'Acting');
    for (const name of texts) {
      const created = await host.as(key, 'POST', '/api-keys', { name, expiresOn: inDays(1) });
      expect(created.status, name).toBe(201);
      expect(created.body.name).toBe(name.normalize('NFC'));
      const found = await host.as(key, 'GET', `/api-keys?search=${encodeURIComponent(name)}`);
      expect(found.body.items.map((item: { name: string }) => item.name)).toContain(name.normalize('NFC'));
      const edited = await host.as(key, 'PATCH', `/api-keys/${created.body.id}`, { name: `${name}!` });
      expect(edited.status).toBe(200);
    }
    expect((await host.as(key, 'GET', '/audits')).body.items).toHaveLength(1 + 2 * texts.length);
    expect(host.errors).toEqual([]);
  });

  it('names from Object.prototype are no fields', async () => {
    const host = await startAdmin();
    const body =
      '{"__proto__":{"name":"Polluted","expiresOn":"2027-01-01"},"constructor":{"prototype":{"superAdmin":true}}}';
    const answer = await post(host, body);
    expectPlainError(answer);
    expect(answer.body.fieldErrors).toHaveLength(2);
    expect(({} as Record<string, unknown>).superAdmin).toBeUndefined();
  });
});

describe('bodies', () => {
  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['cut JSON', '{"name":"Export"'],
    ['JSON with a comma too much', '{"name":"Export",}'],
    ['text', 'name=Export&expiresOn=2027-01-01'],
    ['null', 'null'],
    ['an array', '[{"name":"Export"}]'],
    ['a number', '7'],
    ['text in quotes', '"Export"'],
    ['NaN', '{"name":NaN}'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Buffer.from('{"name":"Export"}', 'utf16le')],
    ['30,000 opened arrays', '['.repeat(30_000)],
  ])('%s is 400 in the body of the Admin API', async (_, body) => {
    const host = await startAdmin();
    const answer = await post(host, body);
    expectPlainError(answer);
    expect(answer.body.errorMessage).toMatch(
      /^The request body must be a JSON object(?: in UTF-8, and not compressed)?\.$/,
    );
    expect(host.errors).toEqual([]);
  });

  it.each([
    ['compressed', gzipSync('{"name":"Export"}')],
    ['in Latin-1', Buffer.from('{"name":"Gr\u00fcn"}', 'latin1')],
  ])('a body %s is told what it must be', async (_what, body) => {
    const answer = await post(await startAdmin(), body);
    expect(answer.body.errorMessage).toBe('The request body must be a JSON object in UTF-8, and not compressed.');
  });

  it('more than 64 KiB is 400, told by its length or not, and 64 KiB are read (control)', async () => {
    const host = await startAdmin();
    const large = await post(host, JSON.stringify({ name: huge }));
    expectPlainError(large);
    expect(large.body.errorMessage).toBe('The request body must not exceed 65536 bytes.');
    const chunked = await post(host, JSON.stringify({ name: huge }), ['transfer-encoding', 'chunked']);
    expect(chunked.body.errorMessage).toBe('The request body must not exceed 65536 bytes.');
    const fits = JSON.stringify({ name: 'Export', expiresOn: inDays(1), padding: '' });
    const padded = fits.replace('"padding":""', `"padding":"${'x'.repeat(65_536 - fits.length)}"`);
    expect(Buffer.byteLength(padded)).toBe(65_536);
    expect((await post(host, padded)).status).toBe(201);
  });

  it('a body in pieces, a byte order mark and a foreign content type are read', async () => {
    const host = await startAdmin();
    const body = (name: string) => JSON.stringify({ name, expiresOn: inDays(1) });
    expect((await post(host, body('é'), ['transfer-encoding', 'chunked'])).status).toBe(201);
    expect((await post(host, `\ufeff${body('b')}`)).status).toBe(201);
    expect((await post(host, body('c'), ['content-type', 'text/plain'])).status).toBe(201);
  });

  it('a client that hangs up in the middle of a body harms nobody', async () => {
    const host = await startAdmin();
    const socket = connect(host.port, '127.0.0.1');
    const [name, value] = basic('alice');
    socket.write(
      `POST /api/v1/api-keys HTTP/1.1\r\nhost: x\r\n${name}: ${value}\r\ncontent-length: 500\r\n\r\n{"name"`,
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    socket.destroy();
    expect((await host.as('alice', 'GET', '/api-keys')).body.items).toEqual([]);
    expect(host.errors).toEqual([]);
  });
});

describe('ids', () => {
  it.each([
    'x',
    'AAAAAAAAAAAAA',
    'AAAAAAAAAAA%00',
    '%00',
    '..%2f..%2fme',
    "'%20OR%20'1'='1",
    '%F0%9F%98%80',
    '%ff',
    '%E0%A4%A',
    '__proto__',
    'x'.repeat(4000),
  ])('%s is 404', async (id) => {
    const host = await startAdmin();
    const { key } = await host.key('u-alice', 'Export');
    for (const [method, suffix] of [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/revoke'],
    ] as const) {
      const body = method === 'PATCH' ? { name: 'New' } : undefined;
      expectPlainError(await host.as(key, method, `/api-keys/${id}${suffix}`, body), 404);
    }
    expect(host.errors).toEqual([]);
  });
});

describe('queries', () => {
  it.each([
    'scope=other',
    'scope=ALL',
    'status=active',
    'status=%00',
    'sort=color',
    'sort=name;drop',
    'sort=__proto__',
    'limit=0',
    'limit=-1',
    'limit=201',
    'limit=1.5',
    'limit=1e3',
    'limit=abc',
    'limit=9999999999999999999',
    'limit=%20',
    'cursor=abc',
    'cursor=bnVsbA',
    `cursor=${Buffer.from(JSON.stringify(['-createdOn', { a: 1 }, 'x'])).toString('base64url')}`,
    `cursor=${Buffer.from(JSON.stringify(['-createdOn', 1e300, 'x'])).toString('base64url')}`,
    `search=${'x'.repeat(201)}`,
    'search=a%00b',
    'limit=1&limit=2',
    'total=1',
    'total=yes',
    'skip=-1',
    'skip=1.5',
    'skip=99999999999',
    'scope=my&scope=all',
  ])('GET /api-keys?%s is 400 with an error of the field', async (query) => {
    const host = await startAdmin();
    const answer = await host.as('root', 'GET', `/api-keys?${query}`);
    expectPlainError(answer);
    expect(answer.body.fieldErrors).toMatchObject([{ field: query.split('=')[0] }]);
    expect(host.errors).toEqual([]);
  });

  it.each([
    'revisionType=Delete',
    'cursor=%00',
    'limit=0',
    'scope=x',
    'apiKeyId=a&apiKeyId=b',
    'author=%00',
    'origin=ui',
    'from=2027-02-30',
    'to=now',
    'from=2027-01-01&to=2026-01-01',
    'skip=x',
    'total=1',
  ])('GET /audits?%s is 400', async (query) => {
    const host = await startAdmin();
    expectPlainError(await host.as('root', 'GET', `/audits?${query}`));
  });

  it('an unknown parameter, and a percent sign that means nothing, are harmless', async () => {
    const host = await startAdmin();
    for (const query of ['userId=u-bob', 'x[]=1&__proto__=2', 'search=%', 'search=%ff', '?', '&&&=']) {
      expect((await host.as('alice', 'GET', `/api-keys?${query}`)).status, query).toBe(200);
    }
  });
});

describe('headers', () => {
  it.each<[string, readonly string[]]>([
    ['a key of 12 KB', ['x-api-key', `ck_${'a'.repeat(12_000)}`]],
    ['a key in quotes', ['x-api-key', `"ck_${'a'.repeat(12)}_${'b'.repeat(49)}"`]],
    ['bytes beyond ASCII', ['x-api-key', 'clé']],
    ['a tab in it', ['authorization', `ApiKey\tck_${'a'.repeat(12)}_${'b'.repeat(49)}`]],
    ['blanks in it', ['authorization', 'ApiKey a b']],
    ['a Basic of 12 KB', ['authorization', `Basic ${Buffer.from(`alice:${'x'.repeat(9000)}`).toString('base64')}`]],
    ["a username of Object.prototype's", basic('__proto__')],
    ['an injection', basic("' OR '1'='1")],
    ['commas only', ['x-api-key', ',,,']],
  ])('credentials with %s are refused like all others (K9)', async (_, headers) => {
    const host = await startAdmin();
    const answer = await host.send({ path: '/api/v1/me', headers });
    expectPlainError(answer, 401);
    expect(answer.body.errorMessage).toBe(
      'Authentication failed. Valid credentials are required to access this resource.',
    );
    expect(host.errors).toEqual([]);
  });

  it('nothing of a request comes back in a header', async () => {
    const host = await startAdmin();
    const answer = await host.as('alice', 'POST', '/api-keys', { name: 'Canary-Name', expiresOn: inDays(1) });
    expect(JSON.stringify(answer.headers)).not.toContain('Canary');
  });

  it('a method override is no method', async () => {
    const host = await startAdmin();
    const { id, key } = await host.key('u-alice', 'Export');
    const headers = ['x-api-key', key, 'x-http-method-override', 'PATCH'];
    const answer = await host.send({ method: 'GET', path: `/api/v1/api-keys/${id}?_method=PATCH`, headers });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ version: 1 });
  });
});
