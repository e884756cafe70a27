import type { IncomingMessage } from 'node:http';
import type { AdminOptions } from 'concordat/admin';
import { html } from 'hono/html';
import { describe, expect, it } from 'vitest';
import { basic } from '../helpers/admin-host.js';
import { startAdministration } from './helpers/administration.js';
import { tags, textOf } from './helpers/html.js';

/** A host whose session cookie names its user, as single sign-on leaves it. */
async function startSso(options: Partial<AdminOptions> = {}) {
  const sessions = new Map([
    ['s-alice', 'u-alice'],
    ['s-root', 'u-root'],
    ['s-gone', 'u-gone'],
  ]);
  const host = await startAdministration({
    admin: {
      basePath: '/settings',
      authenticate: async (_, { incoming }: { incoming: IncomingMessage }) =>
        sessions.get(/sso=([^;]*)/.exec(incoming.headers.cookie ?? '')?.[1] ?? ''),
      signInUrl: (returnTo) => `/login?to=${encodeURIComponent(returnTo)}`,
      signOutUrl: '/logout',
      ...options,
    },
  });
  const visit = async (session?: string) => {
    const visitor = await host.visitor();
    if (session !== undefined) visitor.cookies.set('sso', session);
    return visitor;
  };
  return { host, sessions, visit };
}

