import { describe, expect, it } from 'vitest';
import { startAdministration } from './helpers/administration.js';
import { readTable, tags, textOf } from './helpers/html.js';

const root = { userId: 'u-root', username: 'root' };

describe('users', () => {
  it('are listed for a Super Admin, with their rights', async () => {
    const host = await startAdministration();
    host.users.get('u-bob')!.enabled = false;
    // Databases say null for nothing (K19).
    Object.assign(host.users.get('u-bob')!, { permissions: null });
    Object.assign(host.users.get('u-mallory')!, { permissions: [null, 'Reports – Read'] });
    const visitor = await host.visitor('root');
    const { rows } = readTable((await visitor.open('/users')).html);
    expect(rows).toEqual([
      ['alice API keys · Revoke all', 'Own API keys', 'Enabled', 'Delete'],
      ['bob API keys · Revoke all', 'Own API keys', 'Disabled', 'Delete'],
      ['helen API keys · Revoke all', 'User Management – Write', 'Enabled', 'Delete'],
      ['mallory API keys · Revoke all', 'Reports – Read', 'Enabled', 'Delete'],
      ['root You API keys · Revoke all', 'Super Admin', 'Enabled', '–'],
    ]);
  });

  it.each(['alice', 'helen'])('do not exist for %s', async (username) => {
    const host = await startAdministration();
    const visitor = await host.visitor(username);
    expect(tags(visitor.page.html, 'a').map((tag) => tag.get('href'))).not.toContain('/users');
    for (const path of ['/users', '/users/delete?id=u-bob']) expect((await visitor.open(path)).status).toBe(404);
    const body = new URLSearchParams({ token: visitor.form('/sign-out').fields.get('token')!, username: 'bob' });
    expect((await visitor.request('/users/delete?id=u-bob', { method: 'POST', body })).status).toBe(404);
    expect(host.users.has('u-bob')).toBe(true);
  });

  it('do not exist where the host cannot list them', async () => {
    const host = await startAdministration({
      admin: { users: { findById: async () => undefined, findByUsername: async () => undefined } },
    });
    const { users } = host;
    const plain = await startAdministration({
      admin: {
        users: { findById: async (id) => users.get(id), findByUsername: async (name) => users.get(`u-${name}`) },
      },
    });
    const visitor = await plain.visitor('root');
    expect(visitor.page.path).toBe('/api-keys');
    expect((await visitor.open('/users')).status).toBe(404);
  });
});

