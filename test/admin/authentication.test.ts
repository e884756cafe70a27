import { hashPassword } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { type AdminHost, basic, inDays, password, startAdmin } from './helpers/admin-host.js';

const refusal = {
  errorMessage: 'Authentication failed. Valid credentials are required to access this resource.',
  stackTrace: null,
};

const me = (host: AdminHost, headers: readonly string[] = []) => host.send({ path: '/api/v1/me', headers });

function expectRefusal(answer: Awaited<ReturnType<typeof me>>) {
  expect(answer.status).toBe(401);
  expect(answer.body).toEqual(refusal);
  expect(answer.headers['www-authenticate']).toBe('ApiKey');
  expect(answer.headers['cache-control']).toBe('no-store');
}

describe('presenting a key (K8)', () => {
  it.each([
    ['x-api-key', (key: string) => ['x-api-key', key]],
    ['X-API-KEY', (key: string) => ['X-API-KEY', key]],
    ['Authorization: ApiKey', (key: string) => ['Authorization', `ApiKey ${key}`]],
    ['any case of the scheme', (key: string) => ['authorization', `apikey ${key}`]],
    ['both with the same key', (key: string) => ['x-api-key', key, 'authorization', `ApiKey ${key}`]],
    ["a good key beside a proxy's Basic", (key: string) => ['x-api-key', key, ...basic('nobody', 'proxy')]],
    ['a good key beside a Bearer token', (key: string) => ['x-api-key', key, 'authorization', 'Bearer abc']],
  ])('%s authenticates', async (_, headers) => {
    const host = await startAdmin();
    const { id, key } = await host.key('u-alice', 'Export');
    const answer = await me(host, headers(key));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ user: { id: 'u-alice' }, authenticatedBy: 'api-key', apiKey: { id } });
  });

  it.each<[string, string, (key: string, other: string) => string[]]>([
    ['an empty x-api-key', 'malformed', () => ['x-api-key', '']],
    ['an empty x-api-key beside good Basic', 'malformed', () => ['x-api-key', '', ...basic('alice')]],
    ['ApiKey without a key', 'malformed', () => ['authorization', 'ApiKey']],
    ['something that is no key', 'malformed', () => ['x-api-key', 'secret']],
    ['a wrong key beside good Basic', 'malformed', () => ['x-api-key', 'secret', ...basic('alice')]],
    ['a changed letter', 'malformed', (key) => ['x-api-key', `${key.slice(0, -1)}${key.endsWith('0') ? 1 : 0}`]],
    ['different keys in both headers', 'different-keys', (a, b) => ['x-api-key', a, 'authorization', `ApiKey ${b}`]],
    ['x-api-key twice, the same', 'repeated-header', (key) => ['x-api-key', key, 'x-api-key', key]],
    ['x-api-key twice, one empty', 'repeated-header', (key) => ['x-api-key', key, 'X-Api-Key', '']],
    ['two keys in one header', 'repeated-header', (a, b) => ['x-api-key', `${a}, ${b}`]],
    ['authorization twice', 'repeated-header', (a) => ['authorization', `ApiKey ${a}`, 'authorization', `ApiKey ${a}`]],
    [
      'ApiKey and Basic in two authorizations',
      'repeated-header',
      (a) => ['authorization', `ApiKey ${a}`, ...basic('alice')],
    ],
    [
      'Basic and ApiKey in two authorizations',
      'repeated-header',
      (a) => [...basic('alice'), 'authorization', `ApiKey ${a}`],
    ],
    ['Basic twice', 'repeated-header', () => [...basic('alice'), ...basic('alice')]],
    [
      'a good key beside two tokens',
      'repeated-header',
      (key) => ['x-api-key', key, 'authorization', 'Bearer a', 'authorization', 'Bearer b'],
    ],
  ])('%s is refused, the same as ever (K9)', async (_, reason, headers) => {
    const host = await startAdmin();
    const { key } = await host.key('u-alice', 'Export');
    const { key: other } = await host.key('u-alice', 'Import');
    expectRefusal(await me(host, headers(key, other)));
    expect(host.failures).toEqual([{ reason }]);
    expect((await me(host, ['x-api-key', key])).status).toBe(200);
  });
});

