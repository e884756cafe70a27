import { describe, expect, it } from 'vitest';
import { startAdministration } from './helpers/administration.js';
import { tags, textOf } from './helpers/html.js';

const keyPattern = /ck_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}/g;

async function atTheForm(username = 'alice') {
  const host = await startAdministration();
  const visitor = await host.visitor(username);
  await visitor.open('/api-keys/new');
  return { host, visitor };
}

const inputNamed = (html: string, name: string) => tags(html, 'input').find((tag) => tag.get('name') === name);

describe('creating a key', () => {
  it('shows the key once, in a text field of the very answer, and nowhere else', async () => {
    const { host, visitor } = await atTheForm();
    const page = await visitor.submit('/api-keys/new', { name: 'Nightly export', expiry: '90' });
    expect([page.status, page.path]).toEqual([200, '/api-keys/new']);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const [key, ...others] = page.html.match(keyPattern) ?? [];
    expect(others).toEqual([]);
    const field = tags(page.html, 'input').find((tag) => tag.get('value') === key);
    expect(field?.get('type')).toBe('text');
    expect(field?.has('readonly')).toBe(true);
    expect(await host.apiKeys.authenticate({ 'x-api-key': key! })).toBeDefined();
    expect(visitor.setCookies.join()).not.toContain(key!.slice(16));
    expect(textOf(page.html)).toContain('Copy the key now: it is shown only this once.');
    const { items } = await host.apiKeys.list({ userId: 'u-alice', username: 'alice' });
    expect(items).toMatchObject([{ name: 'Nightly export', createdBy: { username: 'alice' }, status: 'Active' }]);
    for (const path of ['/api-keys', `/api-keys/${items[0]!.id}`, '/api-key-audits']) {
      expect((await visitor.open(path)).html).not.toContain(key!.slice(16));
    }
  });

  it('has a status region of its own for the copying, empty at first', async () => {
    const { visitor } = await atTheForm();
    const { html } = await visitor.submit('/api-keys/new', { name: 'Export', expiry: '7' });
    expect(html).toMatch(/<p [^>]*role="status"[^>]*><\/p>/);
    expect(html).toMatch(/<button [^>]*hidden[^>]*data-copy/);
  });

  it('is done in the name of whoever is signed in, whatever the form says (K16)', async () => {
    const { host, visitor } = await atTheForm();
    await visitor.submit('/api-keys/new', { name: 'Export', expiry: '7', userId: 'u-root', createdBy: 'root' });
    const { items } = await host.apiKeys.list({ userId: 'u-alice', username: 'alice' });
    expect(items[0]?.createdBy).toEqual({ id: 'u-alice', username: 'alice' });
    const { items: audits } = await host.apiKeys.audits({ userId: 'u-alice', username: 'alice' });
    expect(audits[0]).toMatchObject({ origin: 'UI', author: { username: 'alice' }, revisionType: 'Create' });
  });

  it.each([
    ['7', '2026-11-28T23:59:59.999Z'],
    ['30', '2026-12-21T23:59:59.999Z'],
    ['90', '2027-02-19T23:59:59.999Z'],
    ['year', '2027-11-21T23:59:59.999Z'],
  ])('the preset %s means the end of that day in UTC', async (expiry, expiresOn) => {
    const { host, visitor } = await atTheForm();
    await visitor.submit('/api-keys/new', { name: 'Export', expiry });
    const { items } = await host.apiKeys.list({ userId: 'u-alice', username: 'alice' });
    expect(items[0]?.expiresOn).toBe(expiresOn);
  });

  it.each([
    ['2026-12-24T18:30', '2026-12-24T18:30:00.000Z'],
    ['2026-12-24T18:30:15', '2026-12-24T18:30:15.000Z'],
    ['2027-11-21T23:59', '2027-11-21T23:59:00.000Z'],
    ['2026-12-24', '2026-12-24T23:59:59.999Z'],
    ['2026-12-24T18:30:00+01:00', '2026-12-24T17:30:00.000Z'],
  ])('a time of one’s own, %s, is in UTC', async (custom, expiresOn) => {
    const { host, visitor } = await atTheForm();
    await visitor.submit('/api-keys/new', { name: 'Export', expiry: 'custom', expiresOn: custom });
    const { items } = await host.apiKeys.list({ userId: 'u-alice', username: 'alice' });
    expect(items[0]?.expiresOn).toBe(expiresOn);
  });

  it('bounds the picker by now and by the latest expiry, and says what each preset means', async () => {
    const { visitor } = await atTheForm();
    const picker = inputNamed(visitor.page.html, 'expiresOn');
    expect(picker?.get('type')).toBe('datetime-local');
    expect([picker?.get('min'), picker?.get('max')]).toEqual(['2026-11-21T09:00', '2027-11-21T23:59']);
    expect(textOf(visitor.page.html)).toMatch(/7 days 28 Nov 2026, 23:59 UTC .*1 year 21 Nov 2027, 23:59 UTC/);
    expect(textOf(visitor.page.html)).toContain('Date and time (UTC)');
  });

  it('leaves the judgment to the service, so that its messages are seen', async () => {
    const { visitor } = await atTheForm();
    expect(visitor.page.html).toMatch(/<form [^>]*action="\/api-keys\/new" novalidate/);
  });
});

