import { describe, expect, it } from 'vitest';
import { connectMcp } from '../helpers/mcp.js';
import { startAdministration } from './helpers/administration.js';
import { elements, textOf } from './helpers/html.js';

const alice = { userId: 'u-alice', username: 'alice', origin: 'UI' as const };

const withKey = async () => {
  const host = await startAdministration();
  const { id, key } = await host.made('u-alice', 'Export', 1, 30);
  return { host, id, key, visitor: await host.visitor('alice') };
};

describe('a description (K3)', () => {
  it('is given and edited in the forms, shown in lines, and audited', async () => {
    const { host, visitor } = await withKey();
    await visitor.open('/api-keys/new');
    await visitor.submit('/api-keys/new', { name: 'New', description: 'Build 7\r\n<ask> Zoé', expiry: '30' });
    const [made] = (await host.apiKeys.list(alice)).items;
    expect(made?.description).toBe('Build 7\n<ask> Zoé');
    const id = made?.id as string;
    const { html } = await visitor.open(`/api-keys/${id}`);
    expect(html).toMatch(/<dd class="free-text">Build 7\n&lt;ask&gt; Zoé<\/dd>/);
    await visitor.open(`/api-keys/${id}/edit`);
    expect(visitor.form('/edit').fields.get('description')).toBe('Build 7\n<ask> Zoé');
    await visitor.submit('/edit', { description: 'Build 8' });
    expect(textOf(visitor.page.html)).toContain('Description Build 7 <ask> Zoé changed to Build 8');
    await visitor.open(`/api-keys/${id}/edit`);
    await visitor.submit('/edit', { description: '' });
    expect((await host.apiKeys.get(alice, id)).description).toBeNull();
  });

  it('stays as it is when a form without it is sent', async () => {
    const { host, id, visitor } = await withKey();
    await host.apiKeys.update(alice, id, { description: 'kept' });
    await visitor.open(`/api-keys/${id}/edit`);
    visitor.form('/edit');
    const { fields } = visitor.form('/edit');
    fields.delete('description');
    fields.set('name', 'Renamed');
    await visitor.open(`/api-keys/${id}/edit`, { method: 'POST', body: fields });
    expect(await host.apiKeys.get(alice, id)).toMatchObject({ name: 'Renamed', description: 'kept' });
  });

  it.each(['new', 'edit'])('that is too long comes back with what is wrong beside it (%s)', async (which) => {
    const { id, visitor } = await withKey();
    const action = which === 'new' ? '/api-keys/new' : `/api-keys/${id}/edit`;
    await visitor.open(action);
    const page = await visitor.submit(action, { name: 'A', description: 'x'.repeat(501), expiry: '30' });
    expect(page.status).toBe(400);
    expect(textOf(page.html)).toContain('API key description cannot exceed 500 characters.');
    expect(visitor.form(action).fields.get('description')).toBe('x'.repeat(501));
    expect(page.html).toMatch(/<textarea[^>]*autofocus[^>]*aria-describedby="description-hint description-error"/);
  });

  it('is carried over to the key that replaces this one', async () => {
    const { host, id, visitor } = await withKey();
    await host.apiKeys.update(alice, id, { description: 'for the nightly export' });
    await visitor.open(`/api-keys/new?replaces=${id}`);
    expect(visitor.form('/api-keys/new').fields.get('description')).toBe('for the nightly export');
  });

  it('goes through the Admin API and MCP, and is found by both', async () => {
    const { host, key } = await withKey();
    const { body } = await host.as('alice', 'POST', '/api-keys', {
      name: 'B',
      description: 'one',
      expiresOn: '2027-01-31',
    });
    expect(body).toMatchObject({ name: 'B', description: 'one' });
    const patched = await host.as('alice', 'PATCH', `/api-keys/${body.id}`, { description: 'Zebra two' });
    expect(patched.body).toMatchObject({ description: 'Zebra two', version: 2 });
    const wrong = await host.as('alice', 'PATCH', `/api-keys/${body.id}`, { description: ['x'] });
    expect(wrong.body.fieldErrors).toEqual([{ field: 'description', message: 'API key description must be text.' }]);
    expect((await host.as('alice', 'GET', '/api-keys?search=zebra')).body.items).toHaveLength(1);
    const { call } = await connectMcp(host, key);
    expect(await call('list_api_keys', { search: 'zebra' })).toMatchObject({ items: [{ description: 'Zebra two' }] });
    const renewed = { id: body.id, description: null };
    expect(await call('update_api_key', renewed)).toMatchObject({ description: null, version: 3 });
  });
});

describe('the last uses (K22)', () => {
  it('are on the page of the key, from each place; nothing is there before the first', async () => {
    const { host, id, key, visitor } = await withKey();
    expect((await visitor.open(`/api-keys/${id}`)).html).not.toContain('Recent uses');
    await host.apiKeys.authenticate({ 'x-api-key': key, 'user-agent': '<b>curl' }, { address: '192.0.2.7' });
    host.clock.jumpCalendar(3_600_000);
    await host.apiKeys.authenticate(['x-api-key', key]);
    const { html } = await visitor.open(`/api-keys/${id}`);
    expect(textOf(elements(html, 'table')[0] as string)).toBe(
      'Last accessed Address User agent 21 Nov 2026, 10:00:00 UTC (just now) Unknown Unknown 21 Nov 2026, 09:00:00 UTC (1 hour ago) 192.0.2.7 <b>curl',
    );
  });

  it('have the address that the host reads from its proxy', async () => {
    const host = await startAdministration({
      admin: { clientAddress: (request) => request.headers.get('x-real-ip') ?? '' },
    });
    const { id, key } = await host.key('u-alice', 'Export');
    const headers = ['x-api-key', key, 'user-agent', 'agent', 'x-real-ip', '192.0.2.9'];
    const { body } = await host.send({ path: `/api/v1/api-keys/${id}`, headers });
    expect(body.recentUses).toEqual([{ address: '192.0.2.9', userAgent: 'agent', lastUsedOn: expect.any(String) }]);
  });
});

describe('the owner of a key (K11)', () => {
  it('is said to be disabled or unknown where that refuses every use of an Active key', async () => {
    const { host, id, key } = await withKey();
    const visitor = await host.visitor('root');
    const read = async () => textOf((await visitor.open(`/api-keys/${id}`)).html);
    expect(await read()).not.toContain('The owner');
    host.users.get('u-alice')!.enabled = false;
    expect(await host.apiKeys.authenticate({ 'x-api-key': key })).toBeUndefined();
    expect(await read()).toContain(
      'The owner, alice, is disabled. Until that changes, every use of this key is refused.',
    );
    host.users.delete('u-alice');
    expect(await read()).toContain(
      'The owner, alice, is not among the users. Until that changes, every use of this key is refused.',
    );
    await host.apiKeys.revoke({ userId: 'u-root', username: 'root' }, id);
    expect(await read()).not.toContain('The owner');
  });

  it('that cannot be looked up does not keep the page from showing the key', async () => {
    const { host, id } = await withKey();
    const visitor = await host.visitor('root');
    Object.assign(host.users.get('u-alice')!, { roles: 'not a list' });
    const { status, html } = await visitor.open(`/api-keys/${id}`);
    expect([status, textOf(html).includes('The owner')]).toEqual([200, false]);
    expect(String(host.errors[0])).toContain('directory');
  });
});
