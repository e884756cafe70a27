import { describe, expect, it } from 'vitest';
import { startAdministration } from './helpers/administration.js';
import { readTable, textOf } from './helpers/html.js';

const alice = { userId: 'u-alice', username: 'alice', origin: 'UI' as const };
const root = { userId: 'u-root', username: 'root', origin: 'API' as const };

async function someHistory() {
  const host = await startAdministration();
  const first = await host.made('u-alice', 'Export', 3, 30);
  const second = await host.made('u-alice', 'Export of orders', 2, 30);
  const third = await host.made('u-bob', 'Of bob', 1, 30);
  await host.apiKeys.update(alice, first.id, { name: 'Import', expiresOn: '2027-01-31T12:00:00Z' });
  await host.apiKeys.revoke(root, second.id);
  return { host, first, second, third };
}

describe('API key audits (specification 2.2 and 6)', () => {
  it('show Name, Author, Change Time, Revision Type, and the old and new values', async () => {
    const { host } = await someHistory();
    const visitor = await host.visitor('alice');
    const { head, rows } = readTable((await visitor.open('/api-key-audits')).html);
    expect(head).toEqual(['Name', 'Author', 'Change Time', 'Revision Type', 'Changes']);
    expect(rows).toEqual([
      ['Export of orders', 'root by API', 'just now 21 Nov 2026, 09:00', 'Revoke', 'Status Active changed to Revoked'],
      [
        'Import',
        'alice by UI',
        'just now 21 Nov 2026, 09:00',
        'Update',
        'Name Export changed to Import Expires on 18 Dec 2026, 09:00 UTC changed to 31 Jan 2027, 12:00 UTC',
      ],
      [
        'Export of orders',
        'alice by UI',
        '2 days ago 19 Nov 2026, 09:00',
        'Create',
        'Name Export of orders Expires on 19 Dec 2026, 09:00 UTC',
      ],
      [
        'Export',
        'alice by UI',
        '3 days ago 18 Nov 2026, 09:00',
        'Create',
        'Name Export Expires on 18 Dec 2026, 09:00 UTC',
      ],
    ]);
  });

  it('are those of the own keys, and of all keys for whoever may manage them (K7)', async () => {
    const { host } = await someHistory();
    const namesFor = async (username: string) => {
      const visitor = await host.visitor(username);
      return readTable((await visitor.open('/api-key-audits')).html).rows.map(([name]) => name);
    };
    expect(await namesFor('bob')).toEqual(['Of bob']);
    expect(await namesFor('helen')).toHaveLength(5);
  });

  it('that no filter matches are not taken for none at all', async () => {
    const { host, first } = await someHistory();
    const visitor = await host.visitor('bob');
    for (const [username, query, clear] of [
      ['bob', 'revisionType=Revoke', '/api-key-audits'],
      ['alice', `apiKeyId=${first.id}&revisionType=Revoke`, `/api-key-audits?apiKeyId=${first.id}`],
      ['alice', `apiKeyId=${first.id}&author=nobody`, `/api-key-audits?apiKeyId=${first.id}`],
    ] as const) {
      const { html } = await (await host.visitor(username)).open(`/api-key-audits?${query}`);
      expect(textOf(html), query).toContain('No audit entry matches');
      expect(html, query).toContain(`href="${clear}">Clear the filters</a>`);
    }
    expect(textOf((await visitor.open('/api-key-audits')).html)).not.toContain('No audit entry matches');
  });

  it('are filtered by key, by revision type, and by both', async () => {
    const { host, first } = await someHistory();
    const visitor = await host.visitor('root');
    const typesAt = async (path: string) => readTable((await visitor.open(path)).html).rows.map((row) => row[3]);
    expect(await typesAt(`/api-key-audits?apiKeyId=${first.id}`)).toEqual(['Update', 'Create']);
    expect(textOf(visitor.page.html)).toContain('Only audits of Import .');
    expect(await typesAt('/api-key-audits?revisionType=Create')).toEqual(['Create', 'Create', 'Create']);
    expect(await typesAt(`/api-key-audits?revisionType=Update&apiKeyId=${first.id}`)).toEqual(['Update']);
    await visitor.open('/api-key-audits?revisionType=Revoke&search=x');
    expect(readTable(visitor.page.html).rows).toHaveLength(1);
  });

  it('find a key by its name: at once when there is one, by choice when there are several', async () => {
    const { host, first, second } = await someHistory();
    await host.apiKeys.create(alice, { name: 'Export of users', expiresOn: '2027-01-31' });
    const visitor = await host.visitor('root');
    await visitor.open('/api-key-audits?revisionType=Create');
    await visitor.submit('/api-key-audits', { find: 'import' });
    expect(visitor.page.path).toBe(`/api-key-audits?apiKeyId=${first.id}&revisionType=Create`);
    await visitor.submit('/api-key-audits', { find: 'Export of orders' });
    expect(visitor.page.path).toBe(`/api-key-audits?apiKeyId=${second.id}&revisionType=Create`);
    await visitor.submit('/api-key-audits', { find: 'export' });
    expect(textOf(visitor.page.html)).toContain(
      'Which key do you mean? Export of orders by alice Export of users by alice',
    );
    await visitor.submit('/api-key-audits', { find: 'zzz' });
    expect(textOf(visitor.page.html)).toContain('No API key matches “zzz”');
  });

  it('find a key by its whole name among others that contain it', async () => {
    const host = await startAdministration();
    const make = (name: string) => host.made('u-alice', name, 0, 30);
    for (let index = 0; index < 12; index++) await make(`A deploy ${index}`);
    const { id } = await make('deploy');
    const visitor = await host.visitor('alice');
    await visitor.open('/api-key-audits');
    await visitor.submit('/api-key-audits', { find: 'deploy' });
    expect(visitor.page.path).toBe(`/api-key-audits?apiKeyId=${id}`);
    await visitor.submit('/api-key-audits', { find: 'deplo' });
    const text = textOf(visitor.page.html);
    expect(text).toContain('Which key do you mean? The first 10 that match A deploy 0 by alice');
    expect(text.match(/A deploy \d+ by/g)).toHaveLength(10);
    const other = await make('deploy all');
    await make('deploy all orders');
    await visitor.open('/api-key-audits');
    await visitor.submit('/api-key-audits', { find: ' deploy  all' });
    expect(visitor.page.path).toBe(`/api-key-audits?apiKeyId=${other.id}`);
  });

  it("never find somebody else's key", async () => {
    const { host } = await someHistory();
    const visitor = await host.visitor('bob');
    const { html } = await visitor.open('/api-key-audits?find=Import');
    expect(textOf(html)).toContain('No API key matches');
  });

  it('say so when there are none', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor('mallory');
    expect(textOf((await visitor.open('/api-key-audits')).html)).toContain('No audit entries');
  });

  it('name the key that acted for the author (K15)', async () => {
    const { host, third } = await someHistory();
    await host.apiKeys.update({ ...root, apiKeyId: third.id }, third.id, { name: 'Of bob, still' });
    const visitor = await host.visitor('root');
    const { rows } = readTable((await visitor.open('/api-key-audits')).html);
    expect(rows[0]?.[1]).toBe('root by API, with the key Of bob, still');
  });

  it('are paged', async () => {
    const host = await startAdministration();
    for (let index = 0; index < 60; index++) await host.made('u-alice', `Key ${index}`, 0, 30);
    const visitor = await host.visitor('alice');
    const seen: (string | undefined)[] = [];
    let { html } = await visitor.open('/api-key-audits');
    for (;;) {
      seen.push(...readTable(html).rows.map(([name]) => name));
      const next = /<a [^>]*href="([^"]+)" rel="next"/.exec(html)?.[1];
      if (next === undefined) break;
      ({ html } = await visitor.open(next.replaceAll('&amp;', '&')));
    }
    expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => `Key ${59 - index}`));
    expect(html).toContain('rel="prev"');
    expect(textOf(html)).toContain('51–60 of 60 entries.');
  });

  it('are filtered by author, origin and time, all of them at once, and by one click again', async () => {
    const { host, first } = await someHistory();
    const visitor = await host.visitor('root');
    await visitor.open('/api-key-audits');
    expect(textOf(visitor.page.html)).toContain('5 entries.');
    await visitor.submit('/api-key-audits', { author: 'alice', origin: 'UI', from: '2026-11-19', to: '2026-11-20' });
    expect(visitor.page.path).toBe('/api-key-audits?author=alice&origin=UI&from=2026-11-19&to=2026-11-20');
    expect(readTable(visitor.page.html).rows.map(([name, , , type]) => [name, type])).toEqual([
      ['Export of orders', 'Create'],
    ]);
    expect(textOf(visitor.page.html)).toContain('1 entry.');
    const shown = visitor.form('/api-key-audits').fields;
    expect([shown.get('author'), shown.get('from'), shown.get('to')]).toEqual(['alice', '2026-11-19', '2026-11-20']);
    expect(visitor.page.html).toMatch(/<option value="UI" selected/);
    expect(visitor.page.html).toContain(
      'href="/api-key-audits?revisionType=Update&amp;author=alice&amp;origin=UI&amp;from=2026-11-19&amp;to=2026-11-20"',
    );
    await visitor.submit('/api-key-audits', { find: 'import', origin: '', from: '', to: '' });
    expect(visitor.page.path).toBe(`/api-key-audits?apiKeyId=${first.id}&author=alice`);
    await visitor.submit('/api-key-audits', { author: 'nobody' });
    expect(textOf(visitor.page.html)).toContain('No audit entry matches');
    await visitor.open('/api-key-audits?origin=ui');
    expect(readTable(visitor.page.html).rows).toHaveLength(5);
  });

  it.each(['from=2026-02-30', 'to=soon', 'from=2026-13-01&find=Export', 'from=2026-11-21T09:00:00Z'])(
    'with a date that is none are a page that says so, not all entries: %s',
    async (query) => {
      const { host } = await someHistory();
      const visitor = await host.visitor('root');
      const message = `\`${query.split('=')[0]}\` must be a date that exists, such as 2026-11-21.`;
      for (const path of ['/api-key-audits?', '/api-key-audits/export?format=csv&']) {
        const page = await visitor.open(path + query);
        expect(page.status).toBe(400);
        expect(textOf(page.html)).toContain(message);
      }
      await visitor.open('/api-key-audits');
      await visitor.submit('/api-key-audits', Object.fromEntries(new URLSearchParams(query)));
      expect(visitor.page.status).toBe(400);
      expect(host.errors).toEqual([]);
    },
  );

  it('of a period that ends before it begins are a page that says so', async () => {
    const { host } = await someHistory();
    const visitor = await host.visitor('root');
    for (const path of ['/api-key-audits?', '/api-key-audits/export?format=csv&']) {
      const page = await visitor.open(`${path}from=2027-01-01&to=2026-01-01`);
      expect([page.status, textOf(page.html)]).toEqual([400, expect.stringContaining('must not be later than')]);
    }
  });

  it('with a date that is none and a key pasted into the address: the key goes first', async () => {
    const { host } = await someHistory();
    const { key } = await host.key('u-alice', 'Pasted');
    const visitor = await host.visitor('root');
    const page = await visitor.open(`/api-key-audits?find=${key}&from=2026-02-30&to=2026-11-20`);
    expect(page.status).toBe(200);
    expect(visitor.page.path).not.toContain(key);
    expect(visitor.page.path).toContain('to=2026-11-20');
  });

  it('are exported as they are filtered', async () => {
    const { host } = await someHistory();
    const visitor = await host.visitor('alice');
    const { html } = await visitor.open('/api-key-audits?revisionType=Create&author=alice&page=1');
    const hrefs = [...html.matchAll(/href="([^"]+\/export[^"]+)"/g)].map(([, href]) =>
      String(href).replaceAll('&amp;', '&'),
    );
    expect(hrefs).toEqual([
      '/api-key-audits/export?format=csv&revisionType=Create&author=alice',
      '/api-key-audits/export?format=ndjson&revisionType=Create&author=alice',
    ]);
    // With `download`, a browser saves the sign-in page that comes once the session has ended.
    expect(html).not.toMatch(/<a [^>]*\bdownload\b/);
    const [csv, ndjson] = await Promise.all(hrefs.map((href) => visitor.request(href)));
    expect(csv?.headers.get('content-disposition')).toContain('api-key-audits.csv');
    expect(csv?.html.trim().split('\r\n')).toHaveLength(3);
    expect(
      ndjson?.html
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).name),
    ).toEqual(['Export of orders', 'Export']);
    expect((await visitor.request('/api-key-audits/export?format=exe')).status).toBe(400);
    const stranger = await host.visitor();
    expect((await stranger.request(hrefs[0] as string)).status).toBe(303);
  });
});
