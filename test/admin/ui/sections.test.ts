import type { AdminSection, AdminSectionContext } from 'concordat/admin';
import { html } from 'hono/html';
import { describe, expect, it } from 'vitest';
import { startAdmin } from '../helpers/admin-host.js';
import { startAdministration } from './helpers/administration.js';
import { tags } from './helpers/html.js';

/** A page with a form, and whatever else a test adds. */
function section(changes: Partial<AdminSection> = {}): AdminSection {
  return {
    name: 'orders',
    title: 'Orders & more',
    icon: 'M2 2h12',
    stylesheet: '.orders { color: red }',
    script: "'use strict';",
    async fetch(request, visit) {
      const { pathname } = new URL(request.url);
      if (pathname === `${visit.path}/nowhere`) return await visit.problem(404, 'There is no such order.');
      if (visit.form !== undefined) return visit.redirect(visit.path, `Ordered: ${visit.form.get('what')}`);
      return await visit.page({
        title: 'Orders',
        refreshSeconds: 10,
        content: html`<h1>Orders of ${visit.user.username}</h1>
          <p>${'<script>alert(1)</script>'}</p>
          <form method="post" action="${visit.path}/new">${visit.formToken}<button>Order</button></form>`,
      });
    },
    ...changes,
  };
}

const start = (changes?: Partial<AdminSection>, basePath = '') =>
  startAdministration({ admin: { basePath, sections: [section(changes)] } });