describe('deleting a user (specification 3)', () => {
  it('asks for the name first, and does nothing without it', async () => {
    const host = await startAdministration();
    await host.made('u-bob', 'Export', 1, 30);
    const visitor = await host.visitor('root');
    await visitor.open('/users/delete?id=u-bob');
    const page = await visitor.submit('/users/delete', { username: 'bobby' });
    expect(page.status).toBe(400);
    expect(textOf(page.html)).toContain('This is not the user’s name.');
    expect(visitor.form('/users/delete').fields.get('username')).toBe('bobby');
    expect(host.users.has('u-bob')).toBe(true);
  });

  it('are deleted by their name as a page shows it and a keyboard writes it', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor('root');
    for (const [index, username] of ['bob ', 'Jose\u0301', 'eve  smith'].entries()) {
      const id = `u-odd-${index}`;
      host.users.set(id, { ...host.users.get('u-bob')!, id, username });
      await visitor.open(`/users/delete?id=${id}`);
      await visitor.submit('/users/delete', { username: username.normalize('NFC').trim().replace('  ', ' ') });
      expect(host.users.has(id)).toBe(false);
    }
  });

  it('revokes all Active keys of the user, and says how many', async () => {
    const host = await startAdministration();
    const { key } = await host.made('u-bob', 'One', 1, 30);
    await host.made('u-bob', 'Two', 1, 30);
    await host.made('u-bob', 'Expired before', 50, 30);
    const visitor = await host.visitor('root');
    await visitor.open('/users/delete?id=u-bob');
    await visitor.submit('/users/delete', { username: 'bob' });
    expect(visitor.page.path).toBe('/users');
    expect(textOf(visitor.page.html)).toContain('“bob” has been deleted. 2 API keys were revoked.');
    expect(host.users.has('u-bob')).toBe(false);
    expect(await host.apiKeys.authenticate({ 'x-api-key': key })).toBeUndefined();
    const { items } = await host.apiKeys.list(root, { scope: 'all' });
    expect(items.map(({ name, status }) => [name, status]).sort()).toEqual([
      ['Expired before', 'Expired'],
      ['One', 'Revoked'],
      ['Two', 'Revoked'],
    ]);
    const audits = await host.apiKeys.audits(root, { revisionType: 'Revoke' });
    expect(audits.items[0]).toMatchObject({ author: { username: 'root' }, origin: 'System' });
  });

  it('says how many keys were revoked, and by whom, when `remove` has called `userDeleted` itself', async () => {
    const host = await startAdministration({ remove: (id, { actor }) => host.apiKeys.userDeleted(actor, id) });
    await host.made('u-bob', 'One', 1, 30);
    await host.made('u-bob', 'Two', 1, 30);
    const visitor = await host.visitor('root');
    await visitor.open('/users/delete?id=u-bob');
    await visitor.submit('/users/delete', { username: 'bob' });
    expect(textOf(visitor.page.html)).toContain('“bob” has been deleted. 2 API keys were revoked.');
    const { items } = await host.apiKeys.audits(root, { revisionType: 'Revoke' });
    const byRoot = { author: { id: 'u-root', username: 'root' }, origin: 'System' };
    expect(items).toMatchObject([byRoot, byRoot]);
  });

  it('revokes nothing when the user could not be deleted', async () => {
    const failure = new Error('directory is gone');
    const host = await startAdministration({ remove: () => Promise.reject(failure) });
    await host.made('u-bob', 'One', 1, 30);
    const visitor = await host.visitor('root');
    await visitor.open('/users/delete?id=u-bob');
    expect((await visitor.submit('/users/delete', { username: 'bob' })).status).toBe(500);
    expect(host.errors).toEqual([failure]);
    expect((await host.apiKeys.list(root, { scope: 'all' })).items).toMatchObject([{ status: 'Active' }]);
  });

  it('revokes the keys of a user who is gone, although deleting failed, and tells the host', async () => {
    const failure = new Error('the index could not be updated');
    const remove = async (id: string) => {
      host.users.delete(id);
      throw failure;
    };
    const host = await startAdministration({ remove: (id) => remove(id) });
    await host.made('u-bob', 'One', 1, 30);
    const visitor = await host.visitor('root');
    await visitor.open('/users/delete?id=u-bob');
    await visitor.submit('/users/delete', { username: 'bob' });
    expect(textOf(visitor.page.html)).toContain('“bob” has been deleted. 1 API key was revoked.');
    expect(host.errors).toEqual([failure]);
    expect((await host.apiKeys.list(root, { scope: 'all' })).items).toMatchObject([{ status: 'Revoked' }]);
  });

  it('revokes nothing when deleting failed and the user cannot be looked up either', async () => {
    const failure = new Error('directory is gone');
    const host = await startAdministration({
      async remove() {
        host.users.set('u-bob', { ...host.users.get('u-bob')!, username: undefined as never });
        throw failure;
      },
    });
    await host.made('u-bob', 'One', 1, 30);
    const visitor = await host.visitor('root');
    await visitor.open('/users/delete?id=u-bob');
    expect((await visitor.submit('/users/delete', { username: 'bob' })).status).toBe(500);
    expect(host.errors).toEqual([failure]);
    expect((await host.apiKeys.list(root, { scope: 'all' })).items).toMatchObject([{ status: 'Active' }]);
  });

  it('whose keys could not be revoked then: the page says so, and they can be revoked later', async () => {
    const host = await startAdministration();
    const { id } = await host.made('u-bob', 'One', 1, 30);
    const { userDeleted } = host.apiKeys;
    const cause = new Error('database is locked');
    host.apiKeys.userDeleted = () => Promise.reject(cause);
    const visitor = await host.visitor('root');
    await visitor.open('/users/delete?id=u-bob');
    expect((await visitor.submit('/users/delete', { username: 'bob' })).status).toBe(500);
    expect(textOf(visitor.page.html)).toContain('The user is deleted, but their API keys could not be revoked.');
    expect(host.errors).toMatchObject([{ cause }]);
    host.apiKeys.userDeleted = userDeleted;
    expect(await host.apiKeys.get(root, id)).toMatchObject({ status: 'Active' });
    await visitor.open('/api-keys/revoke-all?user=u-bob');
    await visitor.submit('/revoke-all');
    expect(textOf(visitor.page.html)).toContain('1 API key of bob revoked.');
    expect(await host.apiKeys.get(root, id)).toMatchObject({ status: 'Revoked' });
  });

  it('is never possible for oneself, or for nobody', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor('root');
    const token = visitor.form('/sign-out').fields.get('token')!;
    for (const [id, status] of [
      ['u-root', 409],
      ['u-nobody', 404],
      ['', 404],
    ] as const) {
      const body = new URLSearchParams({ token, username: 'root' });
      expect((await visitor.request(`/users/delete?id=${id}`, { method: 'POST', body })).status).toBe(status);
    }
    expect(host.users.has('u-root')).toBe(true);
  });

  it('works for ids that are hard to put into an address', async () => {
    const host = await startAdministration();
    for (const id of ['../x', 'a/b?c#d&e=f', 'ü 100%', 'u-alice ', 'x'.repeat(1025)]) {
      host.users.set(id, { id, username: `user ${id}` });
      const visitor = await host.visitor('root');
      await visitor.open('/users');
      const link = tags(visitor.page.html, 'a').find((tag) => tag.get('aria-label') === `Delete user ${id}`)!;
      await visitor.open(link.get('href')!);
      await visitor.submit('/users/delete', { username: `user ${id}` });
      expect(host.users.has(id)).toBe(false);
    }
  });
});