describe("the host's own sign-in (K20)", () => {
  it('its session is the only one: pages open, forms work, and signing out is its page', async () => {
    const { host, visit } = await startSso();
    const visitor = await visit('s-alice');
    await visitor.open('/settings/');
    expect([visitor.page.status, visitor.page.path]).toEqual([200, '/settings/api-keys']);
    expect(textOf(visitor.page.html)).toContain('Signed in as alice');
    expect(tags(visitor.page.html, 'a').map((tag) => tag.get('href'))).toContain('/logout');
    expect(visitor.page.html).not.toContain('/settings/sign-out');
    await visitor.open('/settings/api-keys/new');
    await visitor.submit('/api-keys/new', { name: 'Export', expiry: '30' });
    expect(visitor.page.html).toContain('Save your API key');
    expect((await host.apiKeys.audits({ userId: 'u-alice', username: 'alice' })).items).toMatchObject([
      { author: { username: 'alice' }, origin: 'UI' },
    ]);
    expect([...visitor.cookies.keys()].join()).not.toContain('concordat_session');
  });

  it.each(['', 's-unknown'])('the session %j is sent to its page and comes back', async (session) => {
    const { visit } = await startSso();
    const visitor = await visit(session);
    for (const path of ['/settings/api-keys/new?x=1', '/settings/sign-in?next=%2Fsettings%2Fapi-keys']) {
      const page = await visitor.request(path);
      expect([page.status, page.headers.get('location')]).toEqual([303, `/login?to=${encodeURIComponent(path)}`]);
    }
    expect((await visitor.request('/settings')).headers.get('location')).toBe('/login?to=%2Fsettings%2F');
    const post = await visitor.request('/settings/sign-in', { method: 'POST', body: new URLSearchParams() });
    expect(post.status).toBe(404);
  });

  it('a user whom the directory no longer has gets a 403, not the sign-in page, which may send them back', async () => {
    const { visit } = await startSso();
    const visitor = await visit('s-gone');
    const page = await visitor.request('/settings/api-keys');
    expect([page.status, page.headers.get('location')]).toEqual([403, null]);
    const post = await visitor.request('/settings/api-keys/new', { method: 'POST', body: new URLSearchParams() });
    expect(post.status).toBe(403);
  });

  it('the old sign-in page leads on when somebody is signed in', async () => {
    const { visit } = await startSso();
    const page = await (await visit('s-root')).request('/settings/sign-in?next=%2Fsettings%2Fusers');
    expect([page.status, page.headers.get('location')]).toEqual([303, '/settings/users']);
  });

  it('without `signInUrl` the page says to sign in', async () => {
    const { visit } = await startSso({ signInUrl: undefined, signOutUrl: undefined });
    const page = await (await visit()).request('/settings/api-keys');
    expect([page.status, textOf(page.html).includes('Sign in to this service first')]).toEqual([401, true]);
    expect(page.html).not.toContain('>Sign in</a>');
    expect((await (await visit('s-alice')).open('/settings/')).html).not.toContain('Sign out');
  });

  it('a session that ends, a user who is disabled: the next request sees it (K11)', async () => {
    const { host, sessions, visit } = await startSso();
    const visitor = await visit('s-alice');
    expect((await visitor.open('/settings/')).status).toBe(200);
    host.users.get('u-alice')!.enabled = false;
    // The sign-in page may send a browser that is signed in straight back.
    for (const path of ['/settings/', '/settings/api-keys', '/settings/sign-in']) {
      const page = await visitor.request(path);
      expect([page.status, page.headers.get('location')]).toEqual([403, null]);
      expect(textOf(page.html)).toContain('You are signed in, but your account has no access here.');
    }
    host.users.get('u-alice')!.enabled = true;
    expect((await visitor.request('/settings/api-keys')).status).toBe(200);
    sessions.delete('s-alice');
    expect((await visitor.request('/settings/api-keys')).status).toBe(303);
  });

  it('a form that is sent after the session is a 401 that says so, and is accepted when it is sent again', async () => {
    const { sessions, visit } = await startSso();
    const visitor = await visit('s-alice');
    await visitor.open('/settings/api-keys/new');
    const body = visitor.form('/api-keys/new').fields;
    body.set('name', 'Export');
    sessions.delete('s-alice');
    // No redirect: a browser that follows `form-action` would not show a sign-in page of another origin.
    const refused = await visitor.request('/settings/api-keys/new', { method: 'POST', body });
    expect([refused.status, textOf(refused.html).includes('Sign in to this service first')]).toEqual([401, true]);
    expect(refused.html).toContain('<a class="button" href="/login?to=%2Fsettings%2Fapi-keys%2Fnew">Sign in</a>');
    sessions.set('s-alice', 'u-alice');
    expect((await visitor.request('/settings/api-keys/new', { method: 'POST', body })).html).toContain(
      'Save your API key',
    );
  });

  it('a form whose session ends while it arrives shows nothing of that session', async () => {
    const answers: string[] = [];
    const { visit } = await startSso({ authenticate: () => (answers.length > 0 ? answers.shift() : 'u-alice') });
    const visitor = await visit();
    await visitor.open('/settings/api-keys/new');
    const body = visitor.form('/api-keys/new').fields;
    body.set('name', 'Export');
    answers.push('u-alice', '', '');
    const refused = await visitor.request('/settings/api-keys/new', { method: 'POST', body });
    expect([refused.status, textOf(refused.html).includes('Sign in to this service first')]).toEqual([401, true]);
    expect(textOf(refused.html)).not.toContain('Signed in as');
    expect(answers).toEqual([]);
  });

  it("a form's token belongs to one user in one browser, and no other site can send a form", async () => {
    const { visit } = await startSso();
    const alice = await visit('s-alice');
    await alice.open('/settings/api-keys/new');
    const token = alice.form('/api-keys/new').fields.get('token')!;
    const submit = async (
      session: string,
      cookies: Iterable<[string, string]>,
      headers: Record<string, string> = {},
    ) => {
      const visitor = await visit(session);
      for (const [name, value] of cookies) if (name !== 'sso') visitor.cookies.set(name, value);
      const body = new URLSearchParams({ token, name: `Made by ${session}`, expiry: '30' });
      return (await visitor.request('/settings/api-keys/new', { method: 'POST', body, headers })).status;
    };
    expect(await submit('s-root', alice.cookies)).toBe(403);
    expect(await submit('s-alice', [])).toBe(403);
    expect(await submit('s-alice', alice.cookies, { origin: 'https://evil.example' })).toBe(403);
    expect(await submit('s-alice', alice.cookies, { 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await submit('s-alice', alice.cookies)).toBe(200);
  });

  it('forms of tabs that a browser restores at once, without a cookie yet, are all accepted', async () => {
    const { visit } = await startSso();
    const visitor = await visit('s-alice');
    const tabs = [];
    for (const name of ['one', 'two', 'three']) {
      const tab = await visit('s-alice');
      await tab.open('/settings/api-keys/new');
      const body = tab.form('/api-keys/new').fields;
      body.set('name', name);
      tabs.push({ tab, body });
    }
    // They share what their answers have set.
    for (const { tab } of tabs) for (const [name, value] of tab.cookies) visitor.cookies.set(name, value);
    const post = (body: URLSearchParams) => visitor.request('/settings/api-keys/new', { method: 'POST', body });
    for (const { body } of tabs) expect((await post(body)).status).toBe(200);
    // Another user in the same browser cannot send them.
    visitor.cookies.set('sso', 's-root');
    for (const { body } of tabs) expect((await post(body)).status).toBe(403);
  });

  it('is asked as often as a section likes, for one cookie in the response', async () => {
    const asked: boolean[] = [];
    const { visit } = await startSso({
      sections: [
        {
          name: 'orders',
          title: 'Orders',
          async fetch(_request, context) {
            for (let time = 0; time < 3; time++) asked.push(await context.isSignedIn());
            return await context.page({ title: 'Orders', content: html`<h1>Orders</h1>` });
          },
        },
      ],
    });
    const visitor = await visit('s-alice');
    const { headers } = await visitor.request('/settings/orders');
    expect(asked).toEqual([true, true, true]);
    expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^concordat_browser_[\w-]{22}=1;/)]);
    // The cookie is renewed by every response, and stays the same.
    const again = (await visitor.request('/settings/orders')).headers.getSetCookie();
    expect(again).toEqual(headers.getSetCookie());
  });

  it('does not open the Admin API or MCP: other sites could use the session', async () => {
    const { host } = await startSso();
    for (const path of ['/settings/api/v1/me', '/settings/mcp']) {
      expect((await host.send({ path, headers: ['cookie', 'sso=s-root'] })).status).toBe(401);
    }
    expect((await host.send({ path: '/settings/api/v1/me', headers: basic('alice') })).status).toBe(200);
  });

  it.each([1, true, { id: 'u-alice' }, ['u-alice']])(
    'the answer %j is a 503, and told to the host (K19)',
    async (answer) => {
      const { host, visit } = await startSso({ authenticate: (() => answer) as never });
      const page = await (await visit()).request('/settings/api-keys');
      expect([page.status, page.headers.get('location')]).toEqual([503, null]);
      expect(textOf(page.html)).toContain('The sign-in of this service cannot be read right now.');
      const message = '`authenticate` must return the id of a user as text, or `undefined` for nobody.';
      expect(host.errors).toMatchObject([{ kind: 'unavailable', cause: { message } }]);
    },
  );

  it.each(['', null, undefined, false])('the answer %j is nobody', async (answer) => {
    const { host, visit } = await startSso({ authenticate: async () => answer as string });
    expect((await (await visit()).request('/settings/api-keys')).status).toBe(303);
    expect(host.errors).toEqual([]);
  });

  it('a failure of it is a 503, and told to the host', async () => {
    const { host, visit } = await startSso({
      authenticate: () => {
        throw new Error('no session store');
      },
    });
    const page = await (await visit('s-alice')).request('/settings/api-keys');
    expect(page.status).toBe(503);
    expect(host.errors).toMatchObject([{ kind: 'unavailable', cause: { message: 'no session store' } }]);
  });
});
