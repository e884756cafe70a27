import { describe, expect, it } from 'vitest';
import { type AdminHost, basic, inDays, startAdmin } from './helpers/admin-host.js';

const create = (host: AdminHost, user: string, body: unknown) => host.as(user, 'POST', '/api-keys', body);

describe('creating (specification 3, K1, K16)', () => {
  it('answers 201 with the key, its value and where it is found', async () => {
    const host = await startAdmin();
    const answer = await create(host, 'alice', { name: '  Nightly export ', expiresOn: '2027-01-31T18:00:00+01:00' });
    expect(answer.status).toBe(201);
    const { id, key, ...rest } = answer.body;
    expect(key).toMatch(/^ck_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
    expect(key.split('_')[1]).toBe(id);
    expect(rest).toEqual({
      name: 'Nightly export',
      description: null,
      status: 'Active',
      createdBy: { id: 'u-alice', username: 'alice' },
      createdOn: '2026-11-21T09:00:00.000Z',
      expiresOn: '2027-01-31T17:00:00.000Z',
      lastAccessed: null,
      recentUses: [],
      revokedOn: null,
      refusedUses: 0,
      lastRefusedOn: null,
      version: 1,
    });
    expect(answer.headers.location).toBe(`/api/v1/api-keys/${id}`);
    expect(answer.headers['cache-control']).toBe('no-store');
    const found = await host.send({
      path: answer.headers.location as string,
      headers: ['x-api-key', key, 'user-agent', 'test'],
    });
    expect(found.status).toBe(200);
    const lastAccessed = '2026-11-21T09:00:00.000Z';
    const recentUses = [{ address: '127.0.0.1', userAgent: 'test', lastUsedOn: lastAccessed }];
    expect(found.body).toEqual({ ...rest, id, lastAccessed, recentUses });
  });

  it.each<[string, unknown, { field: string; message: string }[]]>([
    [
      'name taken',
      { name: 'Taken', expiresOn: inDays(1) },
      [{ field: 'name', message: 'API key name must be unique.' }],
    ],
    [
      'expiry now',
      { name: 'New', expiresOn: inDays(0) },
      [{ field: 'expiresOn', message: 'Expiry date must be a future datetime.' }],
    ],
    [
      'expiry too late',
      { name: 'New', expiresOn: '2027-11-22T00:00:00Z' },
      [{ field: 'expiresOn', message: 'Expiration date cannot exceed 1 year from today.' }],
    ],
    [
      'both wrong',
      { name: 'Taken', expiresOn: inDays(-1) },
      [
        { field: 'name', message: 'API key name must be unique.' },
        { field: 'expiresOn', message: 'Expiry date must be a future datetime.' },
      ],
    ],
    [
      'both missing',
      {},
      [
        { field: 'name', message: 'API key name is required.' },
        { field: 'expiresOn', message: 'Expiry date is required.' },
      ],
    ],
  ])('%s: 400 with the exact messages, and nothing is saved (specification 7.1, K13)', async (_, body, fieldErrors) => {
    const host = await startAdmin();
    await host.key('u-bob', 'Taken');
    const answer = await create(host, 'alice', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      errorMessage: fieldErrors.map(({ message }) => message).join(' '),
      stackTrace: null,
      fieldErrors,
    });
    expect((await host.as('alice', 'GET', '/api-keys')).body.items).toEqual([]);
  });

  it('the latest expiry that `me` names is accepted, a millisecond more is not (K4)', async () => {
    const host = await startAdmin();
    const { maxExpiresOn } = (await host.as('alice', 'GET', '/me')).body;
    expect(maxExpiresOn).toBe('2027-11-21T23:59:59.999Z');
    expect((await create(host, 'alice', { name: 'Last moment', expiresOn: maxExpiresOn })).status).toBe(201);
    expect((await create(host, 'alice', { name: 'Too late', expiresOn: '2027-11-22T00:00:00.000Z' })).status).toBe(400);
  });

  it('the owner is the caller, whatever the body, the query or a header says (K16)', async () => {
    const host = await startAdmin();
    const owner = { userId: 'u-root', id: 'u-root', username: 'root' };
    const answer = await host.send({
      method: 'POST',
      path: '/api/v1/api-keys?userId=u-root&owner=u-root',
      headers: [...basic('alice'), 'x-user-id', 'u-root'],
      body: {
        name: 'Export',
        expiresOn: inDays(1),
        ...owner,
        owner,
        createdBy: owner,
        created_by: 'u-root',
        owner_id: 'u-root',
        actor: owner,
        superAdmin: true,
        status: 'Revoked',
        key: 'ck_mine',
        origin: 'System',
      },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ createdBy: { id: 'u-alice', username: 'alice' }, status: 'Active' });
    expect(answer.body.id).not.toBe('u-root');
    const audits = (await host.as('alice', 'GET', '/audits')).body.items;
    expect(audits).toMatchObject([{ author: { id: 'u-alice', username: 'alice' }, origin: 'API' }]);
  });

  it('two at once with one name: one is created, one gets 400 (K3)', async () => {
    const host = await startAdmin();
    const body = { name: 'Race', expiresOn: inDays(1) };
    const answers = await Promise.all([create(host, 'alice', body), create(host, 'bob', body)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
  });
});

describe('reading (specification 4, K7)', () => {
  it('own keys without a scope; everybody may ask for `my`, only the privileged for `all`', async () => {
    const host = await startAdmin();
    await host.key('u-alice', 'A');
    await host.key('u-bob', 'B');
    const names = async (user: string, query = '') => {
      const { status, body } = await host.as(user, 'GET', `/api-keys${query}`);
      return status === 200 ? body.items.map((item: { name: string }) => item.name).sort() : status;
    };
    expect(await names('alice')).toEqual(['A']);
    expect(await names('alice', '?scope=my')).toEqual(['A']);
    expect(await names('alice', '?scope=all')).toBe(403);
    for (const privileged of ['helen', 'root']) {
      expect(await names(privileged)).toEqual([]);
      expect(await names(privileged, '?scope=all')).toEqual(['A', 'B']);
    }
  });

  it("somebody else's key is answered as one that does not exist, byte for byte", async () => {
    const host = await startAdmin();
    const { id } = await host.key('u-alice', 'Export');
    for (const [method, suffix, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'Mine' }],
      ['POST', '/revoke', undefined],
    ] as const) {
      const foreign = await host.as('mallory', method, `/api-keys/${id}${suffix}`, body);
      const unknown = await host.as('mallory', method, `/api-keys/AAAAAAAAAAAA${suffix}`, body);
      expect(foreign.status).toBe(404);
      expect(foreign.text).toBe(unknown.text);
      expect(foreign.body).toEqual({ errorMessage: 'API key not found.', stackTrace: null });
    }
    expect((await host.as('mallory', 'GET', `/audits?apiKeyId=${id}`)).status).toBe(404);
    expect((await host.as('helen', 'GET', `/api-keys/${id}`)).status).toBe(200);
    expect((await host.as('alice', 'GET', `/api-keys/${id}`)).body).toMatchObject({ status: 'Active' });
  });

  it('pages, sorts, searches, filters by status and counts', async () => {
    const host = await startAdmin();
    for (const name of ['c', 'a', 'b', 'd']) await host.key('u-alice', name);
    const { id } = await host.key('u-alice', 'revoked');
    await host.as('alice', 'POST', `/api-keys/${id}/revoke`);
    const names: string[] = [];
    let path = '/api-keys?sort=name&limit=2&status=Active&total=true';
    for (let page = 0; page < 2; page++) {
      const { body } = await host.as('alice', 'GET', path);
      expect(body.total).toBe(4);
      names.push(...body.items.map((item: { name: string }) => item.name));
      expect(body.nextCursor === null).toBe(page === 1);
      path = `${path}&cursor=${encodeURIComponent(body.nextCursor)}`;
    }
    expect(names).toEqual(['a', 'b', 'c', 'd']);
    const searched = (await host.as('alice', 'GET', '/api-keys?search=REVO')).body;
    expect(searched.items).toMatchObject([{ name: 'revoked', status: 'Revoked' }]);
    expect(searched).not.toHaveProperty('total');
    for (const total of ['1', 'yes']) {
      expect((await host.as('alice', 'GET', `/api-keys?total=${total}`)).status).toBe(400);
    }
    expect((await host.as('alice', 'GET', '/api-keys?status=&search=&cursor=&limit=')).body.items).toHaveLength(5);
  });

  it('whose keys is not left out by an empty parameter, as of an unset variable', async () => {
    const host = await startAdmin();
    const { status, body } = await host.as('root', 'GET', '/api-keys?scope=all&createdBy=');
    expect([status, body.fieldErrors]).toEqual([
      400,
      [{ field: 'createdBy', message: '`createdBy` must not be empty.' }],
    ]);
    expect((await host.as('root', 'GET', '/api-keys?scope=all&createdBy=%20')).status).toBe(400);
    for (const path of ['/audits?apiKeyId=', '/audits/export?format=csv&apiKeyId=']) {
      const answer = await host.as('root', 'GET', path);
      const fieldErrors = [{ field: 'apiKeyId', message: '`apiKeyId` must not be empty.' }];
      expect([answer.status, answer.body.fieldErrors]).toEqual([400, fieldErrors]);
    }
    expect((await host.as('root', 'GET', '/audits?apiKeyId=x')).status).toBe(404);
    await expect(
      host.apiKeys.list({ userId: 'u-root', username: 'root', origin: 'API' }, { scope: 'all', createdBy: '' }),
    ).rejects.toMatchObject({ kind: 'validation' });
  });

  it('the answer to HEAD has no body', async () => {
    const host = await startAdmin();
    const answer = await host.as('alice', 'HEAD', '/api-keys');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('');
  });
});

