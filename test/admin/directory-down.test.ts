import { createAdmin, type ManagedUserDirectory } from 'concordat/admin';
import { type DirectoryUser, isApiKeyError, openApiKeys, RequestLookups, rightsOf } from 'concordat/api-keys';
import { toNodeHandler } from 'concordat/connector/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { virtualClock } from '../helpers/virtual-clock.js';
import { basic, inDays, listen, password, send, start, startAdmin } from './helpers/admin-host.js';
import { accept, initialize } from './helpers/mcp.js';
import { startAdministration } from './ui/helpers/administration.js';
import { textOf } from './ui/helpers/html.js';
import { Visitor } from './ui/helpers/visitor.js';

const unavailable = 'The directory of users cannot be read right now. Try again in a few seconds.';

type Failure = 'answers' | 'fails' | 'hangs' | 'mistakes';

/** An administration whose directory answers, fails, hangs, or takes one user for another. */
async function startFailing() {
  const host = await startAdmin();
  const state = { failure: 'answers' as Failure, asked: 0 };
  const errors: unknown[] = [];
  const answer = async <T>(value: T, mistaken: T): Promise<T> => {
    state.asked += 1;
    if (state.failure === 'fails') throw new Error('ldap://secret is down');
    if (state.failure === 'hangs') await new Promise(() => {});
    return state.failure === 'mistakes' ? mistaken : value;
  };
  const root = host.users.get('u-root');
  const users: ManagedUserDirectory = {
    findById: (id) => answer(host.users.get(id), root),
    findByUsername: (name) => answer(host.users.get(`u-${name}`), undefined),
    list: () => answer([...host.users.values()], []),
    remove: () => {},
  };
  const clock = virtualClock({ startMs: start });
  const options = { edition: 'Professional', users, clock, onError: (error: unknown) => errors.push(error) } as const;
  const apiKeys = await openApiKeys({ database: ':memory:', lookUpTimeoutMs: 2000, ...options });
  const admin = createAdmin({ apiKeys, lookUpTimeoutMs: 2000, ...options });
  const server = await listen(toNodeHandler(admin));
  onTestFinished(async () => {
    await admin.close();
    await server.close();
    await apiKeys.close();
  });
  const { key } = await apiKeys.create(
    { userId: 'u-alice', username: 'alice' },
    { name: 'Export', expiresOn: inDays(30) },
  );
  /** Moves the clock for a response that waits for the directory. */
  const responseOf = async <T>(send: () => Promise<T>): Promise<T> => {
    const before = state.asked;
    const response = send();
    if (state.failure !== 'hangs') return await response;
    await expect.poll(() => state.asked).toBeGreaterThan(before);
    clock.advance(1999);
    expect(await Promise.race([response, new Promise((resolve) => setImmediate(resolve, 'waits'))])).toBe('waits');
    clock.advance(1);
    return await response;
  };
  return { apiKeys, clock, errors, key, port: server.port, responseOf, state };
}

describe.each<Failure>(['fails', 'hangs', 'mistakes'])('a directory that %s (K19)', (failure) => {
  it('is a 503 for a key, and a word to the host', async () => {
    const { errors, key, port, responseOf, state } = await startFailing();
    state.failure = failure;
    for (const path of ['/api/v1/me', '/api/v1/api-keys?scope=all']) {
      const { status, body, headers } = await responseOf(() => send(port, { path, headers: ['x-api-key', key] }));
      expect([status, body.errorMessage, headers['retry-after']]).toEqual([503, unavailable, '5']);
    }
    const { body: document } = await send(port, { path: '/api/v1/openapi.json' });
    expect(document.paths['/me'].get.responses[503].description).toMatch(/or the directory of users/);
    expect(errors).toHaveLength(2);
    expect(errors[0]).toMatchObject({
      kind: 'unavailable',
      cause: {
        message: {
          fails: 'ldap://secret is down',
          hangs: 'The directory of users took longer than 2000 ms.',
          mistakes: '`users.findById` was asked for the user u-alice and returned u-root.',
          answers: '',
        }[failure],
      },
    });
    state.failure = 'answers';
    expect((await send(port, { path: '/api/v1/me', headers: ['x-api-key', key] })).body.user.id).toBe('u-alice');
  });

  it('is a 503 for MCP, and for a page, which does not ask a second time', async () => {
    const { key, port, responseOf, state } = await startFailing();
    const visitor = new Visitor(`http://127.0.0.1:${port}`);
    await visitor.signIn('alice', password);
    state.failure = failure;
    const mcp = () =>
      send(port, { method: 'POST', path: '/mcp', headers: ['x-api-key', key, ...accept], body: initialize });
    expect((await responseOf(mcp)).status).toBe(503);
    const before = state.asked;
    const page = await responseOf(() => visitor.request('/api-keys'));
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
    expect(textOf(page.html)).toContain(unavailable);
    expect(state.asked - before).toBe(1);
  });

  it('rejects calls on API keys with an ApiKeyError', async () => {
    const { apiKeys, key, responseOf, state } = await startFailing();
    state.failure = failure;
    for (const call of [
      () => apiKeys.authenticate({ 'x-api-key': key }),
      () => apiKeys.list({ userId: 'u-alice', username: 'alice' }),
    ]) {
      const error = await responseOf(() => call().catch((thrown: unknown) => thrown));
      expect(isApiKeyError(error, 'unavailable')).toBe(true);
    }
  });
});

