import { type AuditView, formatAuditView } from './audit-query.js';
import { formatListView, type ListView } from './list-query.js';
import { formatUserView, type UserView } from './user-query.js';

export type Links = ReturnType<typeof createLinks>;

/** Every address of the administration UI; all start with the base path. */
export function createLinks(basePath: string) {
  const apiKeys = `${basePath}/api-keys`;
  const withQuery = (path: string, query: string) => (query === '' ? path : `${path}?${query}`);
  const withField = (path: string, name: string, value: string) =>
    withQuery(path, value === '' ? '' : String(new URLSearchParams({ [name]: value })));
  return {
    home: `${basePath}/`,
    signIn: `${basePath}/sign-in`,
    signOut: `${basePath}/sign-out`,
    newApiKey: `${apiKeys}/new`,
    /** The form of a new key in place of this one. */
    replaceApiKey: (id: string) => withField(`${apiKeys}/new`, 'replaces', id),
    adminApi: `${basePath}/api/v1`,
    apiKeys: (view: Partial<ListView> = {}) => withQuery(apiKeys, formatListView(view)),
    apiKey: (id: string) => `${apiKeys}/${encodeURIComponent(id)}`,
    editApiKey: (id: string) => `${apiKeys}/${encodeURIComponent(id)}/edit`,
    /** @param view the list to return to */
    revokeApiKey: (id: string, view?: ListView) =>
      withField(`${apiKeys}/${encodeURIComponent(id)}/revoke`, 'list', view === undefined ? '' : formatListView(view)),
    revokeAllOf: (userId: string) => withField(`${apiKeys}/revoke-all`, 'user', userId),
    audits: (view: Partial<AuditView> = {}) => withQuery(`${basePath}/api-key-audits`, formatAuditView(view)),
    auditExport(view: AuditView, format: string) {
      const filter = formatAuditView({ ...view, find: '', page: 1 });
      return `${basePath}/api-key-audits/export?format=${format}${filter && `&${filter}`}`;
    },
    users: (view: Partial<UserView> = {}) => withQuery(`${basePath}/users`, formatUserView(view)),
    /** @param view the list to return to */
    deleteUser(id: string, view: UserView) {
      const list = formatUserView(view);
      return withQuery(`${basePath}/users/delete`, String(new URLSearchParams({ id, ...(list !== '' && { list }) })));
    },
    signInAndReturn: (path: string) => withField(`${basePath}/sign-in`, 'next', path),
    asset: (name: string) => `${basePath}/assets/${name}`,
    /** A host's page. */
    section: (name: string) => `${basePath}/${name}`,
  };
}

/**
 * A path of the administration to return to after sign-in, or `undefined`: never another site, however the path is
 * written.
 *
 * @param path from a request
 */
export function readReturnPath(path: string | null | undefined, basePath: string): string | undefined {
  if (path === undefined || path === null || !path.startsWith(`${basePath}/`)) return undefined;
  const here = 'http://administration.invalid';
  if (!URL.canParse(path, here)) return undefined;
  const url = new URL(path, here);
  // Dots and backslashes may lead to another host, to a path that a browser takes for one, or out of the base path.
  const inside = url.origin === here && url.pathname.startsWith(`${basePath}/`) && !url.pathname.startsWith('//');
  return inside ? url.pathname + url.search : undefined;
}
