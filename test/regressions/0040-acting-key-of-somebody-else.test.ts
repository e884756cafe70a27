// Whoever managed another user's key with a key of their own showed that key's name and id in the other user's audit trail,
// though asking for this key was answered "not found" there (K15 against K7). An outside check found it.
import { describe, expect, it } from 'vitest';
import { connectMcp } from '../admin/helpers/mcp.js';
import { startAdministration } from '../admin/ui/helpers/administration.js';
import { textOf } from '../admin/ui/helpers/html.js';

describe('the key that acted, in an audit entry (K7, K15)', () => {
  const setUp = async () => {
    const host = await startAdministration();
    const { id } = await host.key('u-alice', 'Export');
    const acting = await host.key('u-root', 'Internal CI');
    const own = await host.key('u-alice', 'Rotation');
    await host.as(acting.key, 'PATCH', `/api-keys/${id}`, { name: 'Export 2' });
    await host.as(own.key, 'POST', `/api-keys/${id}/revoke`);
    return { host, id, acting: { id: acting.id, name: 'Internal CI' }, own: { id: own.id, name: 'Rotation' } };
  };

  it.each(['root', 'helen'])('is shown to %s, who may see all keys', async (username) => {
    const { host, id, acting, own } = await setUp();
    const { items } = (await host.as(username, 'GET', `/audits?apiKeyId=${id}`)).body;
    expect(items).toMatchObject([{ actingApiKey: own }, { actingApiKey: acting }, { actingApiKey: null }]);
  });

  it('is hidden from a user who may not see it: API, MCP and UI', async () => {
    const { host, id, acting, own } = await setUp();
    expect((await host.as('alice', 'GET', `/api-keys/${acting.id}`)).status).toBe(404);
    const answer = await host.as('alice', 'GET', `/audits?apiKeyId=${id}`);
    expect(answer.body.items).toMatchObject([
      { revisionType: 'Revoke', author: { username: 'alice' }, actingApiKey: own },
      { revisionType: 'Update', author: { username: 'root' }, actingApiKey: null },
      { revisionType: 'Create', actingApiKey: null },
    ]);
    const { call } = await connectMcp(host, 'alice');
    const tool = await call('list_api_key_audits');
    const page = await (await host.visitor('alice')).open('/api-key-audits');
    expect(textOf(page.html)).toContain('with the key Rotation');
    for (const text of [answer.text, JSON.stringify(tool), page.html]) {
      expect(text).not.toContain(acting.name);
      expect(text).not.toContain(acting.id);
    }
  });
});
