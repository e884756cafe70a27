import { describe, expect, it } from 'vitest';
import { password } from '../helpers/admin-host.js';
import { startAdministration } from './helpers/administration.js';
import { textOf } from './helpers/html.js';

describe('a form that is sent after the session has ended', () => {
  /** Alice at a form, signed out meanwhile. */
  async function signedOutAt(path: string) {
    const host = await startAdministration();
    const { id } = await host.made('u-alice', 'Export', 1, 30);
    const visitor = await host.visitor('alice');
    const address = path.replace(':id', id);
    await visitor.open(address);
    const form = visitor.form(address.replace(/\?.*/, ''));
    visitor.cookies.delete(visitor.nameOf('concordat_session'));
    const send = async (headers: Record<string, string>) => {
      const page = await visitor.open(form.action, { method: 'POST', body: form.fields, headers });
      expect(page.html).toContain('You were no longer signed in, so nothing was changed.');
      return (await visitor.submit('/sign-in', { username: 'alice', password })).path.replace(id, ':id');
    };
    return { host, send };
  }

  it.each(['/api-keys/new', '/api-keys/:id/edit', '/api-keys/:id/revoke?list=scope%3Dmy'])(
    'leads back to its page after signing in: %s',
    async (path) => {
      const { send } = await signedOutAt(path);
      expect(await send({})).toBe(path);
    },
  );

  it('leads back to the page that it was on, where that has another address', async () => {
    const { host, send } = await signedOutAt('/api-keys/:id/revoke');
    expect(await send({ referer: `${host.url}/api-keys?search=ex` })).toBe('/api-keys?search=ex');
  });

  it.each(['https://evil.example//evil.example/', 'https://evil.example/.//evil.example/', 'nothing', ''])(
    'never leads to another site: %j',
    async (referer) => {
      const { send } = await signedOutAt('/api-keys/new');
      expect(await send({ referer })).toBe('/api-keys/new');
    },
  );
});

describe('a form that is sent after signing in again, in another tab', () => {
  const input = { name: 'Typed', description: 'for hours', expiry: 'custom', expiresOn: '2026-09-01T12:00' };

  /** A form of alice's, filled in, whose browser now has another session. */
  async function signedInAgain(path: string, again = 'alice') {
    const host = await startAdministration();
    const { id } = await host.made('u-alice', 'Export', 1, 30);
    const visitor = await host.visitor('alice');
    await visitor.open(path.replace(':id', id));
    const form = visitor.form(path.replace(':id', id).replace(/\?.*/, ''));
    await visitor.submit('/sign-out');
    await visitor.signIn(again, password);
    for (const [name, value] of Object.entries(input)) form.fields.set(name, value);
    const alice = { userId: 'u-alice', username: 'alice' };
    const send = (headers: Record<string, string> = {}) =>
      visitor.request(form.action, { method: 'POST', body: form.fields, headers });
    return { host, visitor, form, id, alice, send };
  }

  it('of a new key, is shown again as it was filled in, and creates the key when it is sent again', async () => {
    const { host, visitor, alice, send } = await signedInAgain('/api-keys/new');
    const page = await send();
    expect([page.status, textOf(page.html)]).toEqual([403, expect.stringContaining('nothing was saved')]);
    expect(Object.fromEntries(visitor.form('/api-keys/new').fields)).toMatchObject(input);
    expect((await host.apiKeys.list(alice)).items).toHaveLength(1);
    await visitor.submit('/api-keys/new', { expiry: '7' });
    expect(textOf(visitor.page.html)).toContain('“Typed” has been created.');
  });

  it('of a replacement, still says which key it replaces', async () => {
    const { host, visitor, id, send } = await signedInAgain('/api-keys/new');
    await visitor.open(`/api-keys/new?replaces=${id}`);
    const { action, fields } = visitor.form('/api-keys/new');
    await visitor.submit('/sign-out');
    await visitor.signIn('alice', password);
    const page = await visitor.request(action, { method: 'POST', body: fields });
    expect([page.status, visitor.form('/api-keys/new').action]).toEqual([403, `/api-keys/new?replaces=${id}`]);
    expect([host.errors, (await send()).status]).toEqual([[], 403]);
  });

  it('of a change, is shown again, and does not replace what others have saved meanwhile (K17)', async () => {
    const { host, visitor, alice, id, send } = await signedInAgain('/api-keys/:id/edit');
    await host.apiKeys.update(alice, id, { description: 'by somebody else' });
    expect((await send()).status).toBe(403);
    expect(Object.fromEntries(visitor.form('/edit').fields)).toMatchObject({ ...input, version: '1' });
    const { description } = await host.apiKeys.get(alice, id);
    expect(description).toBe('by somebody else');
    await visitor.submit('/edit', { expiry: 'keep' });
    expect([visitor.page.status, textOf(visitor.page.html)]).toEqual([409, expect.stringContaining('was changed')]);
    await visitor.submit('/edit', { expiry: 'keep' });
    expect(await host.apiKeys.get(alice, id)).toMatchObject({ name: 'Typed', description: 'for hours' });
  });

  it('is not shown again when it came from another site', async () => {
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
      const { send } = await signedInAgain('/api-keys/new');
      const page = await send(headers as Record<string, string>);
      expect([page.status, page.html.includes('for hours')]).toEqual([403, false]);
    }
  });

  it('is not shown again to another user, or without a token that this user has got', async () => {
    const { send } = await signedInAgain('/api-keys/new', 'bob');
    const page = await send();
    expect([page.status, page.html.includes('for hours')]).toEqual([403, false]);
    expect(textOf(page.html)).toContain('This form has expired');
    const { form, send: sendAgain } = await signedInAgain('/api-keys/new');
    const [, ofUser] = form.fields.get('token')!.split('.');
    for (const token of ['', 'A', '.', 'A.A', ofUser!, `${ofUser}.A`]) {
      form.fields.set('token', token);
      const { status, html } = await sendAgain();
      expect([status, html.includes('for hours')]).toEqual([403, false]);
    }
  });

  it('and has only a button, says that it has expired', async () => {
    const { host, alice, id, send } = await signedInAgain('/api-keys/:id/revoke');
    const page = await send();
    expect([page.status, textOf(page.html)]).toEqual([403, expect.stringContaining('This form has expired')]);
    expect((await host.apiKeys.get(alice, id)).status).toBe('Active');
  });
});
