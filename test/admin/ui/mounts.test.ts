import { createAdmin, type ManagedUserDirectory } from 'concordat/admin';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inDays, listen, password, send, startAdmin } from '../helpers/admin-host.js';
import { accept, initialize } from '../helpers/mcp.js';
import { tags } from './helpers/html.js';
import { type Mount, mounts } from './helpers/mounts.js';
import { Visitor } from './helpers/visitor.js';

async function mounted({ basePath, listener }: Mount) {
  const host = await startAdmin();
  const users: ManagedUserDirectory = {
    findById: async (id) => host.users.get(id),
    findByUsername: async (name) => host.users.get(`u-${name}`),
    list: async () => [...host.users.values()],
    remove: async (id) => void host.users.delete(id),
  };
  const admin = createAdmin({
    apiKeys: host.apiKeys,
    users,
    edition: 'Professional',
    basePath,
    clock: host.clock,
    clientAddress: () => 'the client',
    allowedHosts: ['upstream.internal'],
    sections: [
      { name: 'orders', title: 'Orders', fetch: (_, { page }) => page({ title: 'Orders', content: '' as never }) },
    ],
  });
  const server = await listen(await listener(admin));
  onTestFinished(async () => {
    await admin.close();
    await server.close();
  });
  return { ...host, port: server.port, url: `http://127.0.0.1:${server.port}` };
}

/** Every address on the present page that a visitor or a browser can go to. */
function addresses(html: string): string[] {
  const linked = ['a', 'link'].flatMap((name) => tags(html, name).map((tag) => tag.get('href')));
  const loaded = ['script', 'img'].flatMap((name) => tags(html, name).map((tag) => tag.get('src')));
  return [...linked, ...loaded].filter((address) => address?.startsWith('/') === true) as string[];
}

describe.each(mounts)('$name, at "$basePath"', (mount) => {
  it('sign-in leads to a page, and every link of every page too, with and without a trailing slash', async () => {
    const host = await mounted(mount);
    await host.key('u-root', 'Export');
    const visitor = new Visitor(host.url);
    const { basePath } = mount;
    await visitor.open(`${basePath}/sign-in`);
    await visitor.submit('/sign-in', { username: 'root', password });
    expect([visitor.page.status, visitor.page.path]).toEqual([200, `${basePath}/api-keys`]);

    const visited = new Map<string, number>();
    const waiting = [`${basePath}/`, ...(basePath === '' ? [] : [basePath])];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const [place, query] = path.split('?') as [string, string?];
      const page = await visitor.open(path);
      visited.set(path, page.status);
      if (place.includes('/assets/')) continue;
      const slashed = `${place.replace(/\/$/, '')}/${query === undefined ? '' : `?${query}`}`;
      expect([slashed, (await visitor.open(slashed)).status]).toEqual([slashed, 200]);
      for (const found of addresses(page.html)) {
        expect(found.startsWith(`${basePath}/`), `${found} on ${path}`).toBe(true);
        const isNew = !visited.has(found) && !waiting.includes(found);
        // The same list in another order or with another filter is the same page.
        if (isNew && ![...visited.keys()].some((one) => one.split('?')[0] === found.split('?')[0])) waiting.push(found);
      }
    }
    expect([...visited].filter(([, status]) => status !== 200)).toEqual([]);
    const places = [...visited.keys()].map((path) => path.slice(basePath.length).split('?')[0]);
    for (const place of ['/', '/api-keys', '/api-keys/new', '/api-key-audits', '/users', '/users/delete', '/orders']) {
      expect(places).toContain(place);
    }
  });

  it('forms, the Admin API and MCP get their bodies', async () => {
    const host = await mounted(mount);
    const { basePath } = mount;
    const visitor = new Visitor(host.url);
    await visitor.signIn('alice', password, basePath);
    await visitor.open(`${basePath}/api-keys/new`);
    await visitor.submit('/api-keys/new', { name: 'Ä & b=c + d', expiry: '30' });
    expect(visitor.page.html).toContain('Save your API key');
    const key = /ck_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}/.exec(visitor.page.html)?.[0] as string;
    const headers = ['x-api-key', key];
    const body = { name: 'Export', expiresOn: inDays(30) };
    const created = await send(host.port, { method: 'POST', path: `${basePath}/api/v1/api-keys`, headers, body });
    expect([created.status, created.body.name]).toEqual([201, 'Export']);
    expect(created.headers.location).toBe(`${basePath}/api/v1/api-keys/${created.body.id}`);
    const session = await send(host.port, {
      method: 'POST',
      path: `${basePath}/mcp`,
      headers: [...headers, ...accept],
      body: initialize,
    });
    expect(session.text).toContain('protocolVersion');
    await visitor.open(`${basePath}/api-keys`);
    await visitor.submit('/sign-out');
    expect([visitor.page.status, visitor.page.path]).toEqual([200, `${basePath}/sign-in`]);
  });
});
