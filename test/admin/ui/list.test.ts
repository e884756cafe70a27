import { describe, expect, it } from 'vitest';
import { type Administration, startAdministration } from './helpers/administration.js';
import { elements, readTable, tags, textOf } from './helpers/html.js';

const columns = ['Name', 'Created By', 'Created on', 'Expires on', 'Last accessed', 'Status', 'Action'];
const namesOf = (html: string) => readTable(html).rows.map(([name]) => name?.replace(/ ck_.*/, ''));

/** One key of each kind for alice, and one for bob. */
async function someKeys() {
  const host = await startAdministration();
  const active = await host.made('u-alice', 'Active one', 100, 200);
  const soon = await host.made('u-alice', 'Soon over', 80, 90);
  const expired = await host.made('u-alice', 'Expired one', 50, 40);
  const revoked = await host.made('u-alice', 'Revoked one', 10, 300);
  await host.apiKeys.revoke({ userId: 'u-alice', username: 'alice', origin: 'UI' }, revoked.id);
  await host.made('u-bob', 'Of bob', 1, 30);
  return { host, active, soon, expired, revoked };
}

describe('the list (specification 4)', () => {
  it('has exactly the columns of the specification', async () => {
    const { host } = await someKeys();
    const visitor = await host.visitor('alice');
    expect(readTable(visitor.page.html).head).toEqual(columns);
  });

  it('shows each key with its state, relative times, and the exact ones on hover', async () => {
    const { host, active } = await someKeys();
    const visitor = await host.visitor('alice');
    const row = readTable(visitor.page.html).rows.find(([name]) => name?.startsWith('Active one'));
    expect(row).toEqual([
      `Active one ck_${active.id}…`,
      'alice',
      '3 months ago 13 Aug 2026, 09:00',
      'in 3 months 1 Mar 2027, 09:00',
      'Never',
      'Active',
      'Revoke',
    ]);
    const time = tags(visitor.page.html, 'time').find((tag) => tag.get('datetime') === '2027-03-01T09:00:00.000Z');
    expect(time?.get('title')).toBe('1 Mar 2027, 09:00:00 UTC');
    expect(textOf(visitor.page.html)).toContain('All times are in UTC.');
  });

  it('offers to revoke Active keys only, and says whose key each button is for', async () => {
    const { host } = await someKeys();
    const visitor = await host.visitor('alice');
    const actions = new Map(readTable(visitor.page.html).rows.map((row) => [row[5]?.split(' ')[0], row[6]]));
    expect(Object.fromEntries(actions)).toEqual({ Active: 'Revoke', Expired: '–', Revoked: '–' });
    const labels = tags(visitor.page.html, 'a').map((tag) => tag.get('aria-label'));
    expect(labels).toContain('Revoke Active one');
  });

  it('shows the last use as soon as the key has been used (K10)', async () => {
    const { host, active } = await someKeys();
    await host.apiKeys.authenticate({ 'x-api-key': active.key });
    await host.clock.advance(120_000);
    const visitor = await host.visitor('alice');
    const row = readTable(visitor.page.html).rows.find(([name]) => name?.startsWith('Active one'));
    expect(row?.[4]).toBe('2 minutes ago 21 Nov 2026, 09:00');
  });

  it('never shows the value of a key', async () => {
    const { host, active } = await someKeys();
    const visitor = await host.visitor('alice');
    for (const path of ['/api-keys', `/api-keys/${active.id}`, `/api-keys/${active.id}/edit`, '/api-key-audits']) {
      const { html } = await visitor.open(path);
      expect(html).not.toContain(active.key.slice(-49));
    }
  });
});

