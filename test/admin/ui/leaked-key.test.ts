import { describe, expect, it } from 'vitest';
import { startAdministration } from './helpers/administration.js';
import { readTable, textOf } from './helpers/html.js';
import { Visitor } from './helpers/visitor.js';

/** Remembers every address that it was at or was sent to, as a proxy's log does. */
class LoggedVisitor extends Visitor {
  readonly log: string[] = [];

  override async request(path: string, init: RequestInit = {}) {
    const page = await super.request(path, init);
    this.log.push(path, page.path, page.headers.get('location') ?? '', page.headers.getSetCookie().join());
    return page;
  }
}

async function withLeak(username: string) {
  const host = await startAdministration();
  const { id, key } = await host.made('u-alice', 'Export', 3, 30);
  await host.apiKeys.authenticate({ 'x-api-key': key });
  const visitor = new LoggedVisitor(host.url);
  await visitor.signIn(username, 'pässword: with colon');
  const secret = key.slice(16);
  const leaves = () => [...visitor.log, visitor.page.html].filter((text) => text.includes(secret));
  return { host, id, key, leaves, visitor };
}

describe('a whole key in the search', () => {
  it.each(['%', ' %\n', 'x-api-key: %', 'curl -H "Authorization: ApiKey %" https://x'])(
    'leads to its page, with its last use and a button to revoke: %j',
    async (around) => {
      const { id, key, leaves, visitor } = await withLeak('root');
      await visitor.open('/api-keys?scope=all');
      await visitor.submit('/api-keys', { search: around.replace('%', key) });
      expect(visitor.page.path).toBe(`/api-keys/${id}`);
      const text = textOf(visitor.page.html);
      expect(text).toContain('The value names this key, and was not kept.');
      expect(text).toContain('Last accessed 21 Nov 2026, 09:00:00 UTC (just now)');
      expect(visitor.page.html).toContain(`href="/api-keys/${id}/revoke"`);
      expect(leaves()).toEqual([]);
    },
  );

  it('of another user is no key of yours, and leaves nothing either', async () => {
    const { id, key, leaves, visitor } = await withLeak('bob');
    await visitor.open('/api-keys');
    await visitor.submit('/api-keys', { search: key });
    expect(visitor.page.path).toBe(`/api-keys?search=ck_${id}%E2%80%A6`);
    expect(textOf(visitor.page.html)).toContain('No API key matches');
    expect(leaves()).toEqual([]);
  });

  it('in an address is taken out of it', async () => {
    const { id, key, visitor } = await withLeak('root');
    for (const path of ['/api-keys?scope=all&search=', '/api-key-audits?find=']) {
      const page = await visitor.request(path + key);
      expect(page.status).toBe(303);
      expect(page.headers.get('location')).toContain(`ck_${id}%E2%80%A6`);
      expect(page.headers.get('location')).not.toContain(key.slice(16));
    }
    await visitor.open(`/api-keys?scope=all&search=${key}`);
    expect(readTable(visitor.page.html).rows).toHaveLength(1);
  });

  it('finds its audits', async () => {
    const { id, key, leaves, visitor } = await withLeak('root');
    await visitor.open('/api-key-audits');
    await visitor.submit('/api-key-audits', { find: key });
    expect(visitor.page.path).toBe(`/api-key-audits?apiKeyId=${id}`);
    expect(leaves()).toEqual([]);
  });

  it('finds the key by the Admin API as well', async () => {
    const { host, id, key } = await withLeak('root');
    const { body } = await host.as('root', 'GET', `/api-keys?scope=all&search=${key}`);
    expect(body.items.map((item: { id: string }) => item.id)).toEqual([id]);
  });
});
