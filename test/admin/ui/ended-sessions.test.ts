import { describe, expect, it } from 'vitest';
import { password } from '../helpers/admin-host.js';
import { startAdministration } from './helpers/administration.js';

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
