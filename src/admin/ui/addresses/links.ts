import type { AuditView } from './audit-query.js';
import { formatListView, type ListView } from './list-query.js';
import { formatQuery } from './paging.js';
import type { UserView } from './user-query.js';

export type Links = ReturnType<typeof createLinks>;

/** Every address of the administration UI; all start with the base path. */
export function createLinks(basePath: string) {
  const apiKeys = `${basePath}/api-keys`;
  const withQuery = (path: string, query: string) => (query === '' ? path : `${path}?${query}`);
  const withFields = (path: string, fields: Parameters<typeof formatQuery>[0]) => withQuery(path, formatQuery(fields));
  return {
    home: `${basePath}/`,
    signIn: `${basePath}/sign-in`,
    signOut: `${basePath}/sign-out`,
    newApiKey: `${apiKeys}/new`,
    /** The form of a new key in place of this one. */
    replaceApiKey: (replaces: string) => withFields(`${apiKeys}/new`, { replaces }),
    adminApi: `${basePath}/api/v1`,
    apiKeys: (view: Partial<ListView> = {}) => withQuery(apiKeys, formatListView(view)),
    apiKey: (id: string) => `${apiKeys}/${encodeURIComponent(id)}`,
    editApiKey: (id: string) => `${apiKeys}/${encodeURIComponent(id)}/edit`,
    /** @param view the list to return to; named even if nothing is chosen in it, or the page would lead to the key */
    revokeApiKey: (id: string, view?: ListView) =>
      withFields(`${apiKeys}/${encodeURIComponent(id)}/revoke`, { list: view && (formatListView(view) || 'scope=my') }),
    revokeAllOf: (user: string) => withFields(`${apiKeys}/revoke-all`, { user }),
    audits: (view: Partial<AuditView> = {}) => withFields(`${basePath}/api-key-audits`, { ...view }),
    auditExport: (view: AuditView, format: string) =>
      withFields(`${basePath}/api-key-audits/export`, { format, ...view, find: '', page: 1 }),
    users: (view: Partial<UserView> = {}) => withFields(`${basePath}/users`, { ...view }),
    /** @param view the list to return to */
    deleteUser: (id: string, view: UserView) =>
      withFields(`${basePath}/users/delete`, { id, list: formatQuery({ ...view }) }),
    signInAndReturn: (next: string) => withFields(`${basePath}/sign-in`, { next }),
    asset: (name: string) => `${basePath}/assets/${name}`,
    /** A host's page. */
    section: (name: string) => `${basePath}/${name}`,
  };
}

/** A path from a request to return to after sign-in, or `undefined`: never another site, however it is written. */
export function readReturnPath(path: string | null | undefined, basePath: string): string | undefined {
  if (path === undefined || path === null || !path.startsWith(`${basePath}/`)) return undefined;
  const here = 'http://administration.invalid';
  if (!URL.canParse(path, here)) return undefined;
  const url = new URL(path, here);
  // Dots and backslashes may lead to another host, to a path that a browser takes for one, or out of the base path.
  const inside = url.origin === here && url.pathname.startsWith(`${basePath}/`) && !url.pathname.startsWith('//');
  return inside ? url.pathname + url.search : undefined;
}

/** Where to return to after sign-in: for a form the page that it was on, as its own address need not have one. */
export function returnPathOf({ headers, method, url }: Request, basePath: string): string {
  const { host, pathname, search } = new URL(url);
  const referer = headers.get('referer') ?? '';
  const page = method === 'POST' && URL.canParse(referer) ? new URL(referer) : undefined;
  const path = page?.host === host ? readReturnPath(page.pathname + page.search, basePath) : undefined;
  return path ?? pathname + search;
}
