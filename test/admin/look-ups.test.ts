import { RequestLookups } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import type { Answer, MutableUser } from './helpers/admin-host.js';
import { inDays } from './helpers/admin-host.js';
import { accept, connectMcp, initialize } from './helpers/mcp.js';
import { type Administration, startAdministration } from './ui/helpers/administration.js';

interface Counts {
  users: number;
  editions: number;
}

/** An administration whose directory and edition count how often they are asked. */
async function startCounting() {
  const counts: Counts = { users: 0, editions: 0 };
  let users = new Map<string, MutableUser>();
  const directory = {
    async findById(id: string) {
      counts.users += 1;
      return users.get(id);
    },
    async findByUsername(name: string) {
      counts.users += 1;
      return [...users.values()].find(({ username }) => username === name);
    },
  };
  const edition = async () => {
    counts.editions += 1;
    return 'Professional';
  };
  const host = await startAdministration({ admin: { users: directory, edition }, keys: { users: directory, edition } });
  users = host.users;
  const { id, key } = await host.key('u-alice', 'Export');
  const count = async (work: () => Promise<unknown>): Promise<Counts> => {
    Object.assign(counts, { users: 0, editions: 0 });
    await work();
    return { ...counts };
  };
  return { host, id, key, count };
}

/** Fails where an operation failed: a refusal would be cheap to count. */
const succeeds = (response: Answer | { status: number }) => {
  expect(response.status).toBeLessThan(400);
};

const once: Counts = { users: 1, editions: 1 };
// The administration asks again when a request's body has arrived: what ended meanwhile acts no more (K11).
const aroundBody: Counts = { users: 2, editions: 2 };
// An owner who is deleted while the key is made must not keep it: asked once more after the key is written.
const andAfterCreation: Counts = { users: 3, editions: 2 };
// No key, so the edition decides nothing.
const withoutEdition: Counts = { users: 1, editions: 0 };

type Target = { host: Administration; id: string; key: string };

describe('a request asks the directory and the edition once (K11)', () => {
  const api = (method: string, path: (target: Target) => string, body?: object) => (target: Target) =>
    target.host.as(target.key, method, path(target), body);

  it.each<[string, (target: Target) => Promise<Answer>, Counts]>([
    ['GET /me', api('GET', () => '/me'), once],
    ['GET /api-keys', api('GET', () => '/api-keys'), once],
    ['GET /api-keys/{id}', api('GET', ({ id }) => `/api-keys/${id}`), once],
    ['GET /audits', api('GET', ({ id }) => `/audits?apiKeyId=${id}`), once],
    ['POST /api-keys/{id}/revoke', api('POST', ({ id }) => `/api-keys/${id}/revoke`), once],
    ['PATCH /api-keys/{id}', api('PATCH', ({ id }) => `/api-keys/${id}`, { name: 'New' }), aroundBody],
    ['POST /api-keys', api('POST', () => '/api-keys', { name: 'New', expiresOn: inDays(1) }), andAfterCreation],
  ])('Admin API, with a key: %s', async (_, operation, expected) => {
    const { count, ...target } = await startCounting();
    expect(await count(async () => succeeds(await operation(target)))).toEqual(expected);
  });

  it('Admin API, with a password that was right a moment ago', async () => {
    const { host, count } = await startCounting();
    // The first time the user is asked for again when the slow check of the password is over.
    expect(await count(async () => succeeds(await host.as('alice', 'GET', '/api-keys')))).toEqual({
      users: 2,
      editions: 0,
    });
    expect(await count(async () => succeeds(await host.as('alice', 'GET', '/api-keys')))).toEqual(withoutEdition);
    expect(await count(async () => succeeds(await host.as('alice', 'GET', '/me')))).toEqual(once);
  });

  it.each<[string, Record<string, unknown>, Counts]>([
    ['list_api_keys', {}, aroundBody],
    ['get_api_key', {}, aroundBody],
    ['update_api_key', { name: 'New' }, aroundBody],
    ['revoke_api_key', {}, aroundBody],
    ['list_api_key_audits', {}, aroundBody],
    ['create_api_key', { name: 'New', expiresOn: inDays(1) }, andAfterCreation],
  ])('MCP, with a key: %s', async (name, input, expected) => {
    const { host, id, key, count } = await startCounting();
    // Request by request: the official client opens a stream of its own at a moment of its own.
    const headers = ['x-api-key', key, ...accept];
    const begun = await host.send({ method: 'POST', path: '/mcp', headers, body: initialize });
    const session = ['mcp-session-id', String(begun.headers['mcp-session-id'])];
    const given = /get|update|revoke/.test(name) ? { id, ...input } : input;
    const body = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: given } };
    const send = async () => {
      const response = await host.send({ method: 'POST', path: '/mcp', headers: [...headers, ...session], body });
      succeeds(response);
      expect(response.text).toContain('structuredContent');
    };
    expect(await count(send)).toEqual(expected);
  });

  it.each<[string, (id: string) => string]>([
    ['the list', () => '/api-keys'],
    ['one key', (id) => `/api-keys/${id}`],
    ['the form of a new key', () => '/api-keys/new'],
    ['the form of an edit', (id) => `/api-keys/${id}/edit`],
    ['the question before a revocation', (id) => `/api-keys/${id}/revoke`],
    ['the audits', () => '/api-key-audits'],
    ['no page at all', () => '/nowhere'],
    ['no key at all', () => '/api-keys/000000000000'],
  ])('pages: %s', async (_, path) => {
    const { host, id, count } = await startCounting();
    const visitor = await host.visitor('alice');
    expect(await count(() => visitor.request(path(id)))).toEqual(once);
  });

  it.each<[string, (id: string) => string, Record<string, string>, Counts]>([
    ['create', () => '/api-keys/new', { name: 'New', expiry: '7' }, andAfterCreation],
    ['edit', (id) => `/api-keys/${id}/edit`, { name: 'New', expiry: 'keep', version: '1' }, aroundBody],
    ['revoke', (id) => `/api-keys/${id}/revoke`, {}, aroundBody],
  ])('forms: %s', async (_, path, fields, expected) => {
    const { host, id, count } = await startCounting();
    const visitor = await host.visitor('alice');
    const token = visitor.form('/sign-out').fields.get('token')!;
    const body = new URLSearchParams({ token, ...fields });
    const send = async () => succeeds(await visitor.request(path(id), { method: 'POST', body }));
    expect(await count(send)).toEqual(expected);
  });

  it.each<[string, (target: Target) => Promise<unknown>, Counts]>([
    ['authenticate', ({ host, key }) => host.apiKeys.authenticate({ 'x-api-key': key }), once],
    ['isUsable', ({ host, id }) => host.apiKeys.isUsable(id), once],
    ['list', ({ host }) => host.apiKeys.list(alice), withoutEdition],
    ['get', ({ host, id }) => host.apiKeys.get(alice, id), withoutEdition],
    ['audits', ({ host }) => host.apiKeys.audits(alice), withoutEdition],
    ['update', ({ host, id }) => host.apiKeys.update(alice, id, { name: 'New' }), once],
    ['revoke', ({ host, id }) => host.apiKeys.revoke(alice, id), withoutEdition],
    [
      'create',
      ({ host }) => host.apiKeys.create(alice, { name: 'New', expiresOn: inDays(1) }),
      { users: 2, editions: 1 },
    ],
  ])('in code: %s', async (_, operation, expected) => {
    const { count, ...target } = await startCounting();
    expect(await count(() => operation(target))).toEqual(expected);
  });
});

