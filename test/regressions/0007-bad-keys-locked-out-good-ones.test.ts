// The throttle stood in front of every credential: one bad key a minute from an address kept every good key behind that
// address (a NAT, a proxy without `clientAddress`) out, 3,536 of 3,600 requests in an hour. An outside check found it. A key
// is looked up first now; the throttle meets failures and passwords only (rule K14).
import { describe, expect, it } from 'vitest';
import { type AdminHost, basic, startAdmin } from '../admin/helpers/admin-host.js';
import { initialize, accept as mcpHeaders } from '../admin/helpers/mcp.js';

const places = {
  'the Admin API': (host: AdminHost, headers: readonly string[]) => host.send({ path: '/api/v1/me', headers }),
  'the MCP endpoint': (host: AdminHost, headers: readonly string[]) =>
    host.send({ method: 'POST', path: '/mcp', headers: [...headers, ...mcpHeaders], body: initialize }),
};

describe.each(Object.entries(places))('at %s', (_, ask) => {
  const setUp = async () => {
    const host = await startAdmin();
    const { id, key } = await host.key('u-alice', 'Export');
    return { host, id, good: ['x-api-key', key], bad: ['x-api-key', 'wrong'] };
  };

  it('a good key is served in every minute of an hour in which bad ones keep failing', async () => {
    const { host, good, bad } = await setUp();
    const statuses = { good: new Set<number>(), bad: new Set<number>() };
    for (let count = 0; count < 12; count++) await ask(host, bad);
    for (let minute = 0; minute < 60; minute++) {
      statuses.bad.add((await ask(host, bad)).status);
      statuses.good.add((await ask(host, good)).status);
      await host.clock.advance(60_000);
    }
    expect([...statuses.good]).toEqual([200]);
    // The control: the source was slowed down all the while.
    expect([...statuses.bad]).toEqual([429, 401]);
  });

  it('failures wait: guesses, malformed Basic and passwords, a right one too', async () => {
    const { host, good, bad } = await setUp();
    for (let count = 0; count < 11; count++) expect((await ask(host, bad)).status).toBe(401);
    for (const headers of [bad, ['authorization', 'Basic ###'], basic('alice', 'wrong'), basic('alice')]) {
      const answer = await ask(host, headers);
      expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1']);
      expect(host.failures.at(-1)).toEqual({ reason: 'throttled' });
    }
    expect((await ask(host, good)).status).toBe(200);
    await host.clock.advance(1000);
    expect((await ask(host, basic('alice'))).status).toBe(200);
  });

  it('what is no failed guess gets its 401 at once: no credentials, a key that is over', async () => {
    const { host, id, good, bad } = await setUp();
    for (let count = 0; count < 11; count++) await ask(host, bad);
    expect((await ask(host, bad)).status).toBe(429);
    expect((await ask(host, [])).status).toBe(401);
    await host.apiKeys.revoke({ userId: 'u-alice', username: 'alice' }, id);
    expect((await ask(host, good)).status).toBe(401);
    expect(host.failures.at(-1)).toEqual({ reason: 'revoked', apiKeyId: id });
  });
});

describe("a proxy's header without `clientAddress`", () => {
  it('is told once by `onError`, as all clients then count as one source', async () => {
    const host = await startAdmin();
    const { key } = await host.key('u-alice', 'Export');
    await host.as(key, 'GET', '/me');
    expect(host.errors).toEqual([]);
    for (let count = 0; count < 3; count++) {
      await host.send({ path: '/api/v1/me', headers: ['x-api-key', key, 'x-forwarded-for', '192.0.2.1'] });
    }
    expect(host.errors).toMatchObject([{ message: expect.stringContaining('`clientAddress`') }]);
  });

  it('is not told where the host names the client', async () => {
    const host = await startAdmin({ admin: { clientAddress: () => '192.0.2.1' } });
    await host.send({ path: '/api/v1/me', headers: ['x-forwarded-for', '192.0.2.1'] });
    expect(host.errors).toEqual([]);
  });
});
