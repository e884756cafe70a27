import { createAdmin } from 'concordat/admin';
import { describe, expect, it } from 'vitest';
import { password } from '../helpers/admin-host.js';
import { startAdministration } from './helpers/administration.js';
import { textOf } from './helpers/html.js';
import { Visitor } from './helpers/visitor.js';

const hourMs = 3_600_000;

describe('signing in', () => {
  it('leads to the list, with a cookie that scripts cannot read and that lives for eight hours', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor('alice');
    expect([visitor.page.status, visitor.page.path]).toEqual([200, '/api-keys']);
    const cookie = visitor.setCookies.find((line) => line.startsWith('concordat_session'));
    expect(cookie).toMatch(/^concordat_session_[\w-]{8}=[^;]*; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it.each([
    ['http', false],
    ['https', true],
  ])('over %s the cookies are secure: %s', async (protocol, secure) => {
    const { apiKeys, users } = await startAdministration();
    const directory = {
      findById: async (id: string) => users.get(id),
      findByUsername: async (name: string) => users.get(`u-${name}`),
    };
    const { fetch } = createAdmin({ apiKeys, users: directory, edition: 'Ultimate', basePath: '/admin' });
    const form = await fetch(new Request(`${protocol}://keys.example/admin/sign-in`));
    const [cookie] = form.headers.getSetCookie();
    expect(/; Secure/.test(cookie!)).toBe(secure);
    expect(cookie).toContain('; Path=/admin; HttpOnly');
    const [, token] = /name="token" value="([^"]+)"/.exec(await form.text())!;
    const answer = await fetch(
      new Request(`${protocol}://keys.example/admin/sign-in`, {
        method: 'POST',
        headers: { cookie: cookie!.split(';')[0]! },
        body: new URLSearchParams({ token: token!, username: 'alice', password }),
      }),
    );
    expect(answer.status).toBe(303);
    expect(/; Secure/.test(answer.headers.getSetCookie().join())).toBe(secure);
  });

  it('with what cannot be a name asks no directory, which may be a database that fails at it', async () => {
    const users = {
      findById: async () => undefined,
      findByUsername: async () => {
        throw new Error('invalid byte sequence');
      },
    };
    const host = await startAdministration({ admin: { users } });
    const visitor = await host.visitor();
    expect((await visitor.signIn('a\0b', password)).status).toBe(401);
    expect(host.errors).toEqual([]);
    expect((await visitor.signIn('ab', password)).status).toBe(503);
  });

  it('is possible in each of several tabs that a browser restores at once', async () => {
    const host = await startAdministration();
    const tabs = [await host.visitor(), await host.visitor(), await host.visitor()];
    for (const tab of tabs) await tab.open('/sign-in');
    // They share what their answers have set.
    const cookies = tabs.flatMap((tab) => [...tab.cookies]);
    for (const tab of tabs) {
      tab.cookies.clear();
      for (const [name, value] of cookies) tab.cookies.set(name, value);
      expect((await tab.submit('/sign-in', { username: 'alice', password })).path).toBe('/api-keys');
    }
  });

  it('goes on to the page that was asked for', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor();
    await visitor.open('/api-keys/new?x=1');
    expect(visitor.page.path).toBe('/sign-in?next=%2Fapi-keys%2Fnew%3Fx%3D1');
    await visitor.submit('/sign-in', { username: 'alice', password });
    expect(visitor.page.path).toBe('/api-keys/new?x=1');
  });

  it.each([
    '//evil.example/',
    'https://evil.example/',
    '/\\evil.example',
    '/.//evil.example',
    '/admin/..//evil.example',
    '/admin/../elsewhere',
    '/adminx/',
    'javascript:alert(1)',
    '\t//evil.example',
  ])('never goes on to another place: %j', async (next) => {
    const host = await startAdministration({ admin: { basePath: '/admin' } });
    const visitor = await host.visitor();
    await visitor.open(`/admin/sign-in?next=${encodeURIComponent(next)}`);
    const { fields } = visitor.form('/sign-in');
    expect(fields.has('next')).toBe(false);
    const answer = await visitor.request('/admin/sign-in', {
      method: 'POST',
      body: new URLSearchParams({ token: fields.get('token')!, username: 'alice', password, next }),
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/admin/']);
  });

  it('a wrong password and an unknown user are answered alike, and told to the host without names (K14)', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor();
    const answers: string[] = [];
    for (const username of ['alice', 'nobody']) {
      await visitor.open('/sign-in');
      await visitor.submit('/sign-in', { username, password: 'wrong' });
      expect(visitor.page.status).toBe(401);
      expect(visitor.form('/sign-in').fields.get('username')).toBe(username);
      answers.push(textOf(visitor.page.html));
    }
    expect(answers[0]).toContain('The user name or the password is wrong.');
    expect(answers[0]).toBe(answers[1]);
    expect(host.failures).toEqual([{ reason: 'password' }, { reason: 'password' }]);
    expect(host.failedFrom).toEqual(['127.0.0.1', '127.0.0.1']);
  });

  it('is slowed down after repeated failures, and a right password waits as well (K14)', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor();
    for (let failure = 0; failure < 11; failure++) {
      await visitor.open('/sign-in');
      await visitor.submit('/sign-in', { username: 'alice', password: 'wrong' });
    }
    await visitor.open('/sign-in');
    await visitor.submit('/sign-in', { username: 'alice', password });
    expect(visitor.page.status).toBe(429);
    expect(visitor.page.headers.get('retry-after')).toBe('1');
    expect(textOf(visitor.page.html)).toContain('Too many failed attempts. Try again in 1 second.');
    expect(host.failures).toEqual([...Array(11).fill({ reason: 'password' }), { reason: 'throttled' }]);
    await host.clock.advance(1000);
    await visitor.submit('/sign-in', { username: 'alice', password });
    expect(visitor.page.path).toBe('/api-keys');
  });

  it('shares the count of failures with the Admin API (K14)', async () => {
    const host = await startAdministration();
    for (let failure = 0; failure < 11; failure++) {
      await host.send({ path: '/api/v1/me', headers: ['authorization', 'Basic ###'] });
    }
    const visitor = await host.visitor('alice');
    expect(visitor.page.status).toBe(429);
  });
});

