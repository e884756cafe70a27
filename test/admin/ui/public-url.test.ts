import { toNodeHandler } from 'concordat/connector/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { basic, inDays, listen, password } from '../helpers/admin-host.js';
import { accept, initialize } from '../helpers/mcp.js';
import { startAdministration } from './helpers/administration.js';
import { textOf } from './helpers/html.js';
import { proxyTo } from './helpers/mounts.js';
import { Visitor } from './helpers/visitor.js';

/** As a browser sends it over http, where it does not say which site a request comes from. */
const origin = { origin: 'https://keys.example.com' };

/** Behind a proxy that ends TLS, removes the path and sends a host name of its own. */
async function behindProxy(publicUrl: string | undefined) {
  const host = await startAdministration({ admin: { basePath: '/settings', publicUrl } });
  const server = await listen(await proxyTo(toNodeHandler(host.admin), { remove: '/settings' }));
  onTestFinished(() => server.close());
  return { host, url: `http://127.0.0.1:${server.port}` };
}

describe('behind a proxy', () => {
  it('`publicUrl` decides cookies, forms and examples', async () => {
    const { url } = await behindProxy('https://keys.example.com');
    const visitor = new Visitor(url);
    await visitor.open('/settings/sign-in');
    await visitor.submit('/sign-in', { username: 'alice', password }, origin);
    expect([visitor.page.status, visitor.page.path]).toEqual([200, '/settings/api-keys']);
    for (const cookie of visitor.setCookies) expect(cookie).toMatch(/^__Secure-.*; Path=\/settings; .*Secure/);
    await visitor.open('/settings/api-keys/new');
    await visitor.submit('/api-keys/new', { name: 'Export', expiry: '30' }, origin);
    expect(textOf(visitor.page.html)).toContain('" https://keys.example.com/settings/api/v1/me');
  });

  it('a form of another site is refused all the same', async () => {
    const { url } = await behindProxy('https://keys.example.com');
    const visitor = new Visitor(url);
    await visitor.open('/settings/sign-in');
    for (const foreign of [
      'https://evil.example',
      'https://upstream.internal',
      'http://keys.example.com',
      'https://keys.example.com:8443',
      'null',
    ]) {
      const page = await visitor.submit('/sign-in', { username: 'alice', password }, { origin: foreign });
      expect(page.status).toBe(403);
    }
  });

  it('Basic that a page of another origin sent along changes nothing, also if only the scheme is another', async () => {
    const host = await startAdministration({ admin: { publicUrl: 'https://keys.example.com' } });
    const create = async (from: string, name: string) => {
      const headers = [...basic('alice'), 'origin', from];
      const body = { name, expiresOn: inDays(30) };
      return (await host.send({ method: 'POST', path: '/api/v1/api-keys', headers, body })).status;
    };
    expect(await create('http://keys.example.com', 'One')).toBe(403);
    expect(await create('https://keys.example.com', 'Two')).toBe(201);
    expect(await create('https://KEYS.example.com:443', 'Three')).toBe(201);
  });

  it('without it, `X-Forwarded-*` is not trusted, and the page says what to set', async () => {
    const { url } = await behindProxy(undefined);
    const visitor = new Visitor(url);
    await visitor.open('/settings/sign-in');
    expect(visitor.setCookies.join()).not.toContain('Secure');
    const page = await visitor.submit('/sign-in', { username: 'alice', password }, origin);
    expect(page.status).toBe(403);
    expect(textOf(page.html)).toContain('set `publicUrl`');
  });

  it('MCP takes clients at the public name', async () => {
    const host = await startAdministration({ admin: { publicUrl: 'https://keys.example.com' } });
    const { key } = await host.key('u-alice', 'Export');
    const status = async (name: string) => {
      const headers = ['host', name, 'origin', `https://${name}`, 'x-api-key', key, ...accept];
      return (await host.send({ method: 'POST', path: '/mcp', headers, body: initialize })).status;
    };
    expect([await status('keys.example.com'), await status('evil.example')]).toEqual([200, 403]);
  });
});
