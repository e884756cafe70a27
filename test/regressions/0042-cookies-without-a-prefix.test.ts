// Cookies had no name prefix, so a page on a sibling host name, or one in the clear, could put a cookie of its own in their
// place. An outside check found it. Over https they are `__Host-` now, `__Secure-` below a base path (which `__Host-`
// does not allow), and only the name that is written for a request's scheme is read (RFC 6265bis, 4.1.3).
import { createAdmin } from 'concordat/admin';
import { describe, expect, it, onTestFinished } from 'vitest';
import { password } from '../admin/helpers/admin-host.js';
import { startAdministration } from '../admin/ui/helpers/administration.js';

/** What a browser does with `Set-Cookie`, prefixes included: a name, or why the cookie is thrown away. */
function accepted(line: string, isSecure: boolean): string {
  const [pair = '', ...rest] = line.split('; ');
  const attributes = new Map(rest.map((attribute) => [attribute.split('=')[0], attribute.split('=')[1]] as const));
  const name = pair.slice(0, pair.indexOf('='));
  if (attributes.has('Secure') && !isSecure) return 'secure in the clear';
  if (/^__(?:Host|Secure)-/.test(name) && !attributes.has('Secure')) return 'prefix without Secure';
  if (name.startsWith('__Host-') && attributes.get('Path') !== '/') return '__Host- below a path';
  return name;
}

async function setUp(origin: string, basePath: string) {
  const { apiKeys, users } = await startAdministration();
  const directory = {
    findById: async (id: string) => users.get(id),
    findByUsername: async (name: string) => users.get(`u-${name}`),
  };
  const admin = createAdmin({ apiKeys, users: directory, edition: 'Ultimate', basePath });
  onTestFinished(() => admin.close());
  const send = (path: string, cookies: readonly string[], body?: URLSearchParams) =>
    admin.fetch(
      new Request(`${origin}${basePath}${path}`, {
        headers: { cookie: cookies.join('; ') },
        ...(body && { method: 'POST', body }),
      }),
    );
  const form = await send('/sign-in', []);
  const [formCookie = ''] = form.headers.getSetCookie();
  const token = /name="token" value="([^"]+)"/.exec(await form.text())?.[1] ?? '';
  const credentials = new URLSearchParams({ token, username: 'alice', password });
  const pairOf = (line: string) => line.split(';')[0] as string;
  const answer = await send('/sign-in', [pairOf(formCookie)], credentials);
  const [sessionCookie = ''] = answer.headers.getSetCookie();
  return { send, formCookie, sessionCookie, credentials, pairOf };
}

describe.each([
  ['https://keys.example', '', '__Host-'],
  ['https://keys.example', '/admin', '__Secure-'],
  ['http://keys.example', '', ''],
  ['http://keys.example', '/admin', ''],
])('at %s%s', (origin, basePath, prefix) => {
  it(`cookies are called ${prefix}concordat_…, and a browser keeps them`, async () => {
    const { send, formCookie, sessionCookie, pairOf } = await setUp(origin, basePath);
    const isSecure = origin.startsWith('https:');
    expect(accepted(formCookie, isSecure)).toMatch(new RegExp(`^${prefix}concordat_form_[\\w-]{22}$`));
    expect(accepted(sessionCookie, isSecure)).toMatch(new RegExp(`^${prefix}concordat_session_[\\w-]{8}$`));
    const page = await send('/api-keys', [pairOf(sessionCookie)]);
    expect(page.status).toBe(200);
    const token = /name="token" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    const signOut = await send('/sign-out', [pairOf(sessionCookie)], new URLSearchParams({ token }));
    const [ended = '', notice = ''] = signOut.headers.getSetCookie();
    expect(accepted(ended, isSecure)).toBe(accepted(sessionCookie, isSecure));
    expect(ended).toContain('Max-Age=0');
    expect(accepted(notice, isSecure)).toMatch(new RegExp(`^${prefix}concordat_notice_[\\w-]{8}$`));
    expect(await (await send('/sign-in', [pairOf(notice)])).text()).toContain('You have signed out.');
  });

  it('the same cookies under any other name are none', async () => {
    const { send, formCookie, sessionCookie, credentials, pairOf } = await setUp(origin, basePath);
    const renamed = (line: string, other: string) => other + pairOf(line).slice(prefix.length);
    for (const other of ['__Host-', '__Secure-', ''].filter((name) => name !== prefix)) {
      expect((await send('/api-keys', [renamed(sessionCookie, other)])).status).toBe(303);
      expect((await send('/sign-in', [renamed(formCookie, other)], credentials)).status).toBe(403);
      const both = ['x', renamed(sessionCookie, other), pairOf(sessionCookie)];
      expect((await send('/api-keys', both)).status).toBe(200);
    }
  });
});
