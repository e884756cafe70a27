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

/** How many characters of a secret stand in a text, in pieces of six or more: fewer are there by chance. */
function charactersLeft(text: string, secret: string): number {
  const isThere = [...secret].map(() => false);
  for (let start = 0; start + 6 <= secret.length; start++) {
    if (text.includes(secret.slice(start, start + 6))) isThere.fill(true, start, start + 6);
  }
  return isThere.filter(Boolean).length;
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
  it.each([
    '%',
    ' %\n',
    'x-api-key: %',
    'Authorization: Bearer %',
    '"%"',
    '`%`',
    '{"key":"%"}',
    `curl ${'-v '.repeat(100)} -H "Authorization: ApiKey %" https://x`,
  ])('leads to its page, with its last use and a button to revoke: %j', async (around) => {
    const { id, key, leaves, visitor } = await withLeak('root');
    await visitor.open('/api-keys?scope=all');
    await visitor.submit('/api-keys', { search: around.replace('%', key) });
    expect(visitor.page.path).toBe(`/api-keys/${id}`);
    const text = textOf(visitor.page.html);
    expect(text).toContain('The value you searched for belongs to this key; it was not stored.');
    expect(text).toContain('Last accessed 21 Nov 2026, 09:00:00 UTC (just now)');
    expect(visitor.page.html).toContain(`href="/api-keys/${id}/revoke"`);
    expect(leaves()).toEqual([]);
  });

  it.each<[string, (key: string) => string]>([
    ['by a line break', (key) => `${key.slice(0, 40)}\n${key.slice(40)}`],
    ['by an indented line, within its id', (key) => `${key.slice(0, 8)}\r\n    ${key.slice(8)}`],
    ['by invisible characters', (key) => `${key.slice(0, 8)}\u200B${key.slice(8, 30)}\u00AD${key.slice(30)}`],
    ['by NULs', (key) => `${key.slice(0, 30)}\0${key.slice(30)}`],
    ['by Markdown', (key) => key.replaceAll('_', '\\_')],
  ])('is found although it is interrupted %s', async (_, interrupt) => {
    const { id, key, leaves, visitor } = await withLeak('root');
    await visitor.open('/api-keys');
    await visitor.submit('/api-keys', { search: interrupt(key) });
    expect(visitor.page.path).toBe(`/api-keys/${id}`);
    for (const { key: text } of [{ key }, { key: interrupt(key) }]) expect(visitor.log.join()).not.toContain(text);
    expect(leaves()).toEqual([]);
  });

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

describe('a key that was cut short, in the search', () => {
  it.each([17, 20, 40, 64])('is found by its id, and leaves none of the %s characters', async (length) => {
    const { id, key, visitor } = await withLeak('root');
    await visitor.open('/api-keys');
    await visitor.submit('/api-keys', { search: `Authorization: Bearer "${key.slice(0, length)}…"` });
    expect(visitor.page.path).toBe(`/api-keys/${id}`);
    if (length > 17) expect(visitor.log.join() + visitor.page.html).not.toContain(key.slice(16, length));
  });

  it('of another user leaves no more of its secret than nobody can use', async () => {
    const { id, key, visitor } = await withLeak('bob');
    for (const length of [40, 64]) {
      await visitor.open('/api-keys');
      await visitor.submit('/api-keys', { search: key.slice(0, length) });
      expect(visitor.page.path).toBe(`/api-keys?search=ck_${id}%E2%80%A6`);
      expect(visitor.log.join() + visitor.page.html).not.toContain(key.slice(16, 40));
    }
  });

  it.each(['%', ' "%"'])('without a mark leaves nothing of its secret, however little is there: %s', async (around) => {
    const { id, key, visitor } = await withLeak('bob');
    for (const length of [17, 20, 37]) {
      await visitor.open('/api-keys');
      await visitor.submit('/api-keys', { search: around.replace('%', key.slice(0, length)) });
      expect(visitor.page.path).toBe(`/api-keys?search=ck_${id}`);
    }
  });

  it.each(['ck_%…', '"ck_%..."', '`ck_%****`', 'Bearer ck_%…9xYz', 'ck\\_%•••'])(
    'within its id is found by what the list shows of it, and the page says so: %s',
    async (around) => {
      const { host, id, visitor } = await withLeak('root');
      await host.made('u-alice', 'Another', 3, 30);
      await visitor.open('/api-keys?scope=all');
      await visitor.submit('/api-keys', { search: around.replace('%', id.slice(0, 5)) });
      expect(visitor.page.path).toMatch(new RegExp(`^/api-keys\\?scope=all&search=ck_${id.slice(0, 5)}%E2%80%A6$`));
      expect(readTable(visitor.page.html).rows.map(([name]) => name)).toEqual([expect.stringContaining('Export')]);
      expect(textOf(visitor.page.html)).toContain(
        `These are the keys whose value starts with ck_${id.slice(0, 5)}. Compare more of it before you revoke one.`,
      );
    },
  );

  it.each(["'ck_%'", ' `ck_%`\n'])('without a mark is found in quotes as well: %s', async (around) => {
    const { host, id, visitor } = await withLeak('root');
    await host.made('u-alice', 'Another', 3, 30);
    await visitor.open('/api-keys?scope=all');
    await visitor.submit('/api-keys', { search: around.replace('%', id.slice(0, 5)) });
    expect(readTable(visitor.page.html).rows.map(([name]) => name)).toEqual([expect.stringContaining('Export')]);
  });

  it.each(['ck_…', 'ck_%...', '`ck_%****`'])('says when it is too short: %s', async (around) => {
    const { id, visitor } = await withLeak('root');
    await visitor.open('/api-keys?scope=all');
    await visitor.submit('/api-keys', { search: around.replace('%', id.slice(0, 3)) });
    expect(readTable(visitor.page.html).rows).toEqual([]);
    expect(textOf(visitor.page.html)).toContain(
      'This is too short to find a key. Paste at least 4 characters after the underscore.',
    );
  });

  it.each<[string, (key: string) => string]>([
    ['without its prefix', (key) => key.slice(3)],
    ['without its prefix, inside text', (key) => `key "${key.slice(3)}"`],
    ['in capitals', (key) => key.toUpperCase()],
    ['without its first characters', (key) => `…${key.slice(8)}`],
    ['as its secret alone', (key) => key.slice(16)],
    ['as its secret without the checksum', (key) => key.slice(16, 59)],
    ['as its secret alone, inside text', (key) => `curl -H "x-request-id: 7" -H "x-api-key: ${key.slice(16)}"`],
    ['as its secret, broken once', (key) => `${key.slice(16, 36)}\n${key.slice(36)}`],
    ['as its secret with an invisible character', (key) => `${key.slice(16, 36)}\u200B${key.slice(36)}`],
    ['behind another long word', (key) => `${'a1'.repeat(16)} ${key.slice(16)}`],
  ])('or pasted %s, leaves at most 21 characters of its secret', async (_, paste) => {
    const { key, visitor } = await withLeak('root');
    const pasted = paste(key);
    const secret = pasted === key.toUpperCase() ? pasted.slice(16) : key.slice(16);
    for (const [page, field] of [
      ['/api-keys', 'search'],
      ['/api-key-audits', 'find'],
    ] as const) {
      visitor.log.length = 0;
      await visitor.open(page);
      await visitor.submit(page, { [field]: pasted });
      const left = `${visitor.log.join('\n')}\n${visitor.page.html}`;
      expect(charactersLeft(left, secret)).toBeLessThanOrEqual(21);
      const { headers } = await visitor.request(`${page}?${field}=${encodeURIComponent(pasted)}`);
      expect(charactersLeft(headers.get('location') ?? pasted, secret)).toBeLessThanOrEqual(21);
    }
  });

  it.each(['%', '"%"'])('without its prefix is found by its id: %s', async (around) => {
    const { host, id, key, visitor } = await withLeak('root');
    await host.made('u-alice', 'Another', 3, 30);
    await visitor.open('/api-keys?scope=all');
    await visitor.submit('/api-keys', { search: around.replace('%', key.slice(3)) });
    expect(visitor.page.path).toBe(`/api-keys?scope=all&search=${id}`);
    expect(readTable(visitor.page.html).rows.map(([name]) => name)).toEqual([expect.stringContaining('Export')]);
  });

  it('is told from long names, which are found by 21 characters of a longer word', async () => {
    const { host, visitor } = await withLeak('root');
    for (const name of [
      'Nightly export of the production database to the warehouse',
      'export_ReportingServiceProductionEurope nightly',
      'Build 7f3c2a9d1e5b8f60a4c7d2e9b1f8a3c5d6e7f809',
      'organization_2aBcDeFgHiJkLmNoPqRsTuVw',
    ]) {
      await host.made('u-root', name, 1, 30);
      await visitor.open('/api-keys');
      await visitor.submit('/api-keys', { search: name });
      expect(readTable(visitor.page.html).rows.map(([cell]) => cell)).toEqual([expect.stringContaining(name)]);
    }
  });

  it('is told from names: they are looked for as they are', async () => {
    const { host, visitor } = await withLeak('root');
    for (const name of ['build_7', 'export_productionDB_nightly', '"Bearer" token', 'ab_cd…', 'xy_2026']) {
      await host.made('u-root', name, 1, 30);
      await visitor.open('/api-keys');
      await visitor.submit('/api-keys', { search: name });
      expect(readTable(visitor.page.html).rows.map(([cell]) => cell)).toEqual([expect.stringContaining(name)]);
    }
  });
});
