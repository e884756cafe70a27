// Every user directory of the tests answered at once, so dropping one `await` before `findById` (keys of disabled owners are
// then accepted, as a promise is not disabled) survived 470 tests. A check by mutation found it. The shared fixtures are
// asynchronous now; here the directory and the license are slow, and fail.
import type { DirectoryUser, UserDirectory } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { type AdminHost, type Answer, basic, inDays, password, startAdmin } from '../admin/helpers/admin-host.js';
import { accept, beginSession, initialize, openStream } from '../admin/helpers/mcp.js';
import { startAdministration } from '../admin/ui/helpers/administration.js';
import { databaseKinds, emptyDatabase, openForTest } from '../api-keys/helpers/databases.js';
import { ada, root, TestUsers } from '../api-keys/helpers/people.js';
import { track, until } from '../helpers/until.js';

/** Stands between the product and what it asks of the host: answers at once, when the test says so, or not at all. */
class Between {
  failure: Error | undefined;
  held = false;
  readonly #waiting: (() => void)[] = [];

  get asked(): number {
    return this.#waiting.length;
  }

  async ask<T>(answer: () => T): Promise<Awaited<T>> {
    if (this.held) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.failure !== undefined) throw this.failure;
    return await answer();
  }

  /** What is true now is what was asked for. */
  letGo(): void {
    this.held = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const behind = (between: Between, users: () => UserDirectory): UserDirectory => ({
  findById: (id) => between.ask(() => users().findById(id)),
  findByUsername: (name) => between.ask(() => users().findByUsername(name)),
});

describe('API keys over a slow directory', () => {
  const open = async () => {
    const { url } = await emptyDatabase(databaseKinds[0]!);
    const between = new Between();
    const people = new TestUsers(ada, root);
    const users = behind(between, () => people);
    const edition = { name: 'Ultimate' };
    const apiKeys = await openForTest({
      database: url,
      users,
      edition: () => between.ask(() => edition.name),
    });
    const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
    return { apiKeys, apiKey, between, edition, people, headers: { 'x-api-key': key } };
  };
  type Opened = Awaited<ReturnType<typeof open>>;

  /** Holds the directory and the license while this is asked for, and changes something before they answer. */
  async function whileAsked<T>({ between }: Opened, ask: () => Promise<T>, change: () => void) {
    between.held = true;
    const answer = track(ask());
    await until(() => between.asked === 1, 'the host asked');
    expect(answer.settled).toBe(false);
    change();
    between.letGo();
    await until(() => answer.settled, 'an answer');
    return answer;
  }

  it.each<[string, (opened: Opened) => void, string]>([
    ['the owner is disabled', ({ people }) => people.change('u-ada', { enabled: false }), 'owner'],
    ['the owner is deleted', ({ people }) => people.users.delete('u-ada'), 'owner'],
    ['the license lapses', ({ edition }) => Object.assign(edition, { name: 'Standard' }), 'edition'],
  ])('a key does not authenticate when %s before the answer comes', async (_, change, reason) => {
    const opened = await open();
    const { apiKeys, apiKey, headers } = opened;
    const good = await whileAsked(
      opened,
      () => apiKeys.verify(headers),
      () => {},
    );
    expect(good.value).toMatchObject({ outcome: 'authenticated' });
    const bad = await whileAsked(
      opened,
      () => apiKeys.verify(headers),
      () => change(opened),
    );
    expect(bad.value).toEqual({ outcome: 'refused', reason, apiKeyId: apiKey.id });
    expect(await apiKeys.isUsable(apiKey.id)).toBe(false);
  });

  it('nobody acts whom the directory no longer knows, and rights are those that it answers', async () => {
    const opened = await open();
    const { apiKeys, apiKey, people } = opened;
    const demoted = await whileAsked(
      opened,
      () => apiKeys.list(root, { scope: 'all' }),
      () => people.change('u-root', { superAdmin: false }),
    );
    expect(demoted.error).toMatchObject({ kind: 'forbidden' });
    expect(
      (
        await whileAsked(
          opened,
          () => apiKeys.mayManageAll(root),
          () => {},
        )
      ).value,
    ).toBe(false);
    const acts: (() => Promise<unknown>)[] = [
      () => apiKeys.list(ada),
      () => apiKeys.get(ada, apiKey.id),
      () => apiKeys.create(ada, { name: 'New', expiresOn: apiKeys.maxExpiresOn() }),
      () => apiKeys.update(ada, apiKey.id, { name: 'New' }),
      () => apiKeys.revoke(ada, apiKey.id),
      () => apiKeys.audits(ada),
    ];
    for (const act of acts) {
      people.change('u-ada', { enabled: true });
      const refused = await whileAsked(opened, act, () => people.change('u-ada', { enabled: false }));
      expect(refused.error).toMatchObject({ kind: 'forbidden' });
    }
    people.change('u-ada', { enabled: true });
    expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({ name: 'CI', status: 'Active' });
  });

  it('where the directory fails, calls fail because of it (K19); nobody is let in, and nothing is noted', async () => {
    const { apiKeys, apiKey, between, headers } = await open();
    between.failure = new Error('directory is gone');
    // One after the other: on PostgreSQL, a later one would fail before anybody listens.
    const calls: (() => Promise<unknown>)[] = [
      () => apiKeys.verify(headers),
      () => apiKeys.authenticate(headers),
      () => apiKeys.isUsable(apiKey.id),
      () => apiKeys.isAvailable(),
      () => apiKeys.mayManageAll(root),
      () => apiKeys.list(ada),
      () => apiKeys.create(ada, { name: 'New', expiresOn: apiKeys.maxExpiresOn() }),
      () => apiKeys.revoke(ada, apiKey.id),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ kind: 'unavailable', cause: between.failure });
    }
    between.failure = undefined;
    expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({ status: 'Active', lastAccessed: null });
    expect(await apiKeys.authenticate(headers)).toBeDefined();
  });
});

