import { describe, expect, it } from 'vitest';
import { startAdministration } from './helpers/administration.js';
import { readTable, textOf } from './helpers/html.js';

const names = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onfocus='alert(1)' autofocus='",
  '</title><svg onload=alert(1)>',
  '&lt;b&gt; &amp; &#60;',
  '{{alert(1)}} {{7*7}} <%= 1 %>',
  'javascript:alert(1)',
  '-->]]><!--',
  '🔑 Schlüssel für „Straße“ 鍵',
];

/** All that a browser would take for markup, without the values of attributes. */
function tagsWithoutValues(html: string): string {
  return (html.match(/<[a-z!/](?:"[^"]*"|[^">])*>/gi) ?? []).join('').replace(/"[^"]*"/g, '""');
}

/** The value that the page shows once. */
const keyOf = (html: string) => /ck_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}/.exec(html)?.[0] ?? '';

it('the check can fail (control)', () => {
  expect(tagsWithoutValues('<p title="a > b" onclick="x">y onload=z</p>')).toBe('<p title="" onclick=""></p>');
});

describe.each(names)('the name %j', (name) => {
  it('is text wherever it is shown, and comes back whole', async () => {
    const host = await startAdministration();
    host.users.set('u-x', { ...host.users.get('u-alice')!, id: 'u-x', username: name });
    const visitor = await host.visitor('root');
    await visitor.open('/api-keys/new');
    const created = await visitor.submit('/api-keys/new', { name, description: name, expiry: '30' });
    expect(created.status).toBe(200);
    const { items } = await host.apiKeys.list({ userId: 'u-root', username: 'root' });
    const { id } = items[0]!;
    expect([items[0]!.name, items[0]!.description]).toEqual([name, name]);
    await host.apiKeys.authenticate({ 'x-api-key': keyOf(created.html), 'user-agent': name }, { address: name });
    const owned = await host.made('u-x', 'Owned by x', 0, 30);

    const pages = [created];
    for (const path of [
      '/api-keys?scope=all',
      `/api-keys?search=${encodeURIComponent(name)}`,
      `/api-keys/${id}`,
      `/api-keys/${owned.id}`,
      `/api-keys/${id}/edit`,
      `/api-keys/${id}/revoke`,
      `/api-key-audits?apiKeyId=${id}`,
      '/api-key-audits',
      `/api-key-audits?find=${encodeURIComponent(`${name}x`)}`,
      '/users',
      '/users/delete?id=u-x',
      `/api-keys/${encodeURIComponent(name)}`,
      `/sign-in?next=${encodeURIComponent(name)}`,
    ]) {
      pages.push(await visitor.open(path));
    }
    await visitor.open('/api-keys/new');
    pages.push(await visitor.submit('/api-keys/new', { name, description: name, expiry: 'custom', expiresOn: name }));
    await visitor.open(`/api-keys/${id}/revoke`);
    pages.push(await visitor.submit('/revoke'));
    for (const { html, path } of pages) {
      const markup = tagsWithoutValues(html);
      expect(markup, path).not.toMatch(/<(img|b>|!--)|<script(?! src="" defer="">)/);
      expect(markup, path).not.toMatch(/\son[a-z]+=/);
    }
    expect(textOf(pages.at(-1)!.html)).toContain(name.replace(/\s+/g, ' '));
    const list = await visitor.open('/api-keys');
    expect(readTable(list.html).rows[0]?.[0]?.replace(/ ck_\S*$/, '')).toBe(name);
  });
});

describe('hostile queries', () => {
  it.each([
    '/api-keys?search=%00',
    `/api-keys?search=${'x'.repeat(5000)}`,
    '/api-keys?scope=__proto__&status=constructor&sort=toString',
    '/api-keys?page=%00&page=%ff',
    '/api-key-audits?author=%00&origin=%00&page=%00',
    '/api-keys?%',
    '/api-keys?search=%25_%5C%27%22--',
    '/api-key-audits?find=%00&revisionType=__proto__',
  ])('%s is answered with a page', async (path) => {
    const host = await startAdministration();
    const visitor = await host.visitor('root');
    expect((await visitor.open(path)).status).toBe(200);
    expect(host.errors).toEqual([]);
  });

  it.each(['from=%00', 'to=%ff', 'from=0000-00-00', 'to=9999-99-99', `from=${'x'.repeat(5000)}`])(
    'a time of the audits that is none is refused (%#)',
    async (query) => {
      const host = await startAdministration();
      const visitor = await host.visitor('root');
      expect((await visitor.open(`/api-key-audits?${query}`)).status).toBe(400);
      expect(host.errors).toEqual([]);
    },
  );

  it.each([
    '/api-keys/%00',
    '/api-keys/%ff',
    '/api-keys/..%2f..%2fetc',
    '/%',
    '/api-keys/__proto__/edit',
    '/assets/..%2fx',
  ])('%s is not found', async (path) => {
    const host = await startAdministration();
    const visitor = await host.visitor('root');
    expect((await visitor.open(path)).status).toBe(404);
    expect(host.errors).toEqual([]);
  });
});

describe('what fails unexpectedly', () => {
  it('is reported to the host and tells the visitor nothing', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor('alice');
    const failure = new Error('database is gone: secret connection string');
    host.apiKeys.list = () => Promise.reject(failure);
    const page = await visitor.open('/api-keys');
    expect(page.status).toBe(500);
    expect(textOf(page.html)).toContain('Something went wrong');
    expect(page.html).not.toContain('secret connection string');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(host.errors).toEqual([failure]);
  });
});