describe('keys that are over (specification 5.2, K11)', () => {
  it('a revoked key is refused from that moment on, an Active one beside it is not', async () => {
    const host = await startAdmin();
    const { id, key } = await host.key('u-alice', 'Export');
    const { key: control } = await host.key('u-alice', 'Control');
    expect((await me(host, ['x-api-key', key])).status).toBe(200);
    expect((await host.as('alice', 'POST', `/api-keys/${id}/revoke`)).status).toBe(200);
    expectRefusal(await me(host, ['x-api-key', key]));
    expect((await me(host, ['x-api-key', control])).status).toBe(200);
    expect(host.failures).toEqual([{ reason: 'revoked', apiKeyId: id }]);
  });

  const ends: [string, string, (host: AdminHost, id: string) => unknown][] = [
    ['is revoked', 'revoked', (host, id) => host.apiKeys.revoke({ userId: 'u-alice', username: 'alice' }, id)],
    ['expires', 'expired', (host) => host.clock.advance(86_400_000)],
    ['loses its owner', 'owner', (host) => host.users.delete('u-alice')],
    ['has its owner disabled', 'owner', (host) => Object.assign(host.users.get('u-alice')!, { enabled: false })],
  ];
  it.each(
    ends.flatMap(([name, reason, end]) => ['/api/v1/api-keys', '/mcp'].map((path) => ({ name, reason, end, path }))),
  )('a request to $path whose key $name while its body arrives does nothing', async ({ path, reason, end }) => {
    const host = await startAdmin();
    const { id, key } = await host.key('u-alice', 'Export', inDays(1));
    const body = JSON.stringify({
      name: 'Too late',
      expiresOn: inDays(2),
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
    });
    const upload = await host.sendSlowly({ method: 'POST', path, headers: ['x-api-key', key] }, body);
    await end(host, id);
    expectRefusal(await upload.finish());
    expect(host.failures).toEqual([{ reason, apiKeyId: id }]);
    expect((await host.as('root', 'GET', '/api-keys?scope=all')).body.items).toHaveLength(1);
  });

  it('a request whose edition changes while its body arrives does nothing, and the log says why', async () => {
    let edition = 'Professional';
    const host = await startAdmin({ admin: { edition: () => edition }, keys: { edition: () => edition } });
    const { id, key } = await host.key('u-alice', 'Export');
    const request = { method: 'POST', path: '/api/v1/api-keys', headers: ['x-api-key', key] };
    const upload = await host.sendSlowly(request, JSON.stringify({ name: 'Too late', expiresOn: inDays(1) }));
    edition = 'Free';
    expectRefusal(await upload.finish());
    expect(host.failures).toEqual([{ reason: 'edition', apiKeyId: id }]);
  });

  it('so does one whose owner is disabled only in the directory of the API keys', async () => {
    const owner = { id: 'u-alice', username: 'alice', enabled: true };
    const directory = { findById: async () => owner, findByUsername: async () => owner };
    const host = await startAdmin({ keys: { users: directory } });
    const { id, key } = await host.key('u-alice', 'Export');
    const request = { method: 'POST', path: '/api/v1/api-keys', headers: ['x-api-key', key] };
    const upload = await host.sendSlowly(request, JSON.stringify({ name: 'Too late', expiresOn: inDays(1) }));
    owner.enabled = false;
    expectRefusal(await upload.finish());
    expect(host.failures).toEqual([{ reason: 'owner', apiKeyId: id }]);
  });

  it('a key authenticates until the millisecond before it expires', async () => {
    const host = await startAdmin();
    const { id, key } = await host.key('u-alice', 'Export', inDays(1));
    await host.clock.advance(86_400_000 - 1);
    expect((await me(host, ['x-api-key', key])).status).toBe(200);
    await host.clock.advance(1);
    expectRefusal(await me(host, ['x-api-key', key]));
    expect(host.failures).toEqual([{ reason: 'expired', apiKeyId: id }]);
  });

  it.each([
    ['disabled', (host: AdminHost) => Object.assign(host.users.get('u-alice') as object, { enabled: false })],
    ['deleted', (host: AdminHost) => host.users.delete('u-alice')],
  ])('the key of a user who was %s is refused', async (_, end) => {
    const host = await startAdmin();
    const { id, key } = await host.key('u-alice', 'Export');
    expect((await me(host, ['x-api-key', key])).status).toBe(200);
    end(host);
    expectRefusal(await me(host, ['x-api-key', key]));
    expect(host.failures).toEqual([{ reason: 'owner', apiKeyId: id }]);
  });

  it.each([
    ['disabled', (host: AdminHost) => Object.assign(host.users.get('u-alice') as object, { enabled: false })],
    ['deleted', (host: AdminHost) => host.users.delete('u-alice')],
  ])('the same for one who was %s, when the host opened the keys without its directory', async (_, end) => {
    const host = await startAdmin({ keys: { users: undefined } });
    const { id, key } = await host.key('u-alice', 'Export');
    expect((await me(host, ['x-api-key', key])).status).toBe(200);
    end(host);
    expectRefusal(await me(host, ['x-api-key', key]));
    expect(host.failures).toEqual([{ reason: 'owner', apiKeyId: id }]);
  });

  it("a key follows its owner's rights at once (specification 5.2)", async () => {
    const host = await startAdmin();
    const { key } = await host.key('u-bob', 'Export');
    expect((await host.as(key, 'GET', '/api-keys?scope=all')).status).toBe(403);
    (host.users.get('u-bob') as { superAdmin?: boolean }).superAdmin = true;
    expect((await host.as(key, 'GET', '/api-keys?scope=all')).status).toBe(200);
  });
});

