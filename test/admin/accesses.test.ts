import type { AdminAccess } from 'concordat/admin';
import { describe, expect, it } from 'vitest';
import { basic, type HostOptions, inDays, startAdmin } from './helpers/admin-host.js';
import { connectMcp } from './helpers/mcp.js';

/** An administration, and what `onAccess` was told. */
async function start(options: HostOptions = {}) {
  const seen: [AdminAccess, string][] = [];
  const onAccess = (access: AdminAccess, address: string) => void seen.push([access, address]);
  const host = await startAdmin({ ...options, admin: { onAccess, ...options.admin } });
  return { host, seen, accesses: () => seen.splice(0).map(([access]) => access) };
}

describe('onAccess', () => {
  it('tells of every request to the Admin API who sent it, from where, with which key, and what came of it', async () => {
    const { host, seen } = await start();
    const { id, key } = await host.key('u-alice', 'Export');
    const headers = ['x-api-key', key];
    await host.send({ path: '/api/v1/audits?author=bob', headers });
    await host.send({ method: 'HEAD', path: '/api/v1/me', headers });
    await host.send({ method: 'DELETE', path: `/api/v1/api-keys/${id}`, headers });
    await host.send({ path: '/api/v1/nothing', headers });
    const body = { name: 'By Basic', expiresOn: inDays(9) };
    await host.as('bob', 'POST', '/api-keys', body);
    await host.as('bob', 'POST', '/api-keys', body);
    const forged = [...basic('bob'), 'origin', 'https://evil.example'];
    await host.send({ method: 'POST', path: '/api/v1/api-keys', headers: forged, body });
    const [byKey, byBasic] = [{ userId: 'u-alice', apiKeyId: id }, { userId: 'u-bob' }];
    expect(seen).toEqual(
      [
        { ...byKey, method: 'GET', path: '/api/v1/audits', status: 200 },
        { ...byKey, method: 'HEAD', path: '/api/v1/me', status: 200 },
        { ...byKey, method: 'DELETE', path: `/api/v1/api-keys/${id}`, status: 405 },
        { ...byKey, method: 'GET', path: '/api/v1/nothing', status: 404 },
        { ...byBasic, method: 'POST', path: '/api/v1/api-keys', status: 201 },
        { ...byBasic, method: 'POST', path: '/api/v1/api-keys', status: 400 },
        { ...byBasic, method: 'POST', path: '/api/v1/api-keys', status: 403 },
      ].map((access) => [access, '127.0.0.1']),
    );
  });

  it('tells of every call of an MCP tool, and of no other message', async () => {
    const { host, seen } = await start();
    const { id, key } = await host.key('u-alice', 'Agent');
    const agent = await connectMcp(host, key);
    await agent.call('list_api_keys');
    await agent.failure('get_api_key', { id: 'abcdefghijkl' });
    const access = { userId: 'u-alice', apiKeyId: id };
    expect(seen).toEqual([
      [{ ...access, tool: 'list_api_keys', isError: false }, '127.0.0.1'],
      [{ ...access, tool: 'get_api_key', isError: true }, '127.0.0.1'],
    ]);
  });

  it('is not called for what is refused, also after its body: that is a failure', async () => {
    const { host, accesses } = await start();
    const { id, key } = await host.key('u-alice', 'Export');
    await host.send({ path: '/api/v1/me', headers: ['x-api-key', `${key.slice(0, -1)}?`] });
    await host.send({ path: '/api/v1/openapi.json' });
    const headers = ['x-api-key', key];
    const slow = await host.sendSlowly({ method: 'POST', path: '/api/v1/api-keys', headers }, '{"name":"Late"}');
    await host.apiKeys.revoke({ userId: 'u-alice', username: 'alice' }, id);
    expect((await slow.finish()).status).toBe(401);
    expect(accesses()).toEqual([]);
    expect(host.failures).toMatchObject([{ reason: 'malformed' }, { reason: 'revoked' }]);
  });

  it('that throws or rejects is reported, and changes nothing', async () => {
    for (const onAccess of [
      () => {
        throw new Error('the log is full');
      },
      async () => {
        throw new Error('the log is full');
      },
    ]) {
      const { host } = await start({ admin: { onAccess } });
      expect((await host.as('alice', 'GET', '/me')).status).toBe(200);
      expect(host.errors).toMatchObject([{ message: 'the log is full' }]);
    }
  });
});
