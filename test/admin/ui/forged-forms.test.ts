import { describe, expect, it } from 'vitest';
import { basic, inDays, password } from '../helpers/admin-host.js';
import { startAdministration } from './helpers/administration.js';
import { textOf } from './helpers/html.js';

/** A signed-in visitor with the form for a new key, and how many keys came of what was sent. */
async function formForNewKey() {
  const host = await startAdministration();
  const visitor = await host.visitor('alice');
  await visitor.open('/api-keys/new');
  const { fields } = visitor.form('/api-keys/new');
  fields.set('name', 'Export');
  const count = async () =>
    (await host.apiKeys.list({ userId: 'u-alice', username: 'alice' }, { total: true })).total ?? -1;
  return { host, visitor, fields, count };
}

describe('a form from this site', () => {
  it.each([
    ['with what browsers send along', { 'sec-fetch-site': 'same-origin' }],
    ['with an Origin that is ours', { origin: 'self' }],
    ['behind a proxy that ends TLS', { origin: 'self over https' }],
    ['from a client that sends neither', {}],
  ])('is accepted %s (control)', async (_, headers: Record<string, string>) => {
    const { host, visitor, fields, count } = await formForNewKey();
    const origin = { self: host.url, 'self over https': host.url.replace('http:', 'https:') }[headers.origin ?? ''];
    const sent = { ...headers, ...(origin !== undefined && { origin }) };
    const { status } = await visitor.request('/api-keys/new', { method: 'POST', body: fields, headers: sent });
    expect([status, await count()]).toEqual([200, 1]);
  });
});

describe('a forged form does nothing', () => {
  it.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling domain', { 'sec-fetch-site': 'same-site' }],
    ['with a foreign Origin', { origin: 'https://evil.example' }],
    ['with the Origin null', { origin: 'null' }],
    ['with another port', { origin: 'http://127.0.0.1:1' }],
  ])('%s, although the token is right', async (_, headers) => {
    const { visitor, fields, count } = await formForNewKey();
    const { status } = await visitor.request('/api-keys/new', { method: 'POST', body: fields, headers });
    expect([status, await count()]).toEqual([403, 0]);
  });

  it.each<[string, (fields: URLSearchParams) => void]>([
    ['without a token', (fields) => fields.delete('token')],
    ['with an empty token', (fields) => fields.set('token', '')],
    ['with a made-up token', (fields) => fields.set('token', 'A'.repeat(43))],
  ])('%s', async (_, change) => {
    const { visitor, fields, count } = await formForNewKey();
    change(fields);
    const page = await visitor.request('/api-keys/new', { method: 'POST', body: fields });
    expect([page.status, await count()]).toEqual([403, 0]);
    expect(textOf(page.html)).toContain('This form is no longer valid.');
  });

  it("with the token of another user's session, or of one's own earlier one", async () => {
    const { host, visitor, fields, count } = await formForNewKey();
    for (const username of ['mallory', 'alice']) {
      const other = await host.visitor(username);
      await other.open('/api-keys/new');
      fields.set('token', other.form('/api-keys/new').fields.get('token')!);
      const { status } = await visitor.request('/api-keys/new', { method: 'POST', body: fields });
      expect([status, await count()]).toEqual([403, 0]);
    }
  });

  it('nobody can be signed in by another site: the sign-in form has a token, too', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor();
    const body = () => new URLSearchParams({ username: 'alice', password, token: 'A'.repeat(43) });
    expect((await visitor.request('/sign-in', { method: 'POST', body: body() })).status).toBe(403);
    await visitor.open('/sign-in');
    const { fields } = visitor.form('/sign-in');
    fields.set('username', 'alice');
    fields.set('password', password);
    visitor.cookies.clear();
    const page = await visitor.request('/sign-in', { method: 'POST', body: fields });
    expect(page.status).toBe(403);
    expect(textOf(page.html)).toContain('cookies are disabled. Sign in again.');
    // Nor with a cookie of another browser.
    await visitor.open('/sign-in');
    expect((await visitor.request('/sign-in', { method: 'POST', body: fields })).status).toBe(403);
  });
});

describe('where a browser does not say which site a form is from, `Origin` and `Host` are compared', () => {
  /** Basic, as a page of this origin would send it along. */
  const statusOf = async (origin: string, host: string) => {
    const { send } = await startAdministration();
    const headers = [...basic('alice'), 'origin', origin, 'host', host];
    const body = { name: 'Export', expiresOn: inDays(9) };
    return (await send({ method: 'POST', path: '/api/v1/api-keys', headers, body })).status;
  };

  it.each([
    ['http://keys.example.com', 'keys.example.com'],
    ['http://keys.example.com', 'keys.example.com:80'],
    ['http://keys.example.com', 'KEYS.example.com:80'],
    ['https://keys.example.com', 'keys.example.com:443'],
    ['https://keys.example.com', 'keys.example.com'],
    ['http://keys.example.com:8080', 'keys.example.com:8080'],
    ['http://[::1]', '[::1]:80'],
  ])('%s is %s', async (origin, host) => {
    expect(await statusOf(origin, host)).toBe(201);
  });

  it.each([
    ['http://keys.example.com', 'keys.example.com:443'],
    ['http://keys.example.com', 'keys.example.com:8080'],
    ['http://keys.example.com:8080', 'keys.example.com'],
    ['http://keys.example.com:8080', 'keys.example.com:80'],
    ['http://evil.example', 'keys.example.com:80'],
    ['http://keys.example.com', 'keys.example.com:80:80'],
    ['http://keys.example.com', 'keys.example.com:'],
    ['http://evil.example', ''],
  ])('%s is not %j', async (origin, host) => {
    expect(await statusOf(origin, host)).toBeGreaterThanOrEqual(400);
  });
});

describe('a body that is no form', () => {
  it.each([
    ['JSON', { 'content-type': 'application/json' }, '{"name":"x"}', 415],
    ['an upload', { 'content-type': 'multipart/form-data; boundary=x' }, '--x--', 415],
    [
      'one that is too large',
      { 'content-type': 'application/x-www-form-urlencoded' },
      `name=${'x'.repeat(40_000)}`,
      413,
    ],
    ['bytes that are no text', { 'content-type': 'application/x-www-form-urlencoded' }, Buffer.from([0xff, 0xfe]), 400],
  ])('%s is refused', async (_, headers, body, status) => {
    const { visitor, count } = await formForNewKey();
    const page = await visitor.request('/api-keys/new', { method: 'POST', body, headers });
    expect([page.status, await count()]).toEqual([status, 0]);
  });
});
