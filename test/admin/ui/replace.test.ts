import { describe, expect, it } from 'vitest';
import { startAdministration } from './helpers/administration.js';
import { tags, textOf } from './helpers/html.js';

const alice = { userId: 'u-alice', username: 'alice', origin: 'UI' as const };

async function withKey(name: string) {
  const host = await startAdministration();
  const { id } = await host.made('u-alice', name, 20, 30);
  const visitor = await host.visitor('alice');
  const replace = async () => {
    await visitor.open(`/api-keys/${id}`);
    const link = tags(visitor.page.html, 'a').find((tag) => tag.get('href')?.includes('replaces'));
    await visitor.open(link?.get('href') as string);
    return visitor.form('/api-keys/new').fields.get('name');
  };
  return { host, id, replace, visitor };
}

describe('replacing a key', () => {
  it('fills in a free name, and links the old key before and after', async () => {
    const { host, id, replace, visitor } = await withKey('Nightly export');
    expect(await replace()).toBe('Nightly export (2)');
    expect(textOf(visitor.page.html)).toContain('takes the place of “Nightly export”');
    expect(visitor.page.html).toContain(`href="/api-keys/${id}"`);
    await visitor.submit('/api-keys/new', { name: '' });
    expect([visitor.page.status, textOf(visitor.page.html).includes('takes the place of')]).toEqual([400, true]);
    await visitor.submit('/api-keys/new', { name: 'Nightly export (2)' });
    expect(textOf(visitor.page.html)).toContain('Once your programs use the new key, revoke “Nightly export”.');
    expect(visitor.page.html).toContain(`href="/api-keys/${id}"`);
    expect((await host.apiKeys.get(alice, id)).status).toBe('Active');
    expect(await replace()).toBe('Nightly export (3)');
  });

  it.each([
    ['Export (7)', 'Export (2)'],
    ['Export (x)', 'Export (x) (2)'],
    ['ä'.repeat(100), `${'ä'.repeat(96)} (2)`],
  ])('of %j suggests %j', async (name, suggested) => {
    expect(await (await withKey(name)).replace()).toBe(suggested);
  });

  it('works for keys that have ended: their names stay taken', async () => {
    const { host, id, replace, visitor } = await withKey('Export');
    await host.apiKeys.revoke(alice, id);
    expect(await replace()).toBe('Export (2)');
    await visitor.submit('/api-keys/new');
    expect(visitor.page.status).toBe(200);
    // There is nothing left to revoke.
    expect(textOf(visitor.page.html)).not.toContain('Once your programs use the new key');
  });

  it('has another free name at hand when somebody else has taken the first: nobody sees the names of others', async () => {
    const { host, replace, visitor } = await withKey('Export');
    await host.made('u-bob', 'Export (2)', 1, 30);
    await host.made('u-bob', 'Export (3)', 1, 30);
    expect(await replace()).toBe('Export (2)');
    for (const next of ['Export (3)', 'Export (4)']) {
      await visitor.submit('/api-keys/new');
      expect(textOf(visitor.page.html)).toContain('API key name must be unique.');
      expect(visitor.form('/api-keys/new').fields.get('name')).toBe(next);
    }
    await visitor.submit('/api-keys/new');
    expect(textOf(visitor.page.html)).toContain('“Export (4)” has been created.');
  });

  it('has a free name at hand for one that is longer than a search, of blanks (K3)', async () => {
    const { host, replace, visitor } = await withKey('Export');
    await host.made('u-bob', 'Export (2)', 1, 30);
    await replace();
    await visitor.submit('/api-keys/new', { name: `${' '.repeat(300)}Export${' '.repeat(300)}(2)` });
    expect(textOf(visitor.page.html)).toContain('API key name must be unique.');
    expect(visitor.form('/api-keys/new').fields.get('name')).toBe('Export (3)');
  });

  it('is one click from where a page says that a key has ended', async () => {
    const { host, id, visitor } = await withKey('Export');
    await host.apiKeys.revoke(alice, id);
    const instead = async (by: typeof visitor, path: string) =>
      /<a href="([^"]+)">Create a new key instead<\/a>/.exec((await by.open(path)).html)?.[1];
    for (const path of [`/api-keys/${id}`, `/api-keys/${id}/edit`, `/api-keys/${id}/revoke`]) {
      expect(await instead(visitor, path), path).toBe(`/api-keys/new?replaces=${id}`);
      // Theirs would act as they do.
      expect(await instead(await host.visitor('root'), path), path).toBe('/api-keys/new');
    }
  });

  it("is not offered for another user's key, as the new one would act as you, nor without API keys", async () => {
    let edition = 'Ultimate';
    const host = await startAdministration({ admin: { edition: () => edition }, keys: { edition: () => edition } });
    const { id } = await host.made('u-alice', 'Export', 1, 30);
    const offered = async (username: string) => {
      const visitor = await host.visitor(username);
      return (await visitor.open(`/api-keys/${id}`)).html.includes('Replace this key');
    };
    expect([await offered('alice'), await offered('root')]).toEqual([true, false]);
    expect((await (await host.visitor('bob')).open(`/api-keys/new?replaces=${id}`)).status).toBe(404);
    edition = 'Standard';
    expect(await offered('alice')).toBe(false);
  });
});
