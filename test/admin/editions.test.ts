import { describe, expect, it } from 'vitest';
import { inDays, startAdmin } from './helpers/admin-host.js';
import { connectMcp } from './helpers/mcp.js';

const message = 'API keys are available only in the Professional and Ultimate editions.';

describe('editions (specification 5.2, K12)', () => {
  it.each(['Professional', 'Ultimate'])('%s has API keys', async (edition) => {
    const host = await startAdmin({ admin: { edition }, keys: { edition } });
    const created = await host.as('alice', 'POST', '/api-keys', { name: 'Export', expiresOn: inDays(1) });
    expect(created.status).toBe(201);
    const me = await host.as(created.body.key, 'GET', '/me');
    expect(me.body).toMatchObject({ edition, rights: { createApiKeys: true } });
  });

  // The license lapses in the administration's eyes, in the domain's, or in both.
  it.each([
    ['the administration', { admin: true }],
    ['the domain', { keys: true }],
    ['both', { admin: true, keys: true }],
  ])('when %s says that the license has lapsed, keys end, and list, audits and revoke stay', async (_, lapses) => {
    let edition = 'Professional';
    const current = async () => edition;
    const host = await startAdmin({
      ...('admin' in lapses && { admin: { edition: current } }),
      ...('keys' in lapses && { keys: { edition: current } }),
    });
    const { id, key } = await host.key('u-alice', 'Export');
    expect((await host.as(key, 'GET', '/me')).status).toBe(200);
    const { call, failure } = await connectMcp(host, 'alice');
    edition = 'Standard';

    expect((await host.as(key, 'GET', '/me')).status).toBe(401);
    expect(host.failures).toEqual([{ reason: 'edition', apiKeyId: id }]);
    const created = await host.as('alice', 'POST', '/api-keys', { name: 'New', expiresOn: inDays(1) });
    const edited = await host.as('alice', 'PATCH', `/api-keys/${id}`, { name: 'New' });
    for (const answer of [created, edited]) {
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual({ errorMessage: message, stackTrace: null });
    }
    expect(await failure('create_api_key', { name: 'New', expiresOn: inDays(1) })).toBe(message);
    expect(await failure('update_api_key', { id, name: 'New' })).toBe(message);

    expect((await host.as('alice', 'GET', '/me')).body.rights).toMatchObject({ createApiKeys: false });
    expect((await host.as('alice', 'GET', '/api-keys')).body.items).toMatchObject([{ id, status: 'Active' }]);
    expect((await host.as('alice', 'GET', '/audits')).body.items).toHaveLength(1);
    expect(await call('list_api_keys')).toMatchObject({ items: [{ id }] });
    expect((await host.as('alice', 'POST', `/api-keys/${id}/revoke`)).status).toBe(200);

    edition = 'Ultimate';
    expect((await host.as('alice', 'POST', '/api-keys', { name: 'New', expiresOn: inDays(1) })).status).toBe(201);
    expect((await host.as(key, 'GET', '/me')).status).toBe(401);
  });

  it('a license that says nothing is a 503, and onError learns why (K19)', async () => {
    let edition: unknown = 'Professional';
    const current = () => edition as string;
    const host = await startAdmin({ admin: { edition: current }, keys: { edition: current } });
    const { key } = await host.key('u-alice', 'Export');
    edition = null;
    for (const credentials of [key, 'alice']) {
      host.errors.length = 0;
      const answer = await host.as(credentials, 'POST', '/api-keys', { name: 'New', expiresOn: inDays(1) });
      expect(answer.status).toBe(503);
      expect(answer.headers['retry-after']).toBe('5');
      const message = '`edition` must return the name of an edition, and returned null.';
      expect(host.errors).toMatchObject([{ kind: 'unavailable', cause: { message } }]);
    }
    expect(host.failures).toEqual([]);
  });

  it("a misspelt name reaches onError of the keys, also where only the administration's pages are used (K12)", async () => {
    const current = async () => 'professional';
    const host = await startAdmin({ admin: { edition: current }, keys: { edition: current } });
    for (let round = 0; round < 2; round++)
      await host.as('alice', 'POST', '/api-keys', { name: 'New', expiresOn: inDays(1) });
    expect(host.errors.map(String).filter((error) => error.includes('did you mean "Professional"?'))).toHaveLength(1);
  });
});