describe('editing (specification 3, K13, K17)', () => {
  it('changes what is given and leaves the rest', async () => {
    const host = await startAdmin();
    const { id } = await host.key('u-alice', 'Export');
    const renamed = await host.as('alice', 'PATCH', `/api-keys/${id}`, { name: 'Import' });
    expect(renamed.status).toBe(200);
    expect(renamed.body).toMatchObject({ name: 'Import', expiresOn: inDays(30), version: 2 });
    expect(renamed.body).not.toHaveProperty('key');
    const moved = await host.as('alice', 'PATCH', `/api-keys/${id}`, { expiresOn: '2027-03-31' });
    expect(moved.body).toMatchObject({ name: 'Import', expiresOn: '2027-03-31T23:59:59.999Z', version: 3 });
  });

  it('the same validations as on create', async () => {
    const host = await startAdmin();
    const { id } = await host.key('u-alice', 'Export');
    await host.key('u-bob', 'Taken');
    const answer = await host.as('alice', 'PATCH', `/api-keys/${id}`, { name: 'Taken', expiresOn: '2030-01-01' });
    expect(answer.status).toBe(400);
    expect(answer.body.fieldErrors).toEqual([
      { field: 'name', message: 'API key name must be unique.' },
      { field: 'expiresOn', message: 'Expiration date cannot exceed 1 year from today.' },
    ]);
    expect((await host.as('alice', 'PATCH', `/api-keys/${id}`, { name: null })).status).toBe(400);
  });

  it('a body with nothing to change is refused, so that a misspelt field does not look like a success', async () => {
    const host = await startAdmin();
    const { id } = await host.key('u-alice', 'Export');
    for (const body of [{}, { expires_on: inDays(2) }, { createdBy: { id: 'u-alice' } }, { version: 1 }]) {
      const answer = await host.as('alice', 'PATCH', `/api-keys/${id}`, body);
      expect(answer.status).toBe(400);
      expect(answer.body.errorMessage).toBe('Give `name`, `description` or `expiresOn`: there is nothing to change.');
    }
  });

  it('an edit of an older version is refused, one of the current version is not', async () => {
    const host = await startAdmin();
    const { id } = await host.key('u-alice', 'Export');
    const edit = (name: string, version: unknown) => host.as('alice', 'PATCH', `/api-keys/${id}`, { name, version });
    expect((await edit('Second', 1)).status).toBe(200);
    expect((await edit('Third', 1)).status).toBe(409);
    expect((await edit('Third', 2)).status).toBe(200);
    expect((await edit('Fourth', '3')).body.fieldErrors).toEqual([
      { field: 'version', message: '`version` must be a whole number.' },
    ]);
  });

  it('neither editing nor revoking brings an Expired or a Revoked key back: 409', async () => {
    const host = await startAdmin();
    const { id: revoked } = await host.key('u-alice', 'Revoked');
    const { id: expired } = await host.key('u-alice', 'Expired', inDays(1));
    await host.as('alice', 'POST', `/api-keys/${revoked}/revoke`);
    await host.clock.advance(86_400_000);
    for (const [id, status] of [
      [revoked, 'Revoked'],
      [expired, 'Expired'],
    ]) {
      const edited = await host.as('alice', 'PATCH', `/api-keys/${id}`, { expiresOn: inDays(9) });
      expect(edited.status).toBe(409);
      expect(edited.body).toEqual({
        errorMessage: `Only an Active API key can be edited; this one is ${status}.`,
        stackTrace: null,
      });
      const again = await host.as('alice', 'POST', `/api-keys/${id}/revoke`);
      expect(again.status).toBe(409);
      expect(again.body.errorMessage).toBe(`Only an Active API key can be revoked; this one is ${status}.`);
      expect((await host.as('alice', 'GET', `/api-keys/${id}`)).body.status).toBe(status);
    }
  });
});

