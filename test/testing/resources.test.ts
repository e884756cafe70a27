import { simulateConnector, virtualClock } from 'concordat/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { simulateInProcess } from './helpers/connect.js';

const seed = Array.from({ length: 5 }, (_, index) => ({ id: index + 1, title: `Issue ${index + 1}` }));

describe('a resource', () => {
  it('is created, read, replaced, changed and deleted', async () => {
    const { client, connector, clock } = simulateInProcess({ resources: { issues: seed } });
    const at = new Date(clock.now()).toISOString();
    expect(await client.get('/issues/3')).toEqual({ id: 3, title: 'Issue 3', updatedAt: at });
    const created = await client.request({ method: 'POST', path: '/issues', json: { title: 'New' } });
    expect([created.status, created.data]).toEqual([201, { id: 6, title: 'New', updatedAt: at }]);
    await clock.advance(1000);
    const later = new Date(clock.now()).toISOString();
    expect(await client.patch('/issues/6', { json: { open: false } })).toEqual({
      id: 6,
      title: 'New',
      open: false,
      updatedAt: later,
    });
    expect(await client.put('/issues/6', { json: { title: 'Replaced' } })).toEqual({
      id: 6,
      title: 'Replaced',
      updatedAt: later,
    });
    expect((await client.request({ method: 'PUT', path: '/issues/own', json: { title: 'x' } })).status).toBe(201);
    expect(await client.delete('/issues/6')).toBeUndefined();
    await expect(client.get('/issues/6')).rejects.toMatchObject({ kind: 'not-found' });
    expect(
      connector
        .resource('issues')
        .all()
        .map(({ id }) => id),
    ).toEqual([1, 2, 3, 4, 5, 'own']);
  });

  it('refuses what cannot be with errors of the contract', async () => {
    const { client } = simulateInProcess({ resources: { issues: seed } });
    const kindOf = (call: Promise<unknown>) => call.catch(({ status, code }) => `${status} ${code}`);
    expect(await kindOf(client.post('/issues', { json: { id: 3 } }))).toBe('409 CONFLICT');
    expect(await kindOf(client.post('/issues', { json: ['no', 'object'] }))).toBe('400 BAD_REQUEST');
    expect(await kindOf(client.get('/issues', { query: { updatedSince: 'yesterday' } }))).toBe('400 BAD_REQUEST');
    for (const updatedSince of ['2020', 'Jan 5 2020', '2020-01-01T00:00:00']) {
      expect(await kindOf(client.get('/issues', { query: { updatedSince } }))).toBe('400 BAD_REQUEST');
    }
    expect(await kindOf(client.get('/issues', { query: { cursor: 'x' } }))).toBe('400 BAD_REQUEST');
    expect(await kindOf(client.get('/issues', { query: { limit: 0 } }))).toBe('400 BAD_REQUEST');
    expect(await kindOf(client.patch('/issues/99', { json: {} }))).toBe('404 NOT_FOUND');
    expect(await kindOf(client.get('/users'))).toBe('404 NOT_FOUND');
    expect(await kindOf(client.patch('/issues', { json: {} }))).toBe('405 METHOD_NOT_ALLOWED');
  });

  it('lists in pages, oldest change first', async () => {
    const { client } = simulateInProcess({ resources: { issues: seed } });
    type Page = { items: { id: number }[]; nextCursor: string | null };
    const seen: number[][] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await client.get<Page>('/issues', { query: { limit: 2, cursor } });
      seen.push(page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('what changes while somebody pages is met later, and nothing is left out', async () => {
    const { client, connector } = simulateInProcess({ resources: { issues: seed } });
    type Page = { items: { id: number }[]; nextCursor: string };
    const first = await client.get<Page>('/issues', { query: { limit: 2 } });
    connector.resource('issues').set({ id: 1, title: 'changed' });
    connector.resource('issues').set({ id: 4, title: 'changed' });
    const rest = await client.get<Page>('/issues', { query: { cursor: first.nextCursor } });
    expect(rest.items.map(({ id }) => id)).toEqual([3, 5, 1, 4]);
  });

  it('`updatedSince` leaves out what is older, and nothing else', async () => {
    const clock = virtualClock();
    const connector = simulateConnector({ session: false, resources: { issues: seed }, clock });
    await clock.advance(1000);
    connector.resource('issues').set({ id: 2, title: 'changed' });
    const since = new Date(clock.now()).toISOString();
    const list = async (query: string) => {
      const answer = await connector.fetch(`http://c.test/issues?${query}`);
      return ((await answer.json()) as { items: { id: number }[] }).items.map(({ id }) => id);
    };
    expect(await list(`updatedSince=${since}`)).toEqual([2]);
    expect(await list(`updatedSince=${new Date(clock.now() + 1).toISOString()}`)).toEqual([]);
    expect(await list('')).toEqual([1, 3, 4, 5, 2]);
  });

  it('can be seen and changed by the test', () => {
    const connector = simulateConnector({ resources: { issues: seed } });
    const issues = connector.resource('issues');
    expect(issues.get(1)).toMatchObject({ title: 'Issue 1' });
    expect([issues.delete(1), issues.delete(1), issues.get(1)]).toEqual([true, false, undefined]);
    const message = '`resources` has no "users": there are "issues".';
    expect(() => connector.resource('users')).toThrow(new Error(message));
    expect(() => simulateConnector().resource('users')).toThrow('there are none.');
  });

  it('hands out copies: what is changed in one changes no item, nor what `reset()` goes back to', () => {
    const connector = simulateConnector({ resources: { issues: [{ id: 1, tags: ['a'] }] } });
    const issues = connector.resource('issues');
    for (const item of [issues.get(1), issues.all()[0], issues.set({ id: 1, tags: ['a'] })]) {
      (item as { tags: string[] } | undefined)?.tags.push('b');
      expect(issues.get(1)?.tags).toEqual(['a']);
    }
    connector.reset();
    expect(connector.resource('issues').get(1)?.tags).toEqual(['a']);
  });

  it('keeps copies: what the test changes in its own objects, or in the journal, changes no item', async () => {
    const mine = { id: 1, tags: ['a'] };
    const connector = simulateConnector({ session: false, resources: { issues: [mine] } });
    const issues = connector.resource('issues');
    mine.tags.push('b');
    const other = { id: 2, tags: ['a'] };
    issues.set(other);
    other.tags.push('b');
    await connector.fetch('http://c.test/issues', { method: 'POST', body: '{"id":3,"tags":["a"]}' });
    (connector.journal[0]!.json as typeof mine).tags.push('b');
    expect(issues.all().map(({ tags }) => tags)).toEqual([['a'], ['a'], ['a']]);
    connector.reset();
    expect(issues.all().map(({ id, tags }) => [id, tags])).toEqual([[1, ['a']]]);
    const written = { id: 4, due: new Date(0), site: new URL('http://a.test/'), read: () => {} };
    issues.set(written);
    const served = await connector.fetch('http://c.test/issues/4');
    expect(await served.json()).toMatchObject(JSON.parse(JSON.stringify(written)));
  });

  it('can be handled by the same object after `reset()`', async () => {
    const connector = simulateConnector({ session: false, resources: { issues: seed } });
    const issues = connector.resource('issues');
    connector.reset();
    issues.set({ id: 7 });
    expect((await connector.fetch('http://c.test/issues/7')).status).toBe(200);
    await connector.fetch('http://c.test/issues/7', { method: 'DELETE' });
    expect(issues.get(7)).toBeUndefined();
  });

  it('takes interfaces as items', () => {
    interface Issue {
      id: number;
      title: string;
    }
    const mine: Issue = { id: 1, title: 'one' };
    const issues = simulateConnector({ resources: { issues: [] as Issue[] } }).resource('issues');
    expectTypeOf(issues.set(mine).title).toBeUnknown();
    expect(issues.get(1)?.title).toBe('one');
    // @ts-expect-error: an item needs an id
    expect(() => simulateConnector({ resources: { issues: [{ title: 'one' }] } })).toThrow(/`id`/);
  });

  it('lists what it is given by the time of change, otherwise in the order given; without a time it is new', async () => {
    const connector = simulateConnector({
      session: false,
      resources: {
        issues: [
          { id: 'new' },
          { id: 'late', updatedAt: '2020-02-02T00:00:00Z' },
          { id: 'early', updatedAt: '2020-01-01T00:00:00Z' },
          { id: 'also late', updatedAt: '2020-02-02T01:00:00+01:00' },
          { id: 'also new', updatedAt: 'yesterday' },
          { id: 'between', updatedAt: '2020-01-15' },
        ],
      },
      clock: virtualClock(),
    });
    const { items } = (await (await connector.fetch('http://c.test/issues')).json()) as { items: { id: string }[] };
    expect(items.map(({ id }) => id)).toEqual(['early', 'between', 'late', 'also late', 'new', 'also new']);
  });

  it('keeps the times of what it is given', () => {
    const connector = simulateConnector({ resources: { issues: [{ id: 1, updatedAt: '2020-02-29T12:00:00Z' }] } });
    expect(connector.resource('issues').get(1)?.updatedAt).toBe('2020-02-29T12:00:00.000Z');
  });
});

describe('routes', () => {
  it('of GET answer HEAD with their headers, unless HEAD has a route, as in a connector', async () => {
    const { connector } = simulateInProcess({
      session: false,
      routes: {
        'GET /files/:id': ({ method }, { params }) => new Response(params.id, { headers: { 'x-asked': method } }),
        'HEAD /files/own': () => new Response(null, { headers: { 'x-asked': 'own' } }),
        'POST /notes': {},
      },
    });
    const ask = async (path: string) => {
      const response = await connector.fetch(`http://connector.test${path}`, { method: 'HEAD' });
      const { headers } = response;
      return [response.status, headers.get('x-asked'), headers.get('content-length'), await response.text()];
    };
    expect(await ask('/files/seven')).toEqual([200, 'HEAD', '5', '']);
    expect(await ask('/files/own')).toEqual([200, 'own', '0', '']);
    expect(await ask('/notes')).toEqual([404, null, expect.anything(), '']);
  });

  it('answer by method and path, with parameters, query and body', async () => {
    const { client } = simulateInProcess({
      routes: {
        'GET /users/:user/issues/:id': (_request, { params, query, session }) => ({
          params,
          sort: query.get('sort'),
          session,
        }),
        'POST /echo': async (request, { json }) => Response.json({ json, text: await request.text() }, { status: 201 }),
        '/fixed': { any: 'method' },
        '/files/*': (request) => new URL(request.url).pathname,
        '/nothing': () => undefined,
      },
    });
    expect(await client.get('/users/ada%20l/issues/7', { query: { sort: 'new' } })).toEqual({
      params: { user: 'ada l', id: '7' },
      sort: 'new',
      session: 1,
    });
    expect(await client.post('/echo', { json: [1] })).toEqual({ json: [1], text: '[1]' });
    expect(await client.delete('/fixed')).toEqual({ any: 'method' });
    expect(await client.get('/files/a/b.txt')).toBe('/files/a/b.txt');
    expect(await client.get('/nothing')).toBeUndefined();
    await expect(client.get('/users')).rejects.toMatchObject({ kind: 'not-found' });
  });

  it('may have any letters, as they are or percent-encoded', async () => {
    const routes = { 'GET /größe/:id': () => 'one', 'GET /l%C3%A4nge': () => 'other' };
    const { client } = simulateInProcess({ routes });
    expect([await client.get('/größe/7'), await client.get('/länge')]).toEqual(['one', 'other']);
  });

  it('that throw something unforeseen are a 500 that tells nothing (E4); the journal does', async () => {
    const connector = simulateConnector({
      session: false,
      routes: {
        '/broken': () => {
          throw new Error('a secret of the server');
        },
      },
    });
    const answer = await connector.fetch('http://c.test/broken');
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('secret')]);
    expect(connector.journal[0]?.error).toEqual(new Error('a secret of the server'));
  });

  it('may be a connector of one’s own, behind the quota and faults of the simulator', async () => {
    const { createConnector } = await import('concordat/connector');
    const { z } = await import('zod');
    const own = createConnector({
      initialize: { parameters: z.object({}), handler: () => ({ 'x-own': 'unused' }) },
      session: z.object({ 'x-session': z.string() }),
    });
    own.get('/issues/:id', (c) => c.json({ id: c.req.param('id'), session: c.get('session') }));
    const { clock, client } = simulateInProcess({ routes: own, rateLimit: { limit: 1, windowMs: 60_000 } });
    const both = Promise.all([client.get('/issues/7'), client.get('/issues/8')]);
    expect(await clock.runUntil(both)).toEqual([
      { id: '7', session: { 'x-session': 'simulated-session-1' } },
      { id: '8', session: { 'x-session': 'simulated-session-1' } },
    ]);
    expect(clock.monotonic()).toBe(60_000);
  });

  describe('may also answer the logins of a connector with sessions of its own', () => {
    const connectorWithSessions = async () => {
      const { createConnector } = await import('concordat/connector');
      const { NotFoundError } = await import('concordat');
      const { z } = await import('zod');
      const open = new Set<string>();
      const own = createConnector({
        initialize: {
          parameters: z.object({ user: z.string() }),
          handler({ parameters: { user } }) {
            open.add(`${user}-${open.size}`);
            return { 'x-user': `${user}-${open.size - 1}` };
          },
        },
        session: z.object({ 'x-user': z.string() }),
        verify: (session) => open.has(session['x-user']),
        cleanup: { path: '/cleanup', handler: ({ session }) => void open.delete(session['x-user']) },
      });
      own.get('/issues/:id', (c) => {
        if (c.req.param('id') === '0') throw new NotFoundError('no such issue');
        return c.json({ id: c.req.param('id'), user: c.get('session')['x-user'] });
      });
      return { own, open };
    };
    const initialize = { parameters: { user: 'ada' } };

    it.each([undefined, false, { header: 'x-test' }] as const)('with `session: %j`', async (session) => {
      const { own, open } = await connectorWithSessions();
      const { client, connector } = simulateInProcess(
        { routes: own, login: 'routes', session },
        { initialize, cleanup: {} },
      );
      expect(await client.get('/issues/7')).toEqual({ id: '7', user: 'ada-0' });
      expect(await client.get('/issues/8')).toEqual({ id: '8', user: 'ada-0' });
      await expect(client.get('/issues/0')).rejects.toMatchObject({ status: 404 });
      await client.close();
      expect(connector.journal.map(({ kind }) => kind)).toEqual(['login', 'request', 'request', 'request', 'cleanup']);
      expect(open.size).toBe(0);
    });

    it('and the simulator ends such sessions too', async () => {
      const { own, open } = await connectorWithSessions();
      const { client, connector } = simulateInProcess(
        { routes: own, login: 'routes', session: { maxRequests: 1 } },
        { initialize },
      );
      expect(await client.get('/issues/1')).toEqual({ id: '1', user: 'ada-0' });
      expect(await client.get('/issues/2')).toEqual({ id: '2', user: 'ada-1' }); // a second login
      expect(connector.expireSessions()).toBe(1);
      expect(await client.get('/issues/3')).toEqual({ id: '3', user: 'ada-2' });
      open.clear(); // the connector ends them itself
      connector.expireSessions();
      expect(await client.get('/issues/4')).toEqual({ id: '4', user: 'ada-0' });
    });

    it('and refuses what the connector refuses', async () => {
      const { own } = await connectorWithSessions();
      const { client } = simulateInProcess({ routes: own, login: 'routes' }, { initialize: { parameters: {} } });
      await expect(client.get('/issues/1')).rejects.toMatchObject({ name: 'InitializeError', status: 400 });
    });

    it('which needs a fetch handler', () => {
      expect(() => simulateInProcess({ login: 'routes', routes: { 'GET /a': {} } })).toThrow(
        '`login` can be "routes" only if `routes` is a fetch handler, such as a connector.',
      );
    });
  });

  it('lie below `basePath`, and nothing else does', async () => {
    const { client, connector } = simulateInProcess(
      { basePath: '/api/v1', resources: { issues: seed } },
      { baseUrl: 'http://connector.test/api/v1' },
    );
    expect(await client.get('/issues/1')).toMatchObject({ id: 1 });
    expect(connector.journal.map(({ path }) => path)).toEqual(['/initialize', '/issues/1']);
    expect((await connector.fetch('http://connector.test/issues/1')).status).toBe(404);
    expect((await connector.fetch('http://connector.test/api/v10/issues/1')).status).toBe(404);
    const server = await connector.listen();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}/api/v1`);
    await server.close();
  });
});

it.each([
  ['text', [{ id: 'a-1' }], ['1', '7', '07']],
  ['numbers', [{ id: 4 }], [1, 7, '07']],
])('new items have ids of the type of the others: %s', async (_type, issues, ids) => {
  const { client } = simulateInProcess({ resources: { issues } });
  const created = [client.post('/issues', { json: {} })];
  for (const name of ['7', '07']) created.push(client.put(`/issues/${name}`, { json: {} }));
  expect(await Promise.all(created)).toMatchObject(ids.map((id) => ({ id })));
});
