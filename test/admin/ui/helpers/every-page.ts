import type { AdminSection } from 'concordat/admin';
import { html, raw } from 'hono/html';
import { readOptions } from '../../../../src/admin/read-options.js';
import { uiRoutes } from '../../../../src/admin/ui/index.js';
import { password } from '../../helpers/admin-host.js';
import { type Administration, startAdministration } from './administration.js';
import type { Visitor } from './visitor.js';

/** Markup that breaks out of every place of a page, and fits into the name of a key. */
export const evil = `"'></title></textarea><script>hacked()</script><img src=/x onerror=hacked()><x-evil>`;
const inUrl = encodeURIComponent(evil);

/** A section of the host. Its page `/orders/unsafe` escapes nothing: what the policy alone holds off shows there. */
const orders: AdminSection = {
  name: 'orders',
  title: evil,
  async fetch(request, visit) {
    if (visit.form !== undefined) return visit.redirect(visit.path, `Ordered: ${visit.form.get('what')}`);
    if (request.url.endsWith('/unsafe')) return await visit.page({ title: 'Unsafe', content: raw(`<h1>${evil}</h1>`) });
    const form = (path: string) =>
      html`<form method="post" action="${path}">${visit.formToken}<input type="text" name="what" /><button>Order</button></form>`;
    const content = html`<h1>${visit.user.username}</h1>${form(visit.path)}${form(`${visit.path}/new`)}`;
    return await visit.page({ title: evil, content });
  },
};

export interface EveryPage {
  readonly host: Administration;
  /** `METHOD /path` of every route that the pages have, from the router itself. */
  readonly routes: readonly string[];
  /** For each route that is read, addresses of it; and some of none. A route without any fails `every-page.test.ts`. */
  readonly pages: Readonly<Record<string, readonly string[]>>;
  /** For each route that is written, a form that leads there. The same holds. */
  readonly forms: Readonly<Record<string, EveryForm>>;
  /** A browser: of root, who has all rights, of helen, or of nobody who is signed in. */
  visitor(who?: 'root' | 'helen'): Promise<Visitor>;
  /** All that a form may change. */
  state(): Promise<unknown>;
}

export interface EveryForm {
  /** The page that has it. */
  readonly page: string;
  readonly action: string;
  readonly values: Readonly<Record<string, string>>;
}