describe('a directory that is down', () => {
  it('is a 503 for Basic and sign-in, and counts as no failure of theirs', async () => {
    const { port, state } = await startFailing();
    const visitor = new Visitor(`http://127.0.0.1:${port}`);
    await visitor.open('/sign-in');
    state.failure = 'fails';
    for (let attempt = 0; attempt < 15; attempt++) {
      expect((await send(port, { path: '/api/v1/me', headers: basic('alice') })).status).toBe(503);
    }
    const page = await visitor.submit('/sign-in', { username: 'alice', password });
    expect([page.status, textOf(page.html).includes(unavailable)]).toEqual([503, true]);
    state.failure = 'answers';
    expect((await send(port, { path: '/api/v1/me', headers: basic('alice') })).status).toBe(200);
  });

  it('an edition that cannot be asked is a 503 as well', async () => {
    const host = await startAdmin({ keys: { edition: () => Promise.reject(new Error('no license server')) } });
    const answer = await host.as('alice', 'POST', '/api-keys', { name: 'New', expiresOn: inDays(1) });
    expect([answer.status, answer.body.errorMessage]).toEqual([
      503,
      'The edition cannot be read right now. Try again in a few seconds.',
    ]);
  });

  it('one in memory is asked without a timer', async () => {
    const clock = {
      setTimer: () => {
        throw new Error('a timer was set');
      },
    };
    const users = { findById: (id: string) => ({ id, username: 'ada' }), findByUsername: () => undefined };
    const lookups = new RequestLookups({ clock });
    expect(await lookups.findUser(users, 'u1')).toEqual({ id: 'u1', username: 'ada' });
    expect(await lookups.findEdition('Professional')).toBe('Professional');
  });
});

const wrongUsers: [string, object][] = [
  ['whose `id` is not text: 7', { id: 7 }],
  ['whose `username` is not text: undefined', { username: undefined }],
  ['whose `username` is not text: 7', { username: 7 }],
  ['whose `roles` is not an array of texts', { roles: 'Not Super Admin' }],
  ['whose `roles` is not an array of texts', { roles: [['Super Admin']] }],
  ['whose `permissions` is not an array of texts', { permissions: 'User Management – Write' }],
  ['whose `permissions` is not an array of texts', { permissions: [['User Management – Write']] }],
];

describe('a user of the wrong shape has no rights (K19)', () => {
  it.each(wrongUsers)('%s: a 503 for a key, for Basic and for a page, and a word to the host', async (what, wrong) => {
    const host = await startAdministration();
    const { key } = await host.key('u-alice', 'Export');
    const visitor = await host.visitor('alice');
    const stranger = await host.visitor();
    await stranger.open('/sign-in');
    const right = { ...host.users.get('u-alice')! };
    host.users.set('u-alice', { ...right, ...wrong });
    if (!('username' in wrong)) {
      expect((await host.as('alice', 'GET', '/me')).status).toBe(503);
      const page = await stranger.submit('/sign-in', { username: 'alice', password });
      expect([page.status, textOf(page.html).includes(unavailable)]).toEqual([503, true]);
    }
    expect((await host.as(key, 'GET', '/api-keys?scope=all')).status).toBe(503);
    const page = await visitor.request('/api-keys');
    expect([page.status, textOf(page.html).includes(unavailable)]).toEqual([503, true]);
    expect(host.errors).toHaveLength('username' in wrong ? 2 : 4);
    for (const error of host.errors as Error[]) {
      expect(isApiKeyError(error, 'unavailable')).toBe(true);
      expect((error.cause as Error).message).toMatch(/^`users\.findBy(?:Id|Username)` returned a user /);
      expect((error.cause as Error).message).toContain(what);
    }
    expect(await host.apiKeys.list({ userId: 'u-alice', username: 'alice' }).catch((thrown) => thrown)).toMatchObject({
      kind: 'unavailable',
      cause: { message: `\`users.findById\` returned a user ${what}.` },
    });
    host.users.set('u-alice', right);
    expect((await host.as(key, 'GET', '/me')).status).toBe(200);
  });

  it.each(wrongUsers)('%s: the page of all users is a 503 as well', async (what, wrong) => {
    const host = await startAdministration();
    const visitor = await host.visitor('root');
    host.users.set('u-bob', { ...host.users.get('u-bob')!, ...wrong });
    expect((await visitor.request('/users')).status).toBe(503);
    expect(host.errors).toMatchObject([{ cause: { message: `\`users.list\` returned a user ${what}.` } }]);
  });

  it('one that is no list of users at all is told so', async () => {
    const directory = { list: () => new Set() as never };
    await expect(new RequestLookups().listUsers(directory)).rejects.toMatchObject({
      kind: 'unavailable',
      cause: { message: '`users.list` did not return an array.' },
    });
  });

  it('`rightsOf` reads only arrays', () => {
    const nothing = { superAdmin: false, manageAllApiKeys: false };
    for (const wrong of ['Not Super Admin', 'Super Admin', null, 7, { includes: () => true }]) {
      expect(rightsOf({ roles: wrong as never })).toEqual(nothing);
    }
    for (const wrong of ['User Management – Write', [['User Management – Write']], null, { some: () => true }]) {
      expect(rightsOf({ permissions: wrong as never })).toEqual(nothing);
    }
    expect(rightsOf({ roles: ['Super Admin'] })).toEqual({ superAdmin: true, manageAllApiKeys: true });
  });

  it('absent roles and permissions are none', async () => {
    const user = { id: 'u1', username: 'ada', roles: [null] as never, permissions: null as never } as DirectoryUser;
    const users = { findById: () => user, findByUsername: () => null };
    expect(await new RequestLookups().findUser(users, 'u1')).toBe(user);
    expect(await new RequestLookups().findByUsername(users, 'ada')).toBeUndefined();
  });
});