describe('revoking (specification 3)', () => {
  it('the key stays in the list as Revoked; the privileged revoke keys of others', async () => {
    const host = await startAdmin();
    const { id } = await host.key('u-alice', 'Export');
    const answer = await host.as('helen', 'POST', `/api-keys/${id}/revoke`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, status: 'Revoked', revokedOn: '2026-11-21T09:00:00.000Z' });
    expect((await host.as('alice', 'GET', '/api-keys')).body.items).toMatchObject([{ id, status: 'Revoked' }]);
  });

  it('a key may revoke itself, and is refused from then on', async () => {
    const host = await startAdmin();
    const { id, key } = await host.key('u-alice', 'Export');
    expect((await host.as(key, 'POST', `/api-keys/${id}/revoke`)).status).toBe(200);
    expect((await host.as(key, 'GET', '/me')).status).toBe(401);
  });
});

describe('audits (specification 2.2 and 6, K6, K15)', () => {
  it('tells who changed what from where, newest first, and names the acting key', async () => {
    const host = await startAdmin();
    const created = (await create(host, 'alice', { name: 'Export', expiresOn: inDays(1) })).body;
    const acting = await host.key('u-helen', 'Automation');
    await host.as('alice', 'PATCH', `/api-keys/${created.id}`, { name: 'Import' });
    await host.as(acting.key, 'POST', `/api-keys/${created.id}/revoke`);
    // Helen may see the key that acted; whom it is hidden from is in test/regressions.
    const answer = await host.as('helen', 'GET', `/audits?scope=all&apiKeyId=${created.id}`);
    expect(answer.status).toBe(200);
    expect(answer.body.nextCursor).toBeNull();
    expect(answer.body.items).toMatchObject([
      {
        apiKeyId: created.id,
        name: 'Import',
        author: { id: 'u-helen', username: 'helen' },
        actingApiKey: { id: acting.id, name: 'Automation' },
        changeTime: '2026-11-21T09:00:00.000Z',
        revisionType: 'Revoke',
        changes: [{ field: 'status', from: 'Active', to: 'Revoked' }],
        origin: 'API',
      },
      {
        revisionType: 'Update',
        author: { id: 'u-alice' },
        actingApiKey: null,
        changes: [{ field: 'name', from: 'Export', to: 'Import' }],
      },
      { revisionType: 'Create', name: 'Export' },
    ]);
  });

  it('filters and pages; the unprivileged see the trail of their own keys only', async () => {
    const host = await startAdmin();
    await create(host, 'alice', { name: 'A', expiresOn: inDays(1) });
    await create(host, 'bob', { name: 'B', expiresOn: inDays(1) });
    const names = async (user: string, query = '') =>
      (await host.as(user, 'GET', `/audits${query}`)).body.items.map((item: { name: string }) => item.name);
    expect(await names('alice')).toEqual(['A']);
    expect(await names('root')).toEqual(['B', 'A']);
    expect(await names('root', '?scope=my')).toEqual([]);
    expect(await names('root', '?revisionType=Revoke')).toEqual([]);
    expect((await host.as('alice', 'GET', '/audits?scope=all')).status).toBe(403);
    const { nextCursor } = (await host.as('root', 'GET', '/audits?limit=1')).body;
    expect(await names('root', `?limit=1&cursor=${nextCursor}`)).toEqual(['A']);
  });
});