describe('Basic authentication (specification 1)', () => {
  it('works with a password in UTF-8 that has a colon', async () => {
    const host = await startAdmin();
    const answer = await me(host, basic('alice'));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ user: { id: 'u-alice' }, authenticatedBy: 'basic', apiKey: null });
  });

  it('works in Latin-1, as some clients send it, where that is no UTF-8', async () => {
    const host = await startAdmin();
    host.users.get('u-alice')!.username = 'müller';
    const credentials = Buffer.from(`müller:${password}`, 'latin1').toString('base64');
    expect((await me(host, ['authorization', `Basic ${credentials}`])).status).toBe(200);
  });

  it.each<[string, readonly string[], string]>([
    ['nothing', [], 'missing'],
    ['an unknown scheme', ['authorization', 'Bearer abc'], 'missing'],
    ['a wrong password', basic('alice', 'wrong'), 'password'],
    ['an empty password', basic('alice', ''), 'password'],
    ['an unknown user', basic('nobody'), 'password'],
    ['no user', basic(''), 'malformed-basic'],
    ['no colon', ['authorization', `Basic ${Buffer.from('alice').toString('base64')}`], 'malformed-basic'],
    ['no base64', ['authorization', 'Basic ###'], 'malformed-basic'],
    ['nothing after Basic', ['authorization', 'Basic'], 'malformed-basic'],
    [
      'bytes that are text in no encoding',
      ['authorization', `Basic ${Buffer.from([0x61, 0x3a, 0x81]).toString('base64')}`],
      'malformed-basic',
    ],
    ['control characters', basic('alice\0', password), 'malformed-basic'],
  ])('%s is refused, without a challenge that would pop up in a browser (K9)', async (_, headers, reason) => {
    const host = await startAdmin();
    expectRefusal(await me(host, headers));
    expect(host.failures).toEqual([{ reason }]);
  });

  it.each(['Bearer <K>', '<K>', 'Token token="<K>"'])(
    'a key as `%s` is refused, and the log says why (K9)',
    async (header) => {
      const host = await startAdmin();
      const { id, key } = await host.key('u-alice', 'CI');
      expectRefusal(await me(host, ['authorization', header.replace('<K>', key)]));
      expect(host.failures).toEqual([{ reason: 'wrong-scheme', apiKeyId: id }]);
    },
  );

  it('a refusal says from which address it came, for whoever watches for attacks', async () => {
    const host = await startAdmin({ admin: { clientAddress: () => '203.0.113.7' } });
    await me(host, basic('alice', 'wrong'));
    await me(host, ['x-api-key', 'nonsense']);
    await me(host, []);
    expect(host.failures).toMatchObject([{ reason: 'password' }, { reason: 'malformed' }, { reason: 'missing' }]);
    expect(host.failedFrom).toEqual(Array(3).fill('203.0.113.7'));
  });

  it('a disabled user is refused like a wrong password', async () => {
    const host = await startAdmin();
    (host.users.get('u-alice') as { enabled?: boolean }).enabled = false;
    expectRefusal(await me(host, basic('alice')));
    expect(host.failures).toEqual([{ reason: 'password' }]);
  });

  it('an unknown user takes as long as a wrong password (K14)', async () => {
    const host = await startAdmin();
    Object.assign(host.users.get('u-alice') as object, { passwordHash: await hashPassword(password) });
    const timed = async (headers: readonly string[]) => {
      const before = performance.now();
      await me(host, headers);
      return performance.now() - before;
    };
    // The best of some rounds, in turn: load delays one as it delays another.
    const best = {
      wrong: Number.POSITIVE_INFINITY,
      unknown: Number.POSITIVE_INFINITY,
      missing: Number.POSITIVE_INFINITY,
    };
    for (let round = 0; round < 4; round++) {
      best.wrong = Math.min(best.wrong, await timed(basic('alice', 'wrong')));
      best.unknown = Math.min(best.unknown, await timed(basic('nobody', 'wrong')));
      best.missing = Math.min(best.missing, await timed([]));
    }
    expect(best.unknown).toBeGreaterThan(best.wrong / 4);
    expect(best.missing).toBeLessThan(best.unknown / 4);
  });

  it('a Basic request that another site made the browser send is refused when it would change something', async () => {
    const host = await startAdmin();
    const create = (extra: readonly string[], credentials = basic('alice')) =>
      host.send({ method: 'POST', path: '/api/v1/api-keys', headers: [...credentials, ...extra], body: {} });
    for (const extra of [
      ['sec-fetch-site', 'cross-site'],
      ['sec-fetch-site', 'same-site'],
      ['origin', 'https://evil.example'],
      ['origin', 'null'],
    ]) {
      expect((await create(extra)).status, extra.join()).toBe(403);
    }
    const { key } = await host.key('u-alice', 'Export');
    expect((await create(['sec-fetch-site', 'cross-site'], ['x-api-key', key])).status).toBe(400);
    expect((await create(['sec-fetch-site', 'same-origin'])).status).toBe(400);
    expect((await create(['origin', host.url])).status).toBe(400);
    expect((await create([])).status).toBe(400);
  });
});