describe('a form that is wrong (specification 7.1)', () => {
  it.each([
    ['Name', { name: 'Taken', expiry: '7' }, 'API key name must be unique.'],
    ['Name', { name: ' Taken ', expiry: '7' }, 'API key name must be unique.'],
    ['Name', { name: '', expiry: '7' }, 'API key name is required.'],
    ['Name', { name: 'x'.repeat(101), expiry: '7' }, 'API key name cannot exceed 100 characters.'],
    [
      'Expires on',
      { name: 'New', expiry: 'custom', expiresOn: '2026-11-21T09:00' },
      'Expiry date must be a future datetime.',
    ],
    [
      'Expires on',
      { name: 'New', expiry: 'custom', expiresOn: '2027-11-22T00:00' },
      'Expiration date cannot exceed 1 year from today.',
    ],
    ['Expires on', { name: 'New', expiry: 'custom', expiresOn: '' }, 'Expiry date is required.'],
    ['Expires on', { name: 'New', expiry: '', expiresOn: '' }, 'Expiry date is required.'],
  ])('%s, %j: says %j beside the field and saves nothing', async (_, values, message) => {
    const { host, visitor } = await atTheForm();
    await host.made('u-bob', 'Taken', 1, 30);
    const page = await visitor.submit('/api-keys/new', values as unknown as Record<string, string>);
    expect(page.status).toBe(400);
    const errors = [...page.html.matchAll(/class="field-error"[^>]*>.*?<span>([^<]*)<\/span>/gs)];
    expect(errors.map((match) => match[1])).toEqual([message]);
    expect(page.html).toMatch(/<title>Error: Create API key/);
    expect((await host.apiKeys.list({ userId: 'u-alice', username: 'alice' })).items).toEqual([]);
  });

  it('says that a user with such a name has no API keys (K16)', async () => {
    const { host, visitor } = await atTheForm();
    host.users.get('u-alice')!.username = 'ä'.repeat(513);
    const page = await visitor.submit('/api-keys/new', { name: 'Export', expiry: '7' });
    expect(page.status).toBe(400);
    expect(textOf(page.html)).toContain('A user whose id or name has more than 1024 bytes cannot have API keys.');
  });

  it('is shown again as it was, with the fields marked and the first wrong one in focus', async () => {
    const { host, visitor } = await atTheForm();
    await host.made('u-bob', 'Taken', 1, 30);
    const values = { name: 'Taken', expiry: 'custom', expiresOn: '2030-01-01T00:00' };
    const { html } = await visitor.submit('/api-keys/new', values);
    const { fields } = visitor.form('/api-keys/new');
    expect(Object.fromEntries(fields)).toMatchObject(values);
    const name = inputNamed(html, 'name');
    expect([name?.get('aria-invalid'), name?.get('aria-describedby')]).toEqual(['true', 'name-hint name-error']);
    expect(name?.has('autofocus')).toBe(true);
    expect(inputNamed(html, 'expiresOn')?.get('aria-invalid')).toBe('true');
    expect(html.match(/autofocus/g)).toHaveLength(1);
    expect(textOf(html)).toContain('API key name must be unique.');
    expect(textOf(html)).toContain('Expiration date cannot exceed 1 year from today.');
  });

  it('when it comes twice, because the page was loaded again, makes no second key and says what happened', async () => {
    const { host, visitor } = await atTheForm();
    const { fields } = visitor.form('/api-keys/new');
    fields.set('name', 'Export');
    const post = () => visitor.request('/api-keys/new', { method: 'POST', body: fields });
    expect((await post()).status).toBe(200);
    await host.clock.advance(120_000);
    const again = await post();
    expect(again.status).toBe(400);
    expect(again.html.match(keyPattern)).toBeNull();
    const text = textOf(again.html);
    expect(text).toContain('API key name must be unique.');
    expect(text).toContain('You created “Export” 2 minutes ago.');
    expect((await host.apiKeys.list({ userId: 'u-alice', username: 'alice' })).items).toHaveLength(1);
  });

  it('when it comes twice, says what happened to a name with many blanks, too (K3)', async () => {
    const { visitor } = await atTheForm();
    const { fields } = visitor.form('/api-keys/new');
    fields.set('name', '  Nightly \u00a0 expo\u0301rt ');
    const post = () => visitor.request('/api-keys/new', { method: 'POST', body: fields });
    expect((await post()).status).toBe(200);
    expect(textOf((await post()).html)).toContain('You created “Nightly expórt” just now.');
  });

  it("says nothing of the kind about somebody else's name, or an older one of one's own", async () => {
    const { host, visitor } = await atTheForm();
    await host.made('u-bob', 'Of bob', 0, 30);
    await host.made('u-alice', 'Older', 1, 30);
    for (const name of ['Of bob', 'Older']) {
      const { html } = await visitor.submit('/api-keys/new', { name, expiry: '7' });
      expect(textOf(html)).toContain('API key name must be unique.');
      expect(textOf(html)).not.toContain('You created');
    }
  });
});