describe('whose keys (specification 4, K7)', () => {
  it('a regular user sees their own keys and no switch, whatever the address says', async () => {
    const { host } = await someKeys();
    const visitor = await host.visitor('bob');
    for (const path of ['/api-keys', '/api-keys?scope=all']) {
      const { html } = await visitor.open(path);
      expect(html).not.toContain('All API keys');
      expect(html).not.toContain('My API keys</a>');
      expect(namesOf(html)).toEqual(['Of bob']);
    }
  });

  it.each(['helen', 'root'])('%s may switch between My API keys and All API keys', async (username) => {
    const { host } = await someKeys();
    await host.made(`u-${username}`, 'My own', 0, 30);
    const visitor = await host.visitor(username);
    expect(namesOf(visitor.page.html)).toEqual(['My own']);
    const current = tags(visitor.page.html, 'a').filter((tag) => tag.get('aria-current') === 'true');
    expect(current[0]?.get('href')).toBe('/api-keys');
    const all = tags(visitor.page.html, 'a').find((tag) => tag.get('href') === '/api-keys?scope=all');
    expect(all).toBeDefined();
    const { html } = await visitor.open('/api-keys?scope=all');
    expect(namesOf(html)).toHaveLength(6);
    expect(readTable(html).rows.map((row) => row[1])).toContain('bob');
  });

  it("somebody else's key is not found, like one that does not exist", async () => {
    const { host, active } = await someKeys();
    const visitor = await host.visitor('bob');
    const answers: string[] = [];
    for (const id of [active.id, 'abcdefghijkl', 'nonsense']) {
      for (const path of [
        `/api-keys/${id}`,
        `/api-keys/${id}/edit`,
        `/api-keys/${id}/revoke`,
        `/api-key-audits?apiKeyId=${id}`,
      ]) {
        const { status, html } = await visitor.open(path);
        expect(status).toBe(404);
        answers.push(textOf(elements(html, 'main')[0]!));
      }
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('API key not found.');
  });
});

describe('finding a key', () => {
  it.each([
    ['Active', ['Soon over', 'Active one']],
    ['Expired', ['Expired one']],
    ['Revoked', ['Revoked one']],
    ['Nonsense', ['Revoked one', 'Expired one', 'Soon over', 'Active one']],
  ])('by the status %s', async (status, names) => {
    const { host } = await someKeys();
    const visitor = await host.visitor('alice');
    expect(namesOf((await visitor.open(`/api-keys?status=${status}`)).html)).toEqual(names);
  });

  it('by words, which the field keeps, together with the other choices', async () => {
    const { host } = await someKeys();
    const visitor = await host.visitor('root');
    await visitor.open('/api-keys?scope=all&status=Active');
    await visitor.submit('/api-keys', { search: 'OVER' });
    expect(visitor.page.path).toContain('scope=all&status=Active&search=OVER');
    expect(namesOf(visitor.page.html)).toEqual(['Soon over']);
    expect(
      tags(visitor.page.html, 'input')
        .find((tag) => tag.get('name') === 'search')
        ?.get('value'),
    ).toBe('OVER');
    await visitor.open('/api-keys?scope=all&search=bob');
    expect(namesOf(visitor.page.html)).toEqual(['Of bob']);
  });

  it('says when nothing matches, and how to see all keys again', async () => {
    const { host } = await someKeys();
    const visitor = await host.visitor('alice');
    const { html } = await visitor.open('/api-keys?search=zzz&status=Active');
    expect(textOf(html)).toContain('No API key matches');
    expect(tags(html, 'a').filter((tag) => tag.get('href') === '/api-keys').length).toBeGreaterThan(1);
    // Only what was asked for is said: there may be no search, or no status.
    const root = await host.visitor('root');
    for (const query of ['search=zzz', 'status=Active', 'scope=all&createdBy=u-mallory']) {
      const text = textOf((await root.open(`/api-keys?${query}`)).html);
      expect(text).toContain('No API key matches Choose another status or other words, or clear the filters.');
    }
  });

  it('is one of all keys of a user, linked from the users and from a key, for whoever may manage all', async () => {
    const { host } = await someKeys();
    host.users.set('u-bob', { ...host.users.get('u-bob')!, username: 'soon-renamed' });
    await host.made('u-root', 'of alice and bob', 1, 30);
    const path = '/api-keys?scope=all&createdBy=u-alice';
    const visitor = await host.visitor('root');
    const linked = (html: string) => tags(html, 'a').some((tag) => tag.get('href') === path);
    expect(linked((await visitor.open('/users')).html)).toBe(true);
    const { html } = await visitor.open(`${path}&sort=name`);
    expect(namesOf(html)).toEqual(['Active one', 'Expired one', 'Revoked one', 'Soon over']);
    expect(textOf(html)).toContain('Only API keys of alice. Show the keys of all users');
    // It stays through a search and a status, and goes with the scope.
    expect((await visitor.submit('/api-keys', { search: 'soon' })).path).toBe(
      '/api-keys?scope=all&createdBy=u-alice&search=soon',
    );
    expect(namesOf(visitor.page.html)).toEqual(['Soon over']);
    const hrefs = tags(visitor.page.html, 'a').map((tag) => tag.get('href'));
    expect(hrefs).toContain('/api-keys?scope=all&createdBy=u-alice&status=Active&search=soon');
    expect(hrefs).toContain('/api-keys?search=soon');
    const id = (await host.apiKeys.list({ userId: 'u-alice', username: 'alice' }, { limit: 1 })).items[0]!.id;
    expect(linked((await visitor.open(`/api-keys/${id}`)).html)).toBe(true);
    expect(textOf((await visitor.open('/api-keys?scope=all&createdBy=u-gone')).html)).toContain(
      'Only API keys of u-gone.',
    );
    const alice = await host.visitor('alice');
    expect(linked((await alice.open(`/api-keys/${id}`)).html)).toBe(false);
    expect(namesOf((await alice.open('/api-keys?scope=all&createdBy=u-root')).html)).toHaveLength(4);
  });

  it('of a user whose id looks like the start of a key, of nobody else', async () => {
    const { host } = await someKeys();
    for (const id of ['svc_reportworker', 'svc_reportworker_eu', 'u-alice ']) {
      host.users.set(id, { ...host.users.get('u-bob')!, id, username: id });
      await host.made(id, `key of ${id}`, 1, 30);
    }
    const visitor = await host.visitor('root');
    const { html } = await visitor.open('/api-keys?scope=all&createdBy=svc_reportworker_eu');
    expect(namesOf(html)).toEqual(['key of svc_reportworker_eu']);
    expect(namesOf((await visitor.open('/api-keys?scope=all&createdBy=u-alice+')).html)).toEqual(['key of u-alice']);
    expect((await visitor.open('/api-keys?scope=all&createdBy=+')).status).toBe(200);
    const audits = await visitor.open('/api-key-audits?author=svc_reportworker_eu');
    expect(audits.html).toContain('key of svc_reportworker_eu');
    expect(audits.html).not.toContain('key of svc_reportworker<');
    expect(textOf((await visitor.open('/users?search=worker_eu')).html)).toContain('svc_reportworker_eu');
    expect((await visitor.open('/users?search=svc_reportworker_eu')).html).not.toContain('>svc_reportworker<');
    // A whole key stays out of addresses, wherever it was pasted.
    const { key } = await host.made('u-bob', 'pasted', 1, 30);
    const pasted = await visitor.open(`/api-keys?scope=all&createdBy=${key}`);
    expect(pasted.html).not.toContain(key);
  });

  it('of what is none of the own keys, offers to look among all of them to whoever may', async () => {
    const { host } = await someKeys();
    const offered = async (username: string, path: string) => {
      const { html } = await (await host.visitor(username)).open(path);
      expect(textOf(html)).toContain('No API key matches');
      return /<a class="button" href="([^"]+)">Search all API keys<\/a>/.exec(html)?.[1];
    };
    const path = '/api-keys?search=active+one&sort=name';
    expect(await offered('root', path)).toBe('/api-keys?scope=all&amp;search=active+one&amp;sort=name');
    expect(await offered('bob', path)).toBeUndefined();
    expect(await offered('root', '/api-keys?scope=all&search=zzz')).toBeUndefined();
  });

  it('says so when there are no keys at all, and offers to create one', async () => {
    const { host } = await someKeys();
    const visitor = await host.visitor('mallory');
    expect(textOf(visitor.page.html)).toContain('You have no API keys yet');
    expect(textOf(visitor.page.html)).toContain('Create your first API key');
    expect(visitor.page.html).not.toContain('<table');
  });

  it.each([
    ['name', 'ascending', ['Active one', 'Expired one', 'Revoked one', 'Soon over']],
    ['-name', 'descending', ['Soon over', 'Revoked one', 'Expired one', 'Active one']],
    ['expiresOn', 'ascending', ['Expired one', 'Soon over', 'Active one', 'Revoked one']],
    ['-createdOn', 'descending', ['Revoked one', 'Expired one', 'Soon over', 'Active one']],
  ])('in the order %s, which its column says: %s', async (sort, order, names) => {
    const { host } = await someKeys();
    const visitor = await host.visitor('alice');
    const { html } = await visitor.open(`/api-keys?sort=${sort}`);
    expect(namesOf(html)).toEqual(names);
    const sorted = tags(html, 'th').filter((tag) => tag.has('aria-sort'));
    expect(sorted.map((tag) => tag.get('aria-sort'))).toEqual([order]);
  });

  it('a click on a column sorts by it, and a second one turns the order round', async () => {
    const { host } = await someKeys();
    const visitor = await host.visitor('alice');
    const hrefOf = (html: string, column: string) =>
      tags(elements(html, 'thead')[0]!, 'a')[columns.indexOf(column)]?.get('href');
    const first = hrefOf(visitor.page.html, 'Name')!;
    expect(first).toBe('/api-keys?sort=name');
    const second = hrefOf((await visitor.open(first)).html, 'Name')!;
    expect(second).toBe('/api-keys?sort=-name');
    expect(hrefOf((await visitor.open(second)).html, 'Name')).toBe('/api-keys?sort=name');
  });
});

