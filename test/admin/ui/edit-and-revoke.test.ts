import { describe, expect, it } from 'vitest';
import { startAdministration } from './helpers/administration.js';
import { tags, textOf } from './helpers/html.js';

const alice = { userId: 'u-alice', username: 'alice', origin: 'UI' as const };

async function withKey(daysAgo = 1, days = 30) {
  const host = await startAdministration();
  const { id, key } = await host.made('u-alice', 'Export', daysAgo, days);
  const visitor = await host.visitor('alice');
  return { host, id, key, visitor, now: () => host.apiKeys.get(alice, id) };
}

describe('the details of a key', () => {
  it('show all its fields with exact times and its history', async () => {
    const { visitor, id } = await withKey();
    const text = textOf((await visitor.open(`/api-keys/${id}`)).html);
    for (const part of [
      'Name Export',
      'Status Active',
      'Created By alice',
      'Created on 20 Nov 2026, 09:00:00 UTC (1 day ago)',
      'Expires on 20 Dec 2026, 09:00:00 UTC (in 29 days)',
      'Last accessed Never',
      `ck_${id}…`,
      'History',
    ]) {
      expect(text).toContain(part);
    }
  });
});

describe('editing a key', () => {
  it('changes name and expiry, and says so', async () => {
    const { visitor, id, now } = await withKey();
    await visitor.open(`/api-keys/${id}/edit`);
    await visitor.submit('/edit', { name: 'Import', expiry: 'custom', expiresOn: '2027-01-31T12:00' });
    expect(visitor.page.path).toBe(`/api-keys/${id}`);
    expect(textOf(visitor.page.html)).toContain('“Import” has been saved.');
    expect(await now()).toMatchObject({ name: 'Import', expiresOn: '2027-01-31T12:00:00.000Z' });
    expect(textOf((await visitor.open(`/api-keys/${id}`)).html)).not.toContain('has been saved.');
  });

  it('leaves the expiry to the millisecond as it is, when only the name is changed', async () => {
    const { host, visitor, id, now } = await withKey();
    await host.apiKeys.update(alice, id, { expiresOn: '2027-01-31T12:00:00.123Z' });
    await visitor.open(`/api-keys/${id}/edit`);
    await visitor.submit('/edit', { name: 'Import' });
    expect((await now()).expiresOn).toBe('2027-01-31T12:00:00.123Z');
    const { items } = await host.apiKeys.audits(alice, { apiKeyId: id });
    expect(items[0]?.changes).toEqual([{ field: 'name', from: 'Export', to: 'Import' }]);
  });

  it('changes nothing when the date that was filled in is sent as it was (K6)', async () => {
    const { host, visitor, id, now } = await withKey();
    const expiresOn = '2027-01-31T23:59:59.999Z';
    await host.apiKeys.update(alice, id, { expiresOn });
    await visitor.open(`/api-keys/${id}/edit`);
    expect(visitor.form('/edit').fields.get('expiresOn')).toBe('2027-01-31T23:59');
    await visitor.submit('/edit', { expiry: 'custom' });
    expect(visitor.page.path).toBe(`/api-keys/${id}`);
    expect((await now()).expiresOn).toBe(expiresOn);
    expect((await host.apiKeys.audits(alice, { apiKeyId: id })).items).toHaveLength(2);
    await visitor.open(`/api-keys/${id}/edit`);
    await visitor.submit('/edit', { expiry: 'custom', expiresOn: '2027-01-31T23:58' });
    expect((await now()).expiresOn).toBe('2027-01-31T23:58:00.000Z');
  });

  it('has the same messages as creating, and keeps the input', async () => {
    const { host, visitor, id, now } = await withKey();
    await host.made('u-bob', 'Taken', 1, 30);
    await visitor.open(`/api-keys/${id}/edit`);
    const page = await visitor.submit('/edit', { name: 'Taken', expiry: 'custom', expiresOn: '2020-01-01T00:00' });
    expect(page.status).toBe(400);
    expect(textOf(page.html)).toContain('API key name must be unique.');
    expect(textOf(page.html)).toContain('Expiry date must be a future datetime.');
    expect(Object.fromEntries(visitor.form('/edit').fields)).toMatchObject({
      name: 'Taken',
      expiresOn: '2020-01-01T00:00',
    });
    expect((await now()).name).toBe('Export');
  });

  it('tells of a change in between, keeps the input, and can then be repeated (K17)', async () => {
    const { host, visitor, id, now } = await withKey();
    await visitor.open(`/api-keys/${id}/edit`);
    await host.apiKeys.update(alice, id, { name: 'Theirs' });
    const page = await visitor.submit('/edit', { name: 'Mine' });
    expect(page.status).toBe(409);
    expect(textOf(page.html)).toContain('This key was changed while you were editing it.');
    expect(textOf(page.html)).toMatch(/It is now called “Theirs”, expires on [^“]+ and has no description\./);
    expect(visitor.form('/edit').fields.get('name')).toBe('Mine');
    expect((await now()).name).toBe('Theirs');
    await visitor.submit('/edit');
    expect((await now()).name).toBe('Mine');
    await visitor.open(`/api-keys/${id}/edit`);
    await host.apiKeys.update(alice, id, { description: 'Nightly' });
    const { html } = await visitor.submit('/edit', { description: 'Weekly' });
    expect(textOf(html)).toContain('and is described as “Nightly”.');
  });

  it.each([
    ['revoked', 'This key was revoked just now.'],
    ['expired', 'This key expired just now.'],
  ])('is disabled for a key that is %s, and says why (specification 3)', async (how, reason) => {
    const { host, visitor: earlier, id, now } = await withKey();
    await earlier.open(`/api-keys/${id}/edit`);
    const { fields } = earlier.form('/edit');
    if (how === 'revoked') await host.apiKeys.revoke(alice, id);
    else host.clock.jumpCalendar(29 * 86_400_000);
    const visitor = await host.visitor('alice');

    const { html } = await visitor.open(`/api-keys/${id}`);
    const edit = tags(html, 'button').find((tag) => tag.get('aria-describedby') === 'terminal');
    expect(edit?.has('disabled')).toBe(true);
    expect(html).not.toContain(`/api-keys/${id}/edit`);
    expect(textOf(html)).toContain(reason);
    expect(textOf(html)).not.toContain('Revoke API key');

    const form = await visitor.open(`/api-keys/${id}/edit`);
    expect(form.html).toMatch(/<fieldset disabled/);
    expect(textOf(form.html)).toContain(reason);

    fields.set('token', visitor.form('/edit').fields.get('token') ?? '');
    fields.set(
      'token',
      tags(form.html, 'input')
        .find((tag) => tag.get('name') === 'token')!
        .get('value')!,
    );
    fields.set('name', 'Revived');
    const answer = await visitor.request(`/api-keys/${id}/edit`, { method: 'POST', body: fields });
    expect(answer.status).toBe(409);
    expect(textOf(answer.html)).toContain(reason);
    expect((await now()).name).toBe('Export');
  });

  it("another's key is changed by whoever may manage all keys, and the audit names them", async () => {
    const { host, id, now } = await withKey();
    const helen = await host.visitor('helen');
    await helen.open(`/api-keys/${id}/edit`);
    await helen.submit('/edit', { name: 'By helen' });
    expect(await now()).toMatchObject({ name: 'By helen', createdBy: { username: 'alice' } });
    const { items } = await host.apiKeys.audits(alice, { apiKeyId: id });
    expect(items[0]).toMatchObject({ author: { username: 'helen' }, origin: 'UI', revisionType: 'Update' });
  });
});