describe('repeated failures slow down (K14)', () => {
  const wrong = ['x-api-key', 'wrong'];

  it('the eleventh failure costs a wait, which is told; the next password is then not looked at, right or wrong', async () => {
    const host = await startAdmin();
    for (let count = 0; count < 11; count++) expectRefusal(await me(host, wrong));
    const blocked = await me(host, basic('alice'));
    expect(blocked.status).toBe(429);
    expect(blocked.headers['retry-after']).toBe('1');
    expect(blocked.body).toEqual({
      errorMessage: 'Too many failed attempts. Wait before you try again.',
      stackTrace: null,
    });
    expect(host.failures.at(-1)).toEqual({ reason: 'throttled' });
    await host.clock.advance(1000);
    expect((await me(host, basic('alice'))).status).toBe(200);
  });

  it('a success in between does not clear the count, and the waits grow', async () => {
    const host = await startAdmin();
    const { key } = await host.key('u-alice', 'Export');
    for (let count = 0; count < 10; count++) await me(host, wrong);
    expect((await me(host, ['x-api-key', key])).status).toBe(200);
    for (const seconds of ['1', '2', '4']) {
      expectRefusal(await me(host, wrong));
      const blocked = await me(host, wrong);
      expect(blocked.headers['retry-after']).toBe(seconds);
      await host.clock.advance(Number(seconds) * 1000);
    }
  });

  it('requests without credentials, and with a key that was right once, are no guesses', async () => {
    const host = await startAdmin();
    const { id, key } = await host.key('u-alice', 'Export');
    await host.apiKeys.revoke({ userId: 'u-alice', username: 'alice' }, id);
    for (let count = 0; count < 15; count++) expectRefusal(await me(host));
    for (let count = 0; count < 15; count++) expectRefusal(await me(host, ['x-api-key', key]));
    expectRefusal(await me(host, wrong));
  });

  it('Basic, keys and MCP share one count', async () => {
    const host = await startAdmin();
    for (let count = 0; count < 5; count++) await me(host, ['authorization', 'Basic ###']);
    for (let count = 0; count < 5; count++) await me(host, wrong);
    await host.send({ path: '/mcp', headers: wrong });
    expect((await me(host, basic('alice'))).status).toBe(429);
    expect((await host.send({ path: '/mcp', headers: wrong })).status).toBe(429);
  });

  it('a burst from one source gets few passwords checked before it is stopped', async () => {
    const host = await startAdmin();
    // A real hash takes so long that all have arrived before the first one has failed.
    Object.assign(host.users.get('u-alice') as object, { passwordHash: await hashPassword(password) });
    for (let count = 0; count < 10; count++) await me(host, wrong);
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => (await me(host, basic('alice', `guess ${index}`))).status),
    );
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(2);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(18);
  });

  it('one wrong password that is sent many times at once is one failure', async () => {
    const host = await startAdmin();
    Object.assign(host.users.get('u-alice') as object, { passwordHash: await hashPassword(password) });
    const answers = await Promise.all(Array.from({ length: 20 }, () => me(host, basic('alice', 'outdated'))));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    expect((await me(host, basic('alice'))).status).toBe(200);
  });

  it.each([null, undefined])('`clientAddress` may not know: %s', async (address) => {
    const host = await startAdmin({ admin: { clientAddress: () => address } });
    expectRefusal(await me(host, wrong));
    expectRefusal(await me(host, basic('alice', 'wrong')));
    expect((await me(host, basic('alice'))).status).toBe(200);
    expect(host.failedFrom).toEqual(['', '']);
  });

  it("another source is not slowed down: the host's `clientAddress` names it", async () => {
    const host = await startAdmin({
      admin: { clientAddress: (request) => request.headers.get('x-real-client') ?? 'proxy' },
    });
    const from = (address: string) => ['x-real-client', address];
    for (let count = 0; count < 11; count++) await me(host, [...wrong, ...from('192.0.2.1')]);
    expect((await me(host, [...basic('alice'), ...from('192.0.2.1')])).status).toBe(429);
    expect((await me(host, [...basic('alice'), ...from('192.0.2.2')])).status).toBe(200);
  });

  it("a header that anybody can send does not name the source: it is the socket's address", async () => {
    const host = await startAdmin();
    for (let count = 0; count < 11; count++) {
      await me(host, [...wrong, 'x-forwarded-for', `192.0.2.${count}`]);
    }
    expect((await me(host, [...wrong, 'x-forwarded-for', '192.0.2.99'])).status).toBe(429);
  });
});

describe('last accessed (K10)', () => {
  it('moves with every successful request and not with a refused one', async () => {
    const host = await startAdmin();
    const { id, key } = await host.key('u-alice', 'Export');
    const lastAccessed = async () => (await host.as('alice', 'GET', `/api-keys/${id}`)).body.lastAccessed;
    expect(await lastAccessed()).toBeNull();
    await host.clock.advance(1500);
    await me(host, ['x-api-key', key]);
    expect(await lastAccessed()).toBe('2026-11-21T09:00:01.500Z');
    await host.clock.advance(1500);
    await me(host, ['x-api-key', `${key}x`]);
    expect(await lastAccessed()).toBe('2026-11-21T09:00:01.500Z');
    await me(host, ['x-api-key', key]);
    expect(await lastAccessed()).toBe('2026-11-21T09:00:03.000Z');
  });
});
