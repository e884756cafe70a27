import { describe, expect, it } from 'vitest';
import { startAdministration } from './helpers/administration.js';
import { readTable, tags, textOf } from './helpers/html.js';

const root = { userId: 'u-root', username: 'root' };

async function withKeys() {
  const host = await startAdministration();
  const keys = [await host.made('u-alice', 'One', 3, 30), await host.made('u-alice', 'Two', 2, 30)];
  const other = await host.made('u-bob', 'Other', 2, 30);
  const ended = await host.made('u-alice', 'Ended', 9, 3);
  await host.apiKeys.authenticate({ 'x-api-key': keys[0]!.key });
  const path = '/api-keys/revoke-all?user=u-alice';
  const statusOf = async (id: string) => (await host.apiKeys.get(root, id)).status;
  return { ended, host, keys, other, path, statusOf };
}

describe('revoking all keys of a user', () => {
  it.each(['root', 'helen', 'alice'])('%s does it on one page: those keys, and no others', async (username) => {
    const { ended, host, keys, other, path, statusOf } = await withKeys();
    const visitor = await host.visitor(username);
    await visitor.open(`/api-keys/${keys[0]!.id}/revoke`);
    expect(tags(visitor.page.html, 'a').map((tag) => tag.get('href'))).toContain(path);
    await visitor.open(path);
    expect(textOf(visitor.page.html)).toContain('Revoke all API keys of alice?');
    expect(textOf(visitor.page.html)).toContain('2 Active API keys. Last used: just now (21 Nov 2026, 09:00:00 UTC)');
    await visitor.submit('/revoke-all');
    expect(textOf(visitor.page.html)).toContain('2 API keys of alice revoked.');
    // The list shows what was done, and nothing of anybody else.
    expect(readTable(visitor.page.html).rows.map(([name]) => name?.split(' ')[0])).toEqual(['Two', 'One']);
    await visitor.open(path);
    expect(textOf(visitor.page.html)).toContain('There is nothing to revoke. alice has no Active API key.');
    expect(tags(visitor.page.html, 'form').some((tag) => tag.get('action') === path)).toBe(false);
    for (const { id, key } of keys) {
      expect(await statusOf(id)).toBe('Revoked');
      expect(await host.apiKeys.authenticate({ 'x-api-key': key })).toBeUndefined();
      const { items } = await host.apiKeys.audits(root, { apiKeyId: id, revisionType: 'Revoke' });
      expect(items).toMatchObject([{ author: { username }, origin: 'UI' }]);
    }
    expect([await statusOf(other.id), await statusOf(ended.id)]).toEqual(['Active', 'Expired']);
  });

  it('nobody else: as if there were no such user, and no form helps', async () => {
    const { host, keys, path, statusOf } = await withKeys();
    const visitor = await host.visitor('bob');
    for (const address of [path, '/api-keys/revoke-all?user=u-nobody', '/api-keys/revoke-all']) {
      expect((await visitor.open(address)).status).toBe(404);
    }
    await visitor.open('/api-keys');
    const body = new URLSearchParams({ token: visitor.form('/sign-out').fields.get('token')! });
    expect((await visitor.request(path, { method: 'POST', body })).status).toBe(404);
    await expect(host.apiKeys.revokeAllOf({ userId: 'u-bob', username: 'bob' }, 'u-alice')).rejects.toMatchObject({
      kind: 'forbidden',
    });
    expect(await statusOf(keys[0]!.id)).toBe('Active');
  });

  it('a user who is no longer in the directory: whoever may manage all keys still can (specification 3)', async () => {
    const { host, keys, path, statusOf } = await withKeys();
    host.users.delete('u-alice');
    const visitor = await host.visitor('helen');
    await visitor.open(`/api-keys/${keys[0]!.id}/revoke`);
    await visitor.open(
      tags(visitor.page.html, 'a')
        .find((tag) => tag.get('href') === path)!
        .get('href')!,
    );
    expect(textOf(visitor.page.html)).toContain('Revoke all API keys of alice?');
    await visitor.submit('/revoke-all');
    expect(textOf(visitor.page.html)).toContain('2 API keys of alice revoked.');
    for (const { id } of keys) expect(await statusOf(id)).toBe('Revoked');
    // Without any key there was no such user.
    for (const query of ['?user=u-nobody', '?user=%20', '?user=', '']) {
      expect((await visitor.open(`/api-keys/revoke-all${query}`)).status).toBe(404);
    }
    expect((await (await host.visitor('bob')).open(path)).status).toBe(404);
  });

  it('a user with an id as long as those of LDAP may be', async () => {
    const host = await startAdministration();
    const id = `CN=${'x'.repeat(1000)}`;
    host.users.set(id, { id, username: 'eve' });
    await host.made(id, 'One', 1, 30);
    const visitor = await host.visitor('root');
    const shownAt = async (path: string) => readTable((await visitor.open(path)).html).rows.length;
    expect(await shownAt(`/api-keys?scope=all&createdBy=${id}`)).toBe(1);
    expect(await shownAt(`/api-key-audits?author=${id}`)).toBe(1);
    expect((await host.as('root', 'GET', `/api-keys?createdBy=${id}`)).body.items).toHaveLength(1);
    await visitor.open(`/api-keys/revoke-all?user=${id}`);
    await visitor.submit('/revoke-all');
    expect(textOf(visitor.page.html)).toContain('1 API key of eve revoked.');
  });

  it('is beside every user on the page of users', async () => {
    const { host, path } = await withKeys();
    const visitor = await host.visitor('root');
    await visitor.open('/users');
    expect(tags(visitor.page.html, 'a').map((tag) => tag.get('href'))).toContain(path);
  });

  it('works in every edition', async () => {
    let edition = 'Ultimate';
    const host = await startAdministration({ admin: { edition: () => edition }, keys: { edition: () => edition } });
    await host.made('u-alice', 'One', 3, 30);
    edition = 'Standard';
    expect(await host.apiKeys.revokeAllOf(root, 'u-alice')).toEqual({ revoked: 1 });
    expect(await host.apiKeys.revokeAllOf(root, 'u-alice')).toEqual({ revoked: 0 });
  });
});