describe('revoking a key', () => {
  it('asks first, on a page of its own, naming the key and its creator', async () => {
    const { visitor, id, now } = await withKey();
    const { html } = await visitor.open(`/api-keys/${id}/revoke`);
    expect(textOf(html)).toContain('Revoke “Export”? Created by alice');
    expect(textOf(html)).toContain('This cannot be undone');
    expect((await now()).status).toBe('Active');
  });

  it('takes effect at once, and leads back to the list as it was', async () => {
    const { host, visitor, key, now } = await withKey();
    expect(await host.apiKeys.authenticate({ 'x-api-key': key })).toBeDefined();
    await visitor.open('/api-keys?status=Active&sort=name');
    const link = tags(visitor.page.html, 'a').find((tag) => tag.get('aria-label') === 'Revoke Export')!;
    await visitor.open(link.get('href')!);
    await visitor.submit('/revoke');
    expect(visitor.page.path).toBe('/api-keys?status=Active&sort=name');
    expect(textOf(visitor.page.html)).toContain('“Export” has been revoked.');
    expect((await now()).status).toBe('Revoked');
    expect(await host.apiKeys.authenticate({ 'x-api-key': key })).toBeUndefined();
    expect((await visitor.open('/api-keys?status=Revoked')).html).toContain('Export');
  });

  it('leads back to the list also if nothing had been chosen in it', async () => {
    const { visitor } = await withKey();
    await visitor.open('/api-keys');
    const link = tags(visitor.page.html, 'a').find((tag) => tag.get('aria-label') === 'Revoke Export')!;
    await visitor.open(link.get('href')!);
    await visitor.submit('/revoke');
    expect(visitor.page.path).toBe('/api-keys');
  });

  it('never leads back to another place', async () => {
    const { visitor, id } = await withKey();
    await visitor.open(`/api-keys/${id}/revoke?list=${encodeURIComponent('//evil.example/?scope=my')}`);
    await visitor.submit('/revoke');
    expect(visitor.page.path).toBe('/api-keys');
  });

  it('of a key that somebody else has revoked meanwhile is answered kindly (K13)', async () => {
    const { host, visitor, id } = await withKey();
    await visitor.open(`/api-keys/${id}/revoke`);
    await host.apiKeys.revoke(alice, id);
    const page = await visitor.submit('/revoke');
    expect(page.status).toBe(409);
    expect(textOf(page.html)).toContain('There is nothing to revoke. This key was revoked just now.');
  });

  it('of an Expired key is not offered (K5)', async () => {
    const { visitor, id } = await withKey(50, 30);
    const { html } = await visitor.open(`/api-keys/${id}/revoke`);
    expect(textOf(html)).toContain('There is nothing to revoke.');
    expect(textOf(html)).not.toContain('Revoke API key');
  });
});