describe('a session', () => {
  it('is asked for on every page', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor();
    for (const path of ['/', '/api-keys', '/api-keys/new', '/api-keys/abcdefghijkl', '/api-key-audits', '/users']) {
      await visitor.open(path);
      expect(visitor.page.path).toMatch(/^\/sign-in/);
    }
  });

  it.each([
    [
      'disabled',
      (user: { enabled?: boolean | undefined }) => {
        user.enabled = false;
      },
    ],
    [
      'given a new password',
      (user: { passwordHash?: string | undefined }) => {
        user.passwordHash = '$other';
      },
    ],
  ] as const)('ends at once when its user is %s (K11)', async (_, change) => {
    const host = await startAdministration();
    const visitor = await host.visitor('alice');
    expect((await visitor.open('/api-keys')).path).toBe('/api-keys');
    change(host.users.get('u-alice')!);
    expect((await visitor.open('/api-keys')).path).toMatch(/^\/sign-in/);
  });

  it('ends at once when its user is deleted, and does not pass to another user of that name (K11)', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor('alice');
    const alice = host.users.get('u-alice')!;
    host.users.delete('u-alice');
    host.users.set('u-alice-2', { ...alice, id: 'u-alice-2' });
    expect((await visitor.open('/api-keys')).path).toMatch(/^\/sign-in/);
  });

  it('lives for eight hours and not a moment longer', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor('alice');
    host.clock.jumpCalendar(8 * hourMs - 1);
    expect((await visitor.open('/api-keys')).path).toBe('/api-keys');
    host.clock.jumpCalendar(1);
    expect((await visitor.open('/api-keys')).path).toMatch(/^\/sign-in/);
  });

  it('is accepted by a process whose clock is up to a minute behind', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor('alice');
    host.clock.jumpCalendar(-60_000);
    expect((await visitor.open('/api-keys')).path).toBe('/api-keys');
    host.clock.jumpCalendar(-1);
    expect((await visitor.open('/api-keys')).path).toMatch(/^\/sign-in/);
  });

  it('a form that is sent after its end changes nothing, and the sign-in page says why', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor('alice');
    await visitor.open('/api-keys/new');
    host.clock.jumpCalendar(8 * hourMs);
    await visitor.submit('/api-keys/new', { name: 'Export' });
    expect(visitor.page.path).toBe('/sign-in?next=%2Fapi-keys%2Fnew');
    expect(textOf(visitor.page.html)).toContain(
      'You were no longer signed in, so nothing was changed. Sign in and repeat what you did.',
    );
    expect((await host.apiKeys.list({ userId: 'u-alice', username: 'alice' })).items).toEqual([]);
    // Once, and not to somebody who has only followed a link.
    await visitor.open('/api-keys/new');
    expect(textOf(visitor.page.html)).not.toContain('no longer signed in');
  });

  it('a sign-out after its end signs out', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor('alice');
    host.clock.jumpCalendar(8 * hourMs);
    await visitor.submit('/sign-out', {});
    expect([visitor.page.path, textOf(visitor.page.html).includes('You have signed out.')]).toEqual(['/sign-in', true]);
  });

  it('has the rights of this moment: a demoted Super Admin loses the switch and the users', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor('root');
    expect(visitor.page.html).toContain('All API keys');
    host.users.get('u-root')!.superAdmin = false;
    expect((await visitor.open('/api-keys')).html).not.toContain('All API keys');
    expect((await visitor.open('/users')).status).toBe(404);
  });

  it('a changed, cut or foreign cookie is no session', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor('alice');
    const name = visitor.nameOf('concordat_session');
    const good = visitor.cookies.get(name)!;
    const [payload, tag] = good.split('.') as [string, string];
    const forged = Buffer.from(payload, 'base64url').toString().replace('u-alice', 'u-root');
    const forms = [
      `${Buffer.from(forged).toString('base64url')}.${tag}`,
      payload,
      `${payload}.`,
      `${payload}.${tag.slice(0, -2)}`,
      `${good}.x`,
      'x.y',
      '',
    ];
    for (const cookie of forms) {
      visitor.cookies.set(name, cookie);
      expect((await visitor.open('/api-keys')).path, cookie).toMatch(/^\/sign-in/);
    }
    visitor.cookies.set(name, good);
    expect((await visitor.open('/api-keys')).path).toBe('/api-keys');
  });

  it('survives a restart when the host sets the secret, and only then', async () => {
    const sessionSecret = 's'.repeat(32);
    const first = await startAdministration({ admin: { sessionSecret } });
    const visitor = await first.visitor('alice');
    const cookie = visitor.cookies.get(visitor.nameOf('concordat_session'))!;
    const passwordHash = first.users.get('u-alice')!.passwordHash;
    const reaches = async (secret?: string) => {
      const host = await startAdministration({ admin: { sessionSecret: secret } });
      host.users.get('u-alice')!.passwordHash = passwordHash;
      const returning = await host.visitor('bob');
      returning.cookies.set(returning.nameOf('concordat_session'), cookie);
      return (await returning.open('/api-keys')).path;
    };
    expect(await reaches(sessionSecret)).toBe('/api-keys');
    expect(await reaches('t'.repeat(32))).toMatch(/^\/sign-in/);
    expect(await reaches()).toMatch(/^\/sign-in/);
  });

  it('ends with signing out, also for a copy of the cookie', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor('alice');
    const name = visitor.nameOf('concordat_session');
    const copy = visitor.cookies.get(name)!;
    await visitor.submit('/sign-out');
    expect(visitor.page.path).toBe('/sign-in');
    expect(textOf(visitor.page.html)).toContain('You have signed out.');
    expect(visitor.cookies.has(name)).toBe(false);
    visitor.cookies.set(name, copy);
    expect((await visitor.open('/api-keys')).path).toMatch(/^\/sign-in/);
  });

  it('two administrations on one host, whose cookies ignore ports, leave each other alone', async () => {
    const [one, two] = [await startAdministration(), await startAdministration()];
    const first = new Visitor(one.url);
    const second = new Visitor(two.url, first.cookies);
    await first.open('/sign-in');
    await second.signIn('bob', password);
    await first.submit('/sign-in', { username: 'alice', password });
    expect((await first.open('/api-keys')).path).toBe('/api-keys');
    expect((await second.open('/api-keys')).path).toBe('/api-keys');
    await first.request('/sign-out', { method: 'POST', body: first.form('/sign-out').fields });
    // Neither does it take the other one's notice, nor does signing out of one end the other.
    expect((await second.open('/api-keys')).path).toBe('/api-keys');
    expect(textOf((await first.open('/sign-in')).html)).toContain('You have signed out.');
  });

  it('whoever is signed in is not asked to sign in again', async () => {
    const host = await startAdministration();
    const visitor = await host.visitor('alice');
    expect((await visitor.open('/sign-in')).path).toBe('/api-keys');
    expect((await visitor.open('/')).path).toBe('/api-keys');
  });
});