const alice = { userId: 'u-alice', username: 'alice' };

describe('what changes while a request is under way counts (K11)', () => {
  it('a form that arrives after its user was disabled does nothing', async () => {
    const { host, id } = await startCounting();
    const visitor = await host.visitor('alice');
    const token = visitor.form('/sign-out').fields.get('token')!;
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { has } = host.apiKeys.endedSessions;
    const sessionRead = new Promise<void>((resolve) => {
      host.apiKeys.endedSessions.has = async (sessionId) => {
        resolve();
        return await has(sessionId);
      };
    });
    const { finish } = host.sendInParts(
      {
        method: 'POST',
        path: `/api-keys/${id}/revoke`,
        headers: ['cookie', cookie, 'content-type', 'application/x-www-form-urlencoded'],
      },
      'token=',
      encodeURIComponent(token),
    );
    await sessionRead;
    host.users.get('u-alice')!.enabled = false;
    const response = await finish();
    const page = encodeURIComponent(`/api-keys/${id}/revoke`);
    expect([response.status, response.headers.location]).toEqual([303, `/sign-in?next=${page}`]);
    host.users.get('u-alice')!.enabled = true;
    expect(await host.apiKeys.get(alice, id)).toMatchObject({ status: 'Active' });
  });

  it("a host's MCP tool that takes long acts with the rights of that moment", async () => {
    const rights: boolean[] = [];
    const host = await startAdministration({
      admin: {
        mcpTools: [
          {
            name: 'slow',
            description: 'Takes long.',
            async handler(_: unknown, { actor }) {
              rights.push(await host.apiKeys.mayManageAll(actor));
              host.users.get('u-helen')!.permissions = [];
              rights.push(await host.apiKeys.mayManageAll(actor));
              return 'Done';
            },
          },
        ],
      },
    });
    const { client } = await connectMcp(host, 'helen');
    await client.callTool({ name: 'slow', arguments: {} });
    expect(rights).toEqual([true, false]);
  });

  it('lookups are for one request: those that are kept show what was', async () => {
    const { host } = await startCounting();
    const lookups = new RequestLookups();
    const kept = { ...alice, lookups };
    expect(await host.apiKeys.mayManageAll(kept)).toBe(false);
    host.users.get('u-alice')!.enabled = false;
    await expect(host.apiKeys.list(alice)).rejects.toThrow('not active');
    // Control: nothing but an object of this class stands in for the directory.
    await expect(host.apiKeys.list({ ...alice, lookups: { findUser: async () => alice } } as never)).rejects.toThrow(
      'not active',
    );
  });
});

it("pages refuse to create and edit when only the administration's edition has no API keys (K12)", async () => {
  let edition = 'Ultimate';
  const host = await startAdministration({ admin: { edition: async () => edition } });
  const { id } = await host.key('u-alice', 'Export');
  const visitor = await host.visitor('alice');
  const token = visitor.form('/sign-out').fields.get('token')!;
  edition = 'Standard';
  const post = async (path: string, fields: Record<string, string>) =>
    (await visitor.request(path, { method: 'POST', body: new URLSearchParams({ token, ...fields }) })).status;
  expect(await post('/api-keys/new', { name: 'New', expiry: '7' })).toBe(403);
  expect(await post(`/api-keys/${id}/edit`, { name: 'New', expiry: 'keep', version: '1' })).toBe(403);
  expect((await host.apiKeys.list(alice)).items).toMatchObject([{ name: 'Export' }]);
});