describe('the administration over a slow directory', () => {
  /** `keys: false`: the host opened the keys without its directory and license, so that only the administration asks. */
  const start = async ({ keys }: { keys: boolean }) => {
    const between = new Between();
    const edition = { name: 'Professional' };
    const license = () => between.ask(() => edition.name);
    let host: AdminHost | undefined;
    const byName = (name: string) => [...(host?.users.values() ?? [])].find(({ username }) => username === name);
    const people: UserDirectory = {
      findById: async (id) => host?.users.get(id),
      findByUsername: async (n) => byName(n),
    };
    const users = behind(between, () => people);
    const administration = await startAdministration({
      admin: { users, edition: license },
      keys: keys ? { users, edition: license } : { users: undefined },
    });
    host = administration;
    const { key } = await administration.key('u-alice', 'Export');
    return { host: administration, between, edition, key };
  };
  type Started = Awaited<ReturnType<typeof start>>;

  const requests: Record<string, (started: Started) => Promise<Answer>> = {
    'a key': ({ host, key }) => host.send({ path: '/api/v1/me', headers: ['x-api-key', key] }),
    Basic: ({ host }) => host.send({ path: '/api/v1/me', headers: basic('alice') }),
    'a key at the MCP endpoint': ({ host, key }) =>
      host.send({ method: 'POST', path: '/mcp', headers: ['x-api-key', key, ...accept], body: initialize }),
  };

  describe.each([
    ['keys that ask as well', { keys: true }],
    ['keys that ask nobody', { keys: false }],
  ])('%s', (_, options) => {
    it.each(Object.entries(requests))('%s waits for the answer, and for the user who is then found', async (_, ask) => {
      const started = await start(options);
      const { host, between } = started;
      for (const [enabled, status] of [
        [true, 200],
        [false, 401],
      ] as const) {
        between.held = true;
        const answer = track(ask(started));
        await until(() => between.asked === 1, 'the host asked');
        expect(answer.settled).toBe(false);
        host.users.get('u-alice')!.enabled = enabled;
        between.letGo();
        await until(() => answer.settled, 'an answer');
        expect(answer.value?.status).toBe(status);
      }
    });

    it.each(Object.entries(requests))(
      '%s gets a 503 where the directory fails (K19), and is let in afterwards',
      async (_, ask) => {
        const started = await start(options);
        const { host, between } = started;
        between.failure = new Error('directory is gone');
        const { status, text } = await ask(started);
        expect([status, text.includes('directory is gone')]).toEqual([503, false]);
        expect(host.errors).toEqual([expect.objectContaining({ kind: 'unavailable', cause: between.failure })]);
        expect(host.failures).toEqual([]);
        between.failure = undefined;
        expect((await ask(started)).status).toBe(200);
      },
    );

    it('a license that has lapsed by the time of the answer lets no key in, and none be made', async () => {
      const started = await start(options);
      const { host, edition, key } = started;
      expect((await host.as(key, 'GET', '/me')).status).toBe(200);
      edition.name = 'Standard';
      expect((await host.as(key, 'GET', '/me')).status).toBe(401);
      const input = { name: 'New', expiresOn: inDays(1) };
      expect((await host.as('alice', 'POST', '/api-keys', input)).status).toBe(403);
      expect((await host.as('alice', 'GET', '/me')).body).toMatchObject({
        edition: 'Standard',
        rights: { createApiKeys: false },
      });
    });
  });

  it('signing in waits, and is a 503 where the directory fails (K19)', async () => {
    const { host, between } = await start({ keys: true });
    const visitor = await host.visitor();
    for (const user of ['alice', 'nobody']) {
      await visitor.open('/sign-in');
      between.failure = new Error('directory is gone');
      await visitor.submit('/sign-in', { username: user, password });
      expect(visitor.page.status).toBe(503);
      between.failure = undefined;
    }
    await visitor.open('/sign-in');
    expect((await visitor.submit('/sign-in', { username: 'alice', password })).path).toBe('/api-keys');
    between.failure = new Error('directory is gone');
    expect((await visitor.open('/api-keys')).status).toBe(503);
    between.failure = undefined;
    host.users.get('u-alice')!.enabled = false;
    expect((await visitor.open('/api-keys')).path).toMatch(/^\/sign-in/);
  });

  it('a user who is disabled or given a new password while theirs is checked does not get in', async () => {
    const { host, between } = await start({ keys: true });
    const { passwordHash } = host.users.get('u-alice')!;
    const changes: [Partial<DirectoryUser>, number][] = [
      [{}, 200],
      [{ enabled: false }, 401],
      [{ passwordHash: '$other' }, 401],
    ];
    for (const [change, status] of changes) {
      host.users.set('u-alice', { id: 'u-alice', username: 'alice', passwordHash });
      // Past what was right a moment ago: the password is checked again.
      await host.clock.advance(5 * 60_000);
      between.held = true;
      const answer = track(host.send({ path: '/api/v1/me', headers: basic('alice') }));
      await until(() => between.asked === 1, 'the user looked up');
      between.letGo();
      between.held = true;
      await until(() => between.asked === 1, 'the user looked up after the check');
      Object.assign(host.users.get('u-alice')!, change);
      between.letGo();
      await until(() => answer.settled, 'an answer');
      expect(answer.value?.status).toBe(status);
    }
  });

  it('streams end when it cannot be found out whether they are good, and not before', async () => {
    const between = new Between();
    let host: AdminHost | undefined;
    const people: UserDirectory = {
      findById: async (id) => host?.users.get(id),
      findByUsername: async () => undefined,
    };
    host = await startAdmin({ admin: { users: behind(between, () => people) } });
    const { key } = await host.key('u-alice', 'Export');
    const credentials = ['x-api-key', key];
    const stream = await openStream(host, credentials, await beginSession(host, credentials));
    await host.clock.advance(1000);
    expect(stream.isOpen).toBe(true);
    between.failure = new Error('directory is gone');
    await host.clock.advance(1000);
    await stream.ended;
    expect(host.errors).toEqual([expect.objectContaining({ kind: 'unavailable', cause: between.failure })]);
  });
});
