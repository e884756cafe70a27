// What holds on every page and for every form. Both are counted from the router: one that is added and not listed in
// helpers/every-page.ts fails here.
import { describe, expect, it, vi } from 'vitest';
import { everyPage, evil } from './helpers/every-page.js';
import { readForms, textOf } from './helpers/html.js';
import type { Visitor } from './helpers/visitor.js';

// Hundreds of requests each.
vi.setConfig({ testTimeout: 300_000 });

const signIns = ['own', 'host'] as const;

/** What somebody sees who comes to the list: it, or the page to sign in. */
const whereabouts = async (visitor: Visitor) =>
  (await visitor.request('/api-keys')).headers.get('location')?.replace(/\?.*/, '') ?? 'the list';

describe.each(signIns)('the routes, with the sign-in of its %s', (signIn) => {
  it('are all listed, and nothing else is', async () => {
    const { routes, pages, forms } = await everyPage({ signIn });
    const listed = [...Object.keys(pages), ...Object.keys(forms)].filter((route) => route !== 'GET no route');
    expect(new Set(listed)).toEqual(new Set(routes));
    expect(routes.length).toBeGreaterThan(20);
  });

  it('that are read change nothing, show all text as text, and allow no script but their own', async () => {
    const every = await everyPage({ signIn });
    const before = await every.state();
    const visitor = await every.visitor('root');
    for (const path of Object.values(every.pages).flat()) {
      const reader = path.startsWith('/sign-in') ? await every.host.visitor() : visitor;
      const { status, headers, html } = await reader.open(path);
      expect(status, path).toBeLessThan(500);
      expect(headers.get('content-security-policy'), path).toMatch(/^default-src 'none'; .*script-src 'self'; /);
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      if (!headers.get('content-type')?.startsWith('text/html')) {
        expect(headers.get('content-disposition'), path).toMatch(/^attachment; filename="[\w.-]+"$/);
        continue;
      }
      expect(html, path).not.toContain('<x-evil');
      expect(html, path).not.toMatch(/<script(?! src="\/assets\/[\w.-]+" defer="">)/);
      expect(textOf(html), path).toContain(evil);
    }
    expect(await every.state()).toEqual(before);
    expect(await whereabouts(visitor)).toBe('the list');
    expect(every.host.errors).toEqual([]);
  });

  it('have forms with a token, and they lead to the forms listed here', async () => {
    const every = await everyPage({ signIn });
    const visitor = await every.visitor('root');
    const matchers = Object.keys(every.forms).map(
      (route) => new RegExp(`^${route.slice('POST '.length).replace(/:id|\*/g, '[^/?]+')}(?:\\?|$)`),
    );
    let seen = 0;
    for (const path of Object.values(every.pages).flat()) {
      const { html } = await visitor.open(path);
      for (const { method, action, fields } of readForms(html)) {
        if (method !== 'post') continue;
        expect(fields.get('token'), `${path}: ${action}`).toMatch(/^[\w-]{43}\.[\w-]{43}$/);
        // The form of a dialog gets its address from the link that opens it; that of a page that is sent again has none.
        if (action !== '') expect(matchers.some((matcher) => matcher.test(action))).toBe(true);
        seen += 1;
      }
    }
    expect(seen).toBeGreaterThan(30);
  });
});

interface Request {
  readonly fields: URLSearchParams;
  readonly headers: Record<string, string>;
  readonly visitor: Visitor;
  /** The form of somebody else. */
  readonly foreign: URLSearchParams;
}

const attacks: readonly { name: string; status?: number; change(request: Request): unknown }[] = [
  { name: 'without a token', change: ({ fields }) => fields.delete('token') },
  { name: 'with an empty token', change: ({ fields }) => fields.set('token', '') },
  { name: 'with a made-up token', change: ({ fields }) => fields.set('token', 'A'.repeat(43)) },
  {
    name: 'with the token of somebody else',
    change: ({ fields, foreign }) => fields.set('token', foreign.get('token')!),
  },
  { name: 'from another site', change: ({ headers }) => Object.assign(headers, { 'sec-fetch-site': 'cross-site' }) },
  { name: 'from a sibling domain', change: ({ headers }) => Object.assign(headers, { 'sec-fetch-site': 'same-site' }) },
  {
    name: 'with a foreign Origin',
    change: ({ headers }) => Object.assign(headers, { origin: 'https://evil.example' }),
  },
  { name: 'with the Origin null', change: ({ headers }) => Object.assign(headers, { origin: 'null' }) },
  { name: 'as text', status: 415, change: ({ headers }) => Object.assign(headers, { 'content-type': 'text/plain' }) },
];

describe.each(signIns)('forged forms, with the sign-in of its %s', (signIn) => {
  it('are all refused, and do nothing; the same forms are accepted as they are (control)', async () => {
    for (const route of Object.keys((await everyPage({ signIn })).forms)) {
      const isSignIn = route === 'POST /sign-in';
      const every = await everyPage({ signIn });
      const form = every.forms[route]!;
      const [visitor, other] = [
        await every.visitor(isSignIn ? undefined : 'root'),
        await every.visitor(isSignIn ? undefined : 'helen'),
      ];
      await other.open(isSignIn ? '/sign-in' : '/api-keys');
      const foreign = readForms(other.page.html)[0]!.fields;
      await visitor.open(form.page);
      const sent = visitor.form(form.action);
      for (const [name, value] of Object.entries(form.values)) sent.fields.set(name, value);
      const [before, place] = [await every.state(), await whereabouts(visitor)];
      for (const { name, status = 403, change } of attacks) {
        const fields = new URLSearchParams(sent.fields);
        const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
        change({ fields, headers, visitor, foreign });
        const answer = await visitor.request(sent.action, { method: 'POST', body: String(fields), headers });
        expect([route, name, answer.status]).toEqual([route, name, status]);
        expect([route, name, await every.state(), await whereabouts(visitor)]).toEqual([route, name, before, place]);
      }
      const origin = { origin: every.host.url, 'sec-fetch-site': 'same-origin' };
      const { status } = await visitor.request(sent.action, { method: 'POST', body: sent.fields, headers: origin });
      expect([route, status]).toEqual([route, route === 'POST /api-keys/new' ? 200 : 303]);
      const searches = ['POST /api-keys', 'POST /api-key-audits', 'POST /users', 'POST /orders', 'POST /orders/*'];
      const isChanged =
        JSON.stringify([await every.state(), await whereabouts(visitor)]) !== JSON.stringify([before, place]);
      expect([route, isChanged]).toEqual([route, !searches.includes(route)]);
    }
  });
});