describe('me', () => {
  it('tells a key how long it still holds, and what its owner may do', async () => {
    const host = await startAdmin();
    const { id, key } = await host.key('u-helen', 'Export', inDays(14));
    await host.clock.advance(1);
    const answer = await host.as(key, 'GET', '/me');
    expect(answer.body).toEqual({
      user: { id: 'u-helen', username: 'helen' },
      rights: { createApiKeys: true, manageAllApiKeys: true },
      edition: 'Professional',
      maxExpiresOn: '2027-11-21T23:59:59.999Z',
      authenticatedBy: 'api-key',
      apiKey: { id, name: 'Export', status: 'Active', expiresOn: inDays(14), daysLeft: 13 },
    });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('says nothing of rights that are not there, nor of password hashes', async () => {
    const host = await startAdmin();
    const answer = await host.as('alice', 'GET', '/me');
    expect(answer.body).toMatchObject({ rights: { manageAllApiKeys: false }, authenticatedBy: 'basic', apiKey: null });
    expect(answer.text).not.toContain('scrypt');
  });
});

describe('routes and methods', () => {
  it('an unknown route is 404 in the body of the Admin API, and 401 before that', async () => {
    const host = await startAdmin();
    for (const path of [
      '/api',
      '/api/',
      '/api/v1',
      '/api/v2/me',
      '/api/v1/users',
      '/api/v1/api-keys/',
      '/api/v1/me/x',
    ]) {
      const answer = await host.send({ path, headers: basic('alice') });
      expect(answer.status, path).toBe(404);
      expect(answer.body).toEqual({ errorMessage: 'There is no such resource.', stackTrace: null });
      expect((await host.send({ path })).status).toBe(401);
    }
  });

  it.each([
    ['PUT', '/api-keys', 'POST, GET, HEAD'],
    ['DELETE', '/api-keys/AAAAAAAAAAAA', 'GET, HEAD, PATCH'],
    ['GET', '/api-keys/AAAAAAAAAAAA/revoke', 'POST'],
    ['DELETE', '/audits', 'GET, HEAD'],
    ['OPTIONS', '/me', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
  ])('%s %s is 405 with Allow: %s', async (method, path, allow) => {
    const host = await startAdmin();
    const answer = await host.as('alice', method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
    expect(answer.body).toEqual({ errorMessage: `This resource supports only ${allow}.`, stackTrace: null });
    expect((await host.send({ method, path: `/api/v1${path}` })).status).toBe(401);
  });

  it('a failure that nobody planned is a 500 that tells nothing; the host is told', async () => {
    const host = await startAdmin();
    const { key } = await host.key('u-alice', 'Export');
    await host.apiKeys.close();
    const answer = await host.as(key, 'GET', '/me');
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ errorMessage: 'The request failed unexpectedly.', stackTrace: null });
    expect(host.errors).toMatchObject([{ message: 'These API keys have been closed.' }]);
  });
});
