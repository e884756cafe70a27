import { createHash } from 'node:crypto';
import type { DirectoryUser } from 'concordat/api-keys';
import { hashPassword, isPasswordHash } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { cheapHash } from '../helpers/cheap-hash.js';
import { basic, password, startAdmin } from './helpers/admin-host.js';
import { startAdministration } from './ui/helpers/administration.js';
import { textOf } from './ui/helpers/html.js';

const own = (secret: string) => `own:${createHash('sha256').update(secret).digest('hex')}`;
const bcrypt = '$2b$12$GhvMmNVjRW29ulnudl.LbuAnUtN/LRfe1JsBm1Xu6LE3059z5Tr8m';
const me = { path: '/api/v1/me' };

describe('`verifyPassword`', () => {
  it("checks Basic and sign-in against the host's own hashes; a right one is not checked again", async () => {
    const asked: string[] = [];
    const verifyPassword = async (user: DirectoryUser, given: string) => {
      asked.push(user.username);
      return user.passwordHash === own(given);
    };
    const host = await startAdministration({ admin: { verifyPassword } });
    host.users.get('u-alice')!.passwordHash = own('s3cret');
    expect((await host.send({ ...me, headers: basic('alice', 's3cret') })).status).toBe(200);
    expect((await host.send({ ...me, headers: basic('alice', 's3cret') })).status).toBe(200);
    expect(asked).toEqual(['alice']);
    expect((await host.send({ ...me, headers: basic('alice', 'wrong') })).status).toBe(401);
    expect((await host.send({ ...me, headers: basic('nobody', 's3cret') })).status).toBe(401);
    // A new hash counts at once.
    host.users.get('u-alice')!.passwordHash = own('n3w');
    expect((await host.send({ ...me, headers: basic('alice', 's3cret') })).status).toBe(401);
    expect((await host.send({ ...me, headers: basic('alice', 'n3w') })).status).toBe(200);
    const visitor = await host.visitor();
    expect((await visitor.signIn('alice', 'n3w')).path).toBe('/api-keys');
  });

  it.each([undefined, null, ''])(
    'with a `passwordHash` of %j, every request is checked: nothing would tell that it has changed',
    async (none) => {
      let accepted = 's3cret';
      const host = await startAdmin({ admin: { verifyPassword: (_, given) => given === accepted } });
      host.users.get('u-alice')!.passwordHash = none as never;
      expect((await host.send({ ...me, headers: basic('alice', 's3cret') })).status).toBe(200);
      accepted = 'n3w';
      expect((await host.send({ ...me, headers: basic('alice', 's3cret') })).status).toBe(401);
    },
  );

  it('is not asked about an empty password, which a directory (LDAP) may take for an anonymous sign-in', async () => {
    const host = await startAdministration({ admin: { verifyPassword: () => true } });
    expect((await host.send({ ...me, headers: basic('alice', '') })).status).toBe(401);
    expect((await (await host.visitor()).signIn('alice', '')).status).toBe(401);
    expect((await host.send({ ...me, headers: basic('alice', 'x') })).status).toBe(200);
  });

  it.each<[string, unknown]>([
    ['a promise of something else', Promise.resolve({ ok: false })],
    ['text', 'false'],
    ['1', 1],
  ])('only `true` signs in: not %s', async (_, returned) => {
    const host = await startAdmin({ admin: { verifyPassword: () => returned as boolean } });
    expect((await host.send({ ...me, headers: basic('alice') })).status).toBe(401);
  });

  it('a disabled user is refused, and a failing check is a 503 that counts as no failure', async () => {
    let down = true;
    const verifyPassword = () => {
      if (down) throw new Error('no database');
      return true;
    };
    const host = await startAdmin({ admin: { verifyPassword } });
    for (let attempt = 0; attempt < 15; attempt++) {
      expect((await host.send({ ...me, headers: basic('alice') })).status).toBe(503);
    }
    expect(host.errors[0]).toMatchObject({ cause: { message: 'no database' } });
    down = false;
    expect((await host.send({ ...me, headers: basic('alice') })).status).toBe(200);
    host.users.get('u-bob')!.enabled = false;
    expect((await host.send({ ...me, headers: basic('bob') })).status).toBe(401);
  });
});

describe('a stored hash that cannot be read', () => {
  it('is told to the host and is not called a wrong password', async () => {
    const host = await startAdministration();
    host.users.get('u-alice')!.passwordHash = bcrypt;
    const api = await host.send({ ...me, headers: basic('alice') });
    expect([api.status, api.body.errorMessage]).toEqual([500, 'The request failed unexpectedly.']);
    const visitor = await host.visitor();
    const page = await visitor.signIn('alice', password);
    expect([page.status, textOf(page.html).includes('password is wrong')]).toEqual([500, false]);
    const message = 'The `passwordHash` of user u-alice is not from `hashPassword`: give `verifyPassword`.';
    expect(host.errors).toMatchObject([{ message }, { message }]);
    expect(host.failures).toEqual([]);
    // Others sign in; a user without any hash, such as one of single sign-on, has no password that is right.
    expect((await host.send({ ...me, headers: basic('bob') })).status).toBe(200);
    for (const none of [undefined, null, '']) {
      host.users.get('u-bob')!.passwordHash = none as never;
      expect((await host.send({ ...me, headers: basic('bob') })).status).toBe(401);
    }
  });

  it('counts as a failed attempt, so that nobody tries names by it', async () => {
    const host = await startAdmin();
    host.users.get('u-alice')!.passwordHash = bcrypt;
    const statuses = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      statuses.push((await host.send({ ...me, headers: basic('alice', `${attempt}`) })).status);
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(500));
    expect(statuses.at(-1)).toBe(429);
  });

  it('`isPasswordHash` tells them apart', async () => {
    expect([isPasswordHash(await hashPassword('x')), isPasswordHash(bcrypt), isPasswordHash('')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('a `findById` without the `passwordHash` that `findByUsername` returns', () => {
  it.each<[string, string | undefined]>([
    ['none', undefined],
    ['another one', cheapHash('other')],
  ])('is told to the host at every request: %s', async (_, passwordHash) => {
    const alice = { id: 'u-alice', username: 'alice' };
    const stored = cheapHash(password);
    const users = {
      findById: async () => ({ ...alice, passwordHash }),
      findByUsername: async () => ({ ...alice, passwordHash: stored }),
    };
    const host = await startAdministration({ admin: { users }, keys: { users } });
    const statuses = [];
    for (let request = 0; request < 3; request++) {
      statuses.push((await host.send({ ...me, headers: basic('alice') })).status);
    }
    statuses.push((await (await host.visitor()).signIn('alice', password)).status);
    expect(statuses).toEqual([500, 500, 500, 500]);
    const message =
      '`users.findById` returned the user u-alice without the `passwordHash` that `findByUsername` returns.';
    expect(host.errors).toMatchObject(Array(4).fill({ message }));
    // A wrong password is one.
    expect((await host.send({ ...me, headers: basic('alice', 'wrong') })).status).toBe(401);
    expect(host.failures).toEqual([{ reason: 'password' }]);
  });

  it('is none when the password has changed meanwhile', async () => {
    const host = await startAdmin({
      admin: {
        verifyPassword: (user) => {
          host.users.get(user.id)!.passwordHash = cheapHash('n3w');
          return true;
        },
      },
    });
    expect((await host.send({ ...me, headers: basic('alice') })).status).toBe(401);
    expect(host.errors).toEqual([]);
  });
});
