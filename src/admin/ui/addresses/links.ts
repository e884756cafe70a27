import { type AuditView, formatAuditView } from './audit-query.js';
import { formatListView, type ListView } from './list-query.js';
import { formatUserView, type UserView } from './user-query.js';

/** Every address of the administration UI; all start with the base path. */
export interface Links {
  readonly home: string;
  readonly signIn: string;
  readonly signOut: string;
  readonly newApiKey: string;
  /** The form of a new key in place of this one. */
  replaceApiKey(id: string): string;
  readonly adminApi: string;
  apiKeys(view?: Partial<ListView>): string;
  apiKey(id: string): string;
  editApiKey(id: string): string;
  /** @param view the list to return to */
  revokeApiKey(id: string, view?: ListView): string;
  revokeAllOf(userId: string): string;
  audits(view?: Partial<AuditView>): string;
  auditExport(view: AuditView, format: string): string;
  users(view?: Partial<UserView>): string;
  /** @param view the list to return to */
  deleteUser(id: string, view: UserView): string;
  signInAndReturn(path: string): string;
  asset(name: string): string;
  /** A host's page. */
  section(name: string): string;
}

export function createLinks(basePath: string): Links {
  const apiKeys = `${basePath}/api-keys`;
  const withQuery = (path: string, query: string) => (query === '' ? path : `${path}?${query}`);
  const withField = (path: string, name: string, value: string) =>
    withQuery(path, value === '' ? '' : String(new URLSearchParams({ [name]: value })));
  return {
    home: `${basePath}/`,
    signIn: `${basePath}/sign-in`,
    signOut: `${basePath}/sign-out`,
    newApiKey: `${apiKeys}/new`,
    replaceApiKey: (id) => withField(`${apiKeys}/new`, 'replaces', id),
    adminApi: `${basePath}/api/v1`,
    apiKeys: (view = {}) => withQuery(apiKeys, formatListView(view)),
    apiKey: (id) => `${apiKeys}/${encodeURIComponent(id)}`,
    editApiKey: (id) => `${apiKeys}/${encodeURIComponent(id)}/edit`,
    revokeApiKey: (id, view) =>
      withField(`${apiKeys}/${encodeURIComponent(id)}/revoke`, 'list', view === undefined ? '' : formatListView(view)),
    revokeAllOf: (userId) => withField(`${apiKeys}/revoke-all`, 'user', userId),
    audits: (view = {}) => withQuery(`${basePath}/api-key-audits`, formatAuditView(view)),
    auditExport(view, format) {
      const filter = formatAuditView({ ...view, find: '', page: 1 });
      return `${basePath}/api-key-audits/export?format=${format}${filter && `&${filter}`}`;
    },
    users: (view = {}) => withQuery(`${basePath}/users`, formatUserView(view)),
    deleteUser(id, view) {
      const list = formatUserView(view);
      return withQuery(`${basePath}/users/delete`, String(new URLSearchParams({ id, ...(list !== '' && { list }) })));
    },
    signInAndReturn: (path) => withField(`${basePath}/sign-in`, 'next', path),
    asset: (name) => `${basePath}/assets/${name}`,
    section: (name) => `${basePath}/${name}`,
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
