import { describe, expect, it } from 'vitest';
import { evil } from './helpers/every-page.js';
import { tags, textOf } from './helpers/html.js';
import { namesOf, signedInAmongMany } from './helpers/many-users.js';

describe('5,000 users', () => {
  it('a page beyond the last leads to the last; a number that is none is the first', async () => {
    const { visitor } = await signedInAmongMany();
    for (const [asked, shown] of [
      ['/users?page=201', '/users?page=200'],
      ['/users?page=99999999', '/users?page=200'],
      ['/users?page=3&search=4999', '/users?search=4999'],
      ['/users?page=2&search=nobody', '/users?search=nobody'],
    ] as const) {
      expect((await visitor.open(asked)).path).toBe(shown);
    }
    for (const page of ['0', '-1', '1.5', '1e3', 'NaN', '999999999', '%00', evil]) {
      await visitor.open(`/users?page=${page}`);
      expect(namesOf(visitor)[0], page).toBe('root');
    }
  });

  it.each([
    ['part of a name, in any case', 'SER 49', '100 users.', 'user 4900'],
    ['a name in full-width letters', 'ｕｓｅｒ ４９９９', '1 user.', 'user 4999'],
    ['the start of an id', 'id-499', '11 users.', 'user 0499'],
    ['what the search trims and drops', ' \0root ', '1 user.', 'root'],
  ])('are found by %s', async (_, search, count, first) => {
    const { visitor } = await signedInAmongMany();
    await visitor.open('/users?page=7');
    await visitor.submit('/users', { search });
    expect(new URL(visitor.page.path, 'http://x').searchParams.has('page')).toBe(false);
    expect(textOf(visitor.page.html)).toContain(count);
    expect(namesOf(visitor)[0]).toBe(first);
    const [field] = tags(visitor.page.html, 'input').filter((tag) => tag.get('id') === 'search');
    expect(field?.get('value')).toBe(search.replace('\0', '').trim());
  });

  it('are not found by the middle of an id, which would mean nothing to anybody', async () => {
    const { visitor } = await signedInAmongMany();
    await visitor.open('/users?search=d-49');
    expect(textOf(visitor.page.html)).toContain('No user matches');
    const clear = tags(visitor.page.html, 'a').find(
      (tag) => tag.get('href') === '/users' && tag.get('class') === 'button',
    );
    expect(clear).toBeDefined();
  });

  it('are deleted one after the other without a new search', async () => {
    const { host, visitor } = await signedInAmongMany();
    await visitor.open('/users?search=499&page=1');
    const link = tags(visitor.page.html, 'a').find((tag) => tag.get('aria-label') === 'Delete user 0499');
    await visitor.open(link!.get('href')!);
    expect(tags(visitor.page.html, 'a').map((tag) => tag.get('href'))).toContain('/users?search=499');
    await visitor.submit('/users/delete', { username: 'user 0499' });
    expect(visitor.page.path).toBe('/users?search=499');
    expect(host.users.has('id-499')).toBe(false);
    expect(namesOf(visitor)).not.toContain('user 0499');
  });
});

describe('a search for users', () => {
  it('of any text is text on the page, and no longer than a name can be', async () => {
    const { visitor } = await signedInAmongMany();
    await visitor.open('/users');
    for (const search of [evil, 'x'.repeat(10_000), '[(*+?\\', '%_', '\uD800']) {
      const { status, html } = await visitor.submit('/users', { search });
      expect(status).toBe(200);
      expect(html).not.toContain('<x-evil');
      expect(textOf(html)).toContain('No user matches');
      expect(visitor.page.path.length).toBeLessThan(1000);
    }
  });

  it('keeps no value of an API key', async () => {
    const { host, visitor } = await signedInAmongMany();
    const { key } = await host.made('u-root', 'Export', 1, 30);
    await visitor.open('/users');
    await visitor.submit('/users', { search: key });
    expect(visitor.page.path + visitor.page.html).not.toContain(key.slice(16));
    await visitor.open(`/users?search=${key}`);
    expect(visitor.page.html).not.toContain(key.slice(16));
  });
});