describe('the word about what has just been done', () => {
  async function afterRevoking() {
    const { host, visitor, id } = await withKey();
    await visitor.open(`/api-keys/${id}/revoke`);
    const { action, fields } = visitor.form('/revoke');
    await visitor.request(action, { method: 'POST', body: fields });
    return { host, visitor, id };
  }
  const message = '“Export” has been revoked.';

  it('is shown once, on the page that follows', async () => {
    const { visitor } = await afterRevoking();
    expect(textOf((await visitor.open('/api-keys')).html)).toContain(message);
    expect(textOf((await visitor.open('/api-keys')).html)).not.toContain(message);
  });

  it('is shown also when the page that follows leads on, as the list does whose last page is empty by now', async () => {
    const { visitor } = await afterRevoking();
    await visitor.open('/api-keys?status=Active&page=2');
    expect(visitor.page.path).toBe('/api-keys?status=Active');
    expect(textOf(visitor.page.html)).toContain(message);
  });

  it('is not shown a minute later', async () => {
    const { host, visitor } = await afterRevoking();
    host.clock.jumpCalendar(60_001);
    expect(textOf((await visitor.open('/api-keys')).html)).not.toContain(message);
  });

  it('cannot be put there by anybody else', async () => {
    const { visitor } = await afterRevoking();
    const name = visitor.nameOf('concordat_notice');
    const [payload, tag] = visitor.cookies.get(name)!.split('.') as [string, string];
    const forged = Buffer.from(payload, 'base64url').toString().replace('Export', 'Forged');
    for (const cookie of [`${Buffer.from(forged).toString('base64url')}.${tag}`, payload, 'x', '']) {
      visitor.cookies.set(name, cookie);
      const { status, html } = await visitor.open('/api-keys');
      expect(status).toBe(200);
      expect(html).not.toContain('notice-success');
    }
  });
});

describe('before a revocation', () => {
  it('the page and the dialog say when the key was last used, and from where', async () => {
    const { host, id, key, visitor } = await withKey();
    expect(textOf((await visitor.open(`/api-keys/${id}/revoke`)).html)).toContain('Last used: Never');
    await host.apiKeys.authenticate({ 'x-api-key': key, 'user-agent': 'curl/8' }, { address: '192.0.2.7' });
    host.clock.jumpCalendar(3_600_000);
    const last = '1 hour ago (21 Nov 2026, 09:00:00 UTC), from 192.0.2.7, with curl/8';
    expect(textOf((await visitor.open(`/api-keys/${id}/revoke`)).html)).toContain(`Last used: ${last}`);
    for (const path of [`/api-keys/${id}`, '/api-keys']) {
      const links = tags((await visitor.open(path)).html, 'a').filter((tag) => tag.has('data-dialog'));
      expect(links.map((link) => link.get('data-used'))).toEqual([last]);
    }
  });
});