/** An administration in which all that users, programs and visitors can say is {@link evil}, and every page of it. */
export async function everyPage({ signIn = 'own' }: { signIn?: 'own' | 'host' } = {}): Promise<EveryPage> {
  const admin = {
    sections: [orders],
    branding: { name: evil },
    ...(signIn === 'host' && {
      authenticate: (request: Request) => /sso=([\w-]+)/.exec(request.headers.get('cookie') ?? '')?.[1],
      signInUrl: '/login',
      signOutUrl: '/logout',
    }),
  };
  const host = await startAdministration({ admin });
  const { users, apiKeys } = host;
  users.set('u-root', { ...users.get('u-root')!, username: evil });
  users.set('u-bob', { ...users.get('u-bob')!, username: `${evil}b`, permissions: [evil] });
  users.set(evil, { ...users.get('u-alice')!, id: evil, username: `${evil}c` });
  const actor = { userId: 'u-root', username: evil, superAdmin: true };

  const { id, key } = await host.made('u-root', evil, 1, 9);
  await apiKeys.update(actor, id, { description: evil, name: `${evil}2` });
  await apiKeys.authenticate({ 'x-api-key': key, 'user-agent': evil }, { address: evil });
  await host.as(key, 'POST', '/api-keys', { name: `${evil}3`, expiresOn: apiKeys.maxExpiresOn() });
  const revoked = await host.made('u-bob', `${evil}4`, 1, 30);
  await apiKeys.revoke(actor, revoked.id);
  await apiKeys.authenticate({ 'x-api-key': revoked.key });
  const expired = await host.made(evil, `${evil}5`, 20, 5);

  const ids = [id, revoked.id, expired.id, inUrl];
  const evilQuery = [
    'search',
    'createdBy',
    'scope',
    'status',
    'sort',
    'page',
    'find',
    'author',
    'origin',
    'from',
    'to',
    'other',
  ]
    .map((name) => `${name}=${inUrl}`)
    .join('&');
  const lists = (path: string) => ['', `?${evilQuery}`, '?page=2', `?status=Revoked`].map((query) => path + query);
  const pages = {
    'GET /assets/:name': [`/assets/${inUrl}`],
    'GET /': ['/'],
    ...(signIn === 'own' && { 'GET /sign-in': [`/sign-in?next=${inUrl}`, `/sign-in?next=/${inUrl}`] }),
    ...(signIn === 'host' && { 'GET /sign-in': ['/sign-in'] }),
    'GET /api-keys': [...lists('/api-keys'), '/api-keys?scope=all', `/api-keys?scope=all&search=${inUrl}x`],
    'GET /api-keys/new': ['/api-keys/new', ...ids.map((one) => `/api-keys/new?replaces=${one}`)],
    'GET /api-keys/:id/edit': ids.map((one) => `/api-keys/${one}/edit`),
    'GET /api-keys/revoke-all': ['u-bob', inUrl, 'nobody'].map((user) => `/api-keys/revoke-all?user=${user}`),
    'GET /api-keys/:id/revoke': ids.flatMap((one) => [
      `/api-keys/${one}/revoke`,
      `/api-keys/${one}/revoke?list=${inUrl}`,
    ]),
    'GET /api-keys/:id': ids.map((one) => `/api-keys/${one}`),
    'GET /api-key-audits': [
      ...lists('/api-key-audits'),
      ...ids.map((one) => `/api-key-audits?apiKeyId=${one}`),
      ...['x-evil', `${inUrl}x`].map((text) => `/api-key-audits?find=${text}`),
      `/api-key-audits?author=${inUrl}`,
      '/api-key-audits?revisionType=Revoke',
    ],
    'GET /api-key-audits/export': ['csv', 'ndjson', inUrl].map((format) => `/api-key-audits/export?format=${format}`),
    'GET /users': lists('/users'),
    'GET /users/delete': [
      ...['u-bob', inUrl, 'u-root', 'nobody'].map((user) => `/users/delete?id=${user}`),
      `/users/delete?id=u-bob&list=${inUrl}`,
    ],
    'GET /orders': ['/orders'],
    'GET /orders/*': [`/orders/${inUrl}`],
    'GET no route': [`/${inUrl}`, `/api-keys/x/y?${inUrl}`],
  };
  const ownForms = {
    'POST /sign-in': { page: '/sign-in', action: '/sign-in', values: { username: evil, password } },
    'POST /sign-out': { page: '/api-keys', action: '/sign-out', values: {} },
  };
  const newKey = { name: 'New', description: evil, expiry: '30' };
  const forms = {
    ...(signIn === 'own' && ownForms),
    'POST /api-keys': { page: '/api-keys', action: '/api-keys', values: { search: evil } },
    'POST /api-keys/new': { page: '/api-keys/new', action: '/api-keys/new', values: newKey },
    'POST /api-keys/:id/edit': { page: `/api-keys/${id}/edit`, action: '/edit', values: { name: 'Edited' } },
    'POST /api-keys/:id/revoke': { page: `/api-keys/${id}/revoke`, action: '/revoke', values: {} },
    'POST /api-keys/revoke-all': { page: '/api-keys/revoke-all?user=u-root', action: '/revoke-all', values: {} },
    'POST /api-key-audits': { page: '/api-key-audits', action: '/api-key-audits', values: { author: evil } },
    'POST /users': { page: '/users', action: '/users', values: { search: evil } },
    'POST /users/delete': {
      page: '/users/delete?id=u-bob',
      action: '/users/delete',
      values: { username: `${evil}b` },
    },
    'POST /orders': { page: '/orders', action: '/orders', values: { what: evil } },
    'POST /orders/*': { page: '/orders', action: '/orders/new', values: { what: evil } },
  };
  const nobody = { findById: () => undefined, findByUsername: () => undefined };
  const context = readOptions({ apiKeys, users: nobody, edition: 'Professional', ...admin });
  return {
    host,
    routes: uiRoutes(context)
      .routes.filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`),
    pages,
    forms,
    async visitor(who) {
      if (signIn === 'own') return await host.visitor(who === 'root' ? evil : who);
      const visitor = await host.visitor();
      if (who !== undefined) visitor.cookies.set('sso', `u-${who}`);
      return visitor;
    },
    async state() {
      const { items } = await apiKeys.list(actor, { scope: 'all', limit: 200 });
      const audits = (await apiKeys.audits(actor, { total: true })).total;
      return [items.map(({ id, name, status, version }) => [id, name, status, version]), audits, [...users.keys()]];
    },
  };
}