describe('a section of the host', () => {
  it.each(['', '/admin'])(
    'is in the menu and in the frame of the administration, below the base path %j',
    async (basePath) => {
      const host = await start({}, basePath);
      const visitor = await host.visitor('alice');
      const page = await visitor.open(`${basePath}/orders`);
      expect(page.status).toBe(200);
      expect(page.html).toContain('<title>Orders · Concordat</title>');
      expect(page.html).toContain('<h1>Orders of alice</h1>');
      expect(page.html).toContain('&lt;script&gt;');
      const entry = tags(page.html, 'a').find((link) => link.get('href') === `${basePath}/orders`);
      expect(entry?.get('aria-current')).toBe('page');
      expect(page.html).toContain('Orders &amp; more');
      expect((await visitor.open(`${basePath}/api-keys`)).html).toContain(`href="${basePath}/orders"`);
    },
  );

  it('brings its stylesheet and its script along, and only there they may connect back', async () => {
    const host = await start();
    const visitor = await host.visitor('alice');
    const page = await visitor.open('/orders');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*; connect-src 'self'$/);
    expect(page.html).toMatch(/<noscript><meta http-equiv="refresh" content="10"\/?><\/noscript>/);
    const addresses = [...page.html.matchAll(/"(\/assets\/orders\.[\w-]{16}\.(?:css|js))"/g)].map(
      ([, address]) => address,
    );
    expect(addresses).toHaveLength(2);
    for (const address of addresses) {
      const asset = await visitor.open(address as string);
      expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
    const keys = await visitor.open('/api-keys');
    expect(keys.headers.get('content-security-policy')).not.toContain('connect-src');
    expect(keys.html).not.toContain('orders.');
  });

  it('takes forms with the token of the page only, and says afterwards what was done', async () => {
    const host = await start();
    const visitor = await host.visitor('alice');
    await visitor.open('/orders');
    const page = await visitor.submit('/orders/new', { what: 'tea' });
    expect([page.path, page.html]).toEqual(['/orders', expect.stringContaining('Ordered: tea')]);
    const forged = await visitor.submit('/orders/new', { what: 'gold', token: 'x' });
    expect(forged.status).toBe(403);
    await visitor.open('/orders');
    expect((await visitor.submit('/orders/new', {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('is for who is signed in: a page leads to the sign-in and back, a stream of events is answered with 401', async () => {
    const host = await start();
    const stranger = await host.visitor();
    expect((await stranger.request('/orders?x=1')).headers.get('location')).toBe('/sign-in?next=%2Forders%3Fx%3D1');
    expect((await stranger.request('/orders', { headers: { accept: 'text/event-stream' } })).status).toBe(401);
    const sent = { method: 'POST', headers: { referer: `${host.url}/orders?x=1` } };
    expect((await stranger.request('/orders/new', sent)).headers.get('location')).toBe(
      '/sign-in?next=%2Forders%3Fx%3D1',
    );
  });

  it('is hidden from whom `mayVisit` does not let in', async () => {
    const host = await start({ mayVisit: ({ superAdmin }) => superAdmin === true });
    const [alice, root] = [await host.visitor('alice'), await host.visitor('root')];
    expect((await root.open('/orders')).status).toBe(200);
    const refused = await alice.open('/orders');
    expect(refused.status).toBe(404);
    expect(refused.html).not.toContain('href="/orders"');
    expect((await alice.request('/orders', { headers: { accept: 'text/event-stream' } })).status).toBe(404);
  });

  it('shows problems as the administration does, and reports what fails unexpectedly', async () => {
    const host = await start();
    const page = await (await host.visitor('alice')).open('/orders/nowhere');
    expect([page.status, page.html]).toEqual([404, expect.stringContaining('There is no such order.')]);

    const broken = await start({ fetch: () => Promise.reject(new Error('secret detail')) });
    const failed = await (await broken.visitor('alice')).open('/orders');
    expect(failed.status).toBe(500);
    expect(failed.html).not.toContain('secret detail');
    expect(broken.errors).toEqual([expect.objectContaining({ message: 'secret detail' })]);
  });

  it('may answer with any response, also one whose headers cannot be changed', async () => {
    const host = await start({
      fetch: (request) =>
        request.url.endsWith('/old')
          ? Response.redirect('https://orders.example/new', 307)
          : fetch('data:text/plain,tea'),
    });
    const visitor = await host.visitor('alice');
    const redirect = await visitor.request('/orders/old');
    expect([redirect.status, redirect.headers.get('location')]).toEqual([307, 'https://orders.example/new']);
    expect(redirect.headers.get('x-content-type-options')).toBe('nosniff');
    const page = await visitor.request('/orders');
    expect([page.status, page.html]).toEqual([200, 'tea']);
    expect(page.headers.get('content-type')).toBe('text/plain');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(host.errors).toEqual([]);
  });

  it('tells when the sign-in of a visit is over', async () => {
    const visits: AdminSectionContext[] = [];
    const host = await start({
      fetch(_request, visit) {
        visits.push(visit);
        return new Response('seen');
      },
    });
    const [alice, bob, mallory] = [
      await host.visitor('alice'),
      await host.visitor('bob'),
      await host.visitor('mallory'),
    ];
    for (const visitor of [alice, bob, mallory]) await visitor.open('/orders');
    const states = () => Promise.all(visits.map((visit) => visit.isSignedIn()));
    expect(await states()).toEqual([true, true, true]);
    await alice.open('/api-keys');
    await alice.submit('/sign-out');
    host.users.delete('u-bob');
    expect(await states()).toEqual([false, false, true]);
    host.clock.jumpCalendar(8 * 60 * 60 * 1000);
    expect(await states()).toEqual([false, false, false]);
  });

  it('is the start page where there is nothing else to see (K12)', async () => {
    const host = await startAdministration({
      admin: { edition: 'Standard', sections: [section()] },
      keys: { edition: 'Standard' },
    });
    expect((await (await host.visitor('alice')).open('/')).path).toBe('/orders');
  });

  it.each([
    [{ name: 'Orders' }, '`sections[0].name`'],
    [{ name: 'api-keys' }, '`api-keys` is taken'],
    [{ title: ' ' }, '`sections[0].title`'],
    [{ script: 1 }, '`sections[0].script`'],
    [{ fetch: 'x' }, '`sections[0].fetch`'],
    [{ mayVisit: true }, '`sections[0].mayVisit`'],
    [{ mayvisit: () => true }, '`sections[0].mayvisit` is not an option: did you mean `mayVisit`?'],
  ])('is refused when it is wrong: %j', async (changes, message) => {
    const wrong = startAdmin({ admin: { sections: [section(changes as never)] } });
    await expect(wrong).rejects.toThrow(message);
  });
});