describe('paging through 1,000 keys', () => {
  async function thousandKeys(): Promise<Administration> {
    const host = await startAdministration();
    const actor = { userId: 'u-root', username: 'root' };
    const expiresOn = host.apiKeys.maxExpiresOn();
    for (let index = 0; index < 1000; index++) {
      await host.apiKeys.create(actor, { name: `Key ${String(index).padStart(4, '0')}`, expiresOn });
    }
    return host;
  }
  const linkTo = (html: string, text: string) => {
    const pager = html.slice(html.indexOf('class="pager"'));
    const link = [...pager.matchAll(/<a(?=[\s>])[^>]*>.*?<\/a>/gs)].find(([whole]) => textOf(whole) === text);
    return link === undefined ? undefined : tags(link[0], 'a')[0]?.get('href');
  };

  it('shows each of them once, page by page, and counts them', async () => {
    const host = await thousandKeys();
    const visitor = await host.visitor('root');
    let { html } = await visitor.open('/api-keys?sort=name');
    expect(textOf(html)).toContain('1,000 API keys.');
    const seen = [...namesOf(html)];
    for (let href = linkTo(html, 'Next'); href !== undefined; href = linkTo(html, 'Next')) {
      expect(href.length).toBeLessThan(2000);
      ({ html } = await visitor.open(href));
      seen.push(...namesOf(html));
    }
    expect(seen).toEqual(Array.from({ length: 1000 }, (_, index) => `Key ${String(index).padStart(4, '0')}`));
  });

  it('goes back the same way, and to the first page from afar', async () => {
    const host = await thousandKeys();
    const visitor = await host.visitor('root');
    const pages = [(await visitor.open('/api-keys?sort=name&scope=all')).html];
    expect(linkTo(pages[0]!, 'Previous')).toBeUndefined();
    for (let index = 0; index < 14; index++) {
      pages.push((await visitor.open(linkTo(pages.at(-1)!, 'Next')!)).html);
    }
    let html = pages.at(-1)!;
    for (let index = 13; index > 4; index--) {
      ({ html } = await visitor.open(linkTo(html, 'Previous')!));
      expect(namesOf(html)).toEqual(namesOf(pages[index]!));
    }
    const first = await visitor.open(linkTo(html, '1')!);
    expect(namesOf(first.html)).toEqual(namesOf(pages[0]!));
    ({ html } = await visitor.open(linkTo(pages[1]!, 'Previous')!));
    expect(namesOf(html)).toEqual(namesOf(pages[0]!));
  });

  it.each(['my', 'all'])(
    'says which part of the whole is shown, and leads to the last page at once: %s',
    async (scope) => {
      const host = await thousandKeys();
      const visitor = await host.visitor('root');
      let { html } = await visitor.open(`/api-keys?sort=name&scope=${scope}&page=3`);
      expect(textOf(html)).toContain('51–75 of 1,000 API keys.');
      expect(namesOf(html)[0]).toBe('Key 0050');
      expect(textOf(html)).toContain('Previous 1 2 3 4 … 40 Next');
      expect(html).toMatch(/<a[^>]*aria-label="Page 3"[^>]*aria-current="page"/);
      ({ html } = await visitor.open(linkTo(html, '40')!));
      expect(textOf(html)).toContain('976–1,000 of 1,000 API keys.');
      expect(namesOf(html).at(-1)).toBe('Key 0999');
      expect(linkTo(html, 'Next')).toBeUndefined();
      // Not counted: the names would all have to be read.
      ({ html } = await visitor.open(`/api-keys?sort=name&scope=all&search=key&page=2`));
      expect(textOf(html)).toContain('Previous 1 2 3 Next');
      expect(textOf(html)).not.toContain('1,000');
    },
  );

  it('a page beyond the last leads to the last; a number that is none is the first', async () => {
    const host = await thousandKeys();
    const visitor = await host.visitor('root');
    for (const [asked, shown] of [
      ['/api-keys?sort=name&page=41', '/api-keys?sort=name&page=40'],
      ['/api-keys?sort=name&page=99999999', '/api-keys?sort=name&page=40'],
      ['/api-keys?search=nothing&page=2', '/api-keys?search=nothing'],
      ['/api-keys?scope=all&search=nothing&page=2', '/api-keys?scope=all&search=nothing'],
      ['/api-key-audits?page=999', '/api-key-audits?page=40'],
      ['/api-key-audits?author=nobody&page=2', '/api-key-audits?author=nobody'],
    ] as const) {
      await visitor.open(asked);
      expect([visitor.page.status, visitor.page.path]).toEqual([200, shown]);
    }
    const { html } = await visitor.open('/api-keys?sort=name');
    for (const page of ['0', '-1', '1.5', '1e3', 'x', '%00', '999999999999']) {
      await visitor.open(`/api-keys?sort=name&page=${page}`);
      expect(namesOf(visitor.page.html), page).toEqual(namesOf(html));
    }
  });
});

