import { describe, expect, it } from 'vitest';
import { startAdministration } from './helpers/administration.js';
import { readTable, tags, textOf } from './helpers/html.js';

const reason = 'API keys are available only in the Professional and Ultimate editions.';

/** A host whose license can lapse. */
async function withLicense(first = 'Professional') {
  let edition = first;
  const host = await startAdministration({
    admin: { edition: async () => edition },
    keys: { edition: async () => edition },
  });
  return {
    host,
    lapse: () => {
      edition = 'Community';
    },
  };
}

const menuOf = (html: string) => textOf(/<nav class="menu".*?<\/nav>/s.exec(html)![0]);

describe('an edition without API keys (K12)', () => {
  it('has no entry when there are no keys', async () => {
    const { host } = await withLicense('Community');
    const visitor = await host.visitor('root');
    expect(visitor.page.path).toBe('/users');
    expect(menuOf(visitor.page.html)).toBe('Administration Users');
    const regular = await host.visitor('alice');
    expect(regular.page.status).toBe(403);
    expect(textOf(regular.page.html)).toContain(reason);
    expect(menuOf(regular.page.html)).toBe('Administration');
  });

  it('has the entry in the right edition, without any key (control)', async () => {
    const { host } = await withLicense();
    const visitor = await host.visitor('alice');
    expect(menuOf(visitor.page.html)).toBe('Administration API key API key audits');
  });

  it('keeps list, audits and revocation of the keys there are, and says why nothing else goes', async () => {
    const { host, lapse } = await withLicense();
    const { id } = await host.made('u-alice', 'Export', 1, 9);
    const visitor = await host.visitor('alice');
    await visitor.open('/api-keys/new');
    const { fields: creation } = visitor.form('/api-keys/new');
    await visitor.open(`/api-keys/${id}/edit`);
    const { fields: edit } = visitor.form('/edit');
    lapse();

    const list = await visitor.open('/api-keys');
    expect(menuOf(list.html)).toBe('Administration API key API key audits');
    expect(textOf(list.html)).toContain(reason);
    expect(readTable(list.html).rows).toHaveLength(1);
    const create = tags(list.html, 'button').find((tag) => tag.get('aria-describedby') === 'edition-notice');
    expect(create?.has('disabled')).toBe(true);
    expect(tags(list.html, 'a').map((tag) => tag.get('href'))).not.toContain('/api-keys/new');
    expect(readTable((await visitor.open('/api-key-audits')).html).rows).toHaveLength(1);

    for (const path of ['/api-keys/new', `/api-keys/${id}/edit`]) {
      const { html } = await visitor.open(path);
      expect(html).toMatch(/<fieldset disabled/);
      expect(textOf(html)).toContain(reason);
    }
    creation.set('name', 'Another');
    edit.set('name', 'Renamed');
    const created = await visitor.request('/api-keys/new', { method: 'POST', body: creation });
    const edited = await visitor.request(`/api-keys/${id}/edit`, { method: 'POST', body: edit });
    expect([created.status, edited.status]).toEqual([403, 403]);
    expect(textOf(created.html)).toContain(reason);

    // Neither an extension nor a replacement is possible, and the key is refused as it is.
    for (const path of ['/api-keys', `/api-keys/${id}`]) {
      expect(textOf((await visitor.open(path)).html), path).not.toMatch(/expires soon\b|later expiry|new key/i);
    }

    await visitor.open(`/api-keys/${id}/revoke`);
    await visitor.submit('/revoke');
    expect((await visitor.open(`/api-keys/${id}`)).html).not.toContain('/api-keys/new');
    const { items } = await host.apiKeys.list({ userId: 'u-alice', username: 'alice' });
    expect(items.map(({ name, status }) => [name, status])).toEqual([['Export', 'Revoked']]);
  });
});