describe('warnings', () => {
  it('a key that expires within 14 days is marked, in the list, above it, and on its own page', async () => {
    const { host, soon, active } = await someKeys();
    const visitor = await host.visitor('alice');
    const rows = readTable(visitor.page.html).rows;
    expect(rows.find(([name]) => name?.startsWith('Soon over'))?.[3]).toContain('Expires soon');
    expect(rows.find(([name]) => name?.startsWith('Active one'))?.[3]).not.toContain('Expires soon');
    expect(textOf(visitor.page.html)).toContain('1 API key expires within 14 days.');
    expect(textOf((await visitor.open(`/api-keys/${soon.id}`)).html)).toContain('This key expires in 10 days.');
    expect(textOf((await visitor.open(`/api-keys/${active.id}`)).html)).not.toContain('This key expires in');
  });

  it('begins 14 days before, to the moment', async () => {
    const host = await startAdministration();
    await host.made('u-alice', 'Export', 0, 30);
    const visitor = await host.visitor('alice');
    host.clock.jumpCalendar(16 * 86_400_000 - 1);
    await visitor.signIn('alice', 'pässword: with colon');
    expect(textOf(visitor.page.html)).not.toContain('within 14 days');
    host.clock.jumpCalendar(1);
    expect(textOf((await visitor.open('/api-keys')).html)).toContain('1 API key expires within 14 days.');
  });

  it('a revoked or expired key that is used again is marked, with how often and when', async () => {
    const { host, revoked, expired } = await someKeys();
    await host.apiKeys.authenticate({ 'x-api-key': revoked.key });
    await host.apiKeys.authenticate({ 'x-api-key': revoked.key });
    await host.apiKeys.authenticate({ 'x-api-key': expired.key });
    await host.clock.advance(3_600_000);
    const visitor = await host.visitor('alice');
    const statusOf = (prefix: string) =>
      readTable(visitor.page.html).rows.find(([name]) => name?.startsWith(prefix))?.[5];
    expect(statusOf('Revoked one')).toBe('Revoked Used 2 times since, last 1 hour ago');
    expect(statusOf('Expired one')).toBe('Expired Used 1 time since, last 1 hour ago');
    expect(statusOf('Active one')).toBe('Active');
    const details = textOf((await visitor.open(`/api-keys/${revoked.id}`)).html);
    expect(details).toContain('Something still uses this key.');
    expect(details).toContain('in 2 requests after it had been revoked, last on 21 Nov 2026, 09:00:00 UTC');
  });
});
