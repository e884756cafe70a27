import { type OpenApiKeysOptions, openApiKeys } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada } from './helpers/people.js';
import { refusalOf } from './helpers/rejections.js';

describe.each(databaseKinds)('editions on $name (K12)', (kind) => {
  const open = async (edition: OpenApiKeysOptions['edition']) => {
    const { url } = await emptyDatabase(kind);
    const apiKeys = await openForTest({ database: url, edition });
    return { apiKeys, create: (name: string) => apiKeys.create(ada, { name, expiresOn: apiKeys.maxExpiresOn() }) };
  };

  it.each(['Professional', 'Ultimate'])('%s has API keys', async (edition) => {
    const { apiKeys, create } = await open(edition);
    expect(await apiKeys.isAvailable()).toBe(true);
    const { key } = await create('CI');
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toBeDefined();
  });

  it.each(['Community', 'Standard', 'professional', 'Professional ', 'toString'])('"%s" has none', async (edition) => {
    const { apiKeys, create } = await open(edition);
    expect(await apiKeys.isAvailable()).toBe(false);
    expect(await refusalOf(create('CI'))).toMatchObject({
      kind: 'forbidden',
      message: 'API keys are available only in the Professional and Ultimate editions.',
    });
  });

  it.each(['professional', 'ULTIMATE', 'Professional '])(
    '"%s" is reported, because it looks like a mistake',
    async (edition) => {
      const { url } = await emptyDatabase(kind);
      const errors: unknown[] = [];
      await openForTest({ database: url, edition, onError: (error) => errors.push(error) });
      expect(errors.map(String)).toContainEqual(expect.stringContaining('`edition` has no API keys; did you mean "'));
    },
  );

  it.each(['Professional', 'Community', () => 'professional'])('%s is not (control)', async (edition) => {
    const { url } = await emptyDatabase(kind);
    const errors: unknown[] = [];
    await openForTest({ database: url, edition, onError: (error) => errors.push(error) });
    expect(errors.map(String).filter((error) => error.includes('`edition`'))).toEqual([]);
  });

  it('a misspelt name from a function is reported once, whatever asks', async () => {
    const { url } = await emptyDatabase(kind);
    const errors: unknown[] = [];
    let edition = 'Professional';
    const onError = (error: unknown) => errors.push(String(error));
    const apiKeys = await openForTest({ database: url, edition: () => edition, onError });
    const { key } = await apiKeys.create(ada, { name: 'CI', expiresOn: apiKeys.maxExpiresOn() });
    const reports = () => errors.filter((error) => String(error).includes('`edition` has no API keys; did you mean "'));
    edition = 'professional';
    for (let round = 0; round < 3; round++) await apiKeys.authenticate({ 'x-api-key': key });
    expect(reports()).toHaveLength(1);
    edition = 'ULTIMATE';
    await apiKeys.isAvailable();
    await refusalOf(apiKeys.create(ada, { name: 'New', expiresOn: apiKeys.maxExpiresOn() }));
    expect(reports()).toHaveLength(2);
    edition = 'Community';
    await apiKeys.isAvailable();
    expect(reports()).toHaveLength(2);
  });

  it('a lapse ends create, edit and authentication at once; list, audits and revoke stay', async () => {
    let edition = 'Ultimate';
    const { apiKeys, create } = await open(async () => edition);
    const { apiKey, key } = await create('CI');
    const other = await create('Other');
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toBeDefined();
    edition = 'Community';
    await refusalOf(create('New'));
    expect((await refusalOf(apiKeys.update(ada, apiKey.id, { name: 'New' }))).kind).toBe('forbidden');
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toBeUndefined();
    expect(await apiKeys.verify({ 'x-api-key': key })).toMatchObject({ reason: 'edition' });
    expect(await apiKeys.isUsable(apiKey.id)).toBe(false);
    expect((await apiKeys.list(ada)).items).toHaveLength(2);
    expect(await apiKeys.get(ada, apiKey.id)).toMatchObject({ status: 'Active' });
    expect((await apiKeys.audits(ada)).items).toHaveLength(2);
    expect(await apiKeys.revoke(ada, apiKey.id)).toMatchObject({ status: 'Revoked' });
    edition = 'Professional';
    expect(await apiKeys.authenticate({ 'x-api-key': other.key })).toBeDefined();
    expect(await apiKeys.authenticate({ 'x-api-key': key })).toBeUndefined();
  });

  it('an edition that cannot be found out lets nobody in', async () => {
    let broken = false;
    const { apiKeys, create } = await open(() => {
      if (broken) throw new Error('no license server');
      return 'Ultimate';
    });
    const { key } = await create('CI');
    broken = true;
    await expect(apiKeys.authenticate({ 'x-api-key': key })).rejects.toMatchObject({
      kind: 'unavailable',
      cause: { message: 'no license server' },
    });
  });

  it.each([undefined, null, '', 5, Number.NaN, true, {}, ['Professional'], () => 'Professional'])(
    'a function that returns %s has not said which edition it is (K19)',
    async (answer) => {
      for (const wrong of [answer, Promise.resolve(answer)]) {
        let edition: unknown = 'Ultimate';
        const { apiKeys, create } = await open(() => edition as string);
        const { apiKey, key } = await create('CI');
        edition = wrong;
        const unavailable = {
          kind: 'unavailable',
          cause: { message: expect.stringContaining('`edition` must return the name of an edition, and returned ') },
        };
        await expect(apiKeys.authenticate({ 'x-api-key': key })).rejects.toMatchObject(unavailable);
        await expect(apiKeys.isUsable(apiKey.id)).rejects.toMatchObject(unavailable);
        await expect(apiKeys.isAvailable()).rejects.toMatchObject(unavailable);
        await expect(create('New')).rejects.toMatchObject(unavailable);
      }
    },
  );

  it('an edition must be named', async () => {
    for (const edition of [undefined, null, '', 7, {}] as unknown as string[]) {
      await expect(openApiKeys({ database: ':memory:', edition })).rejects.toThrow(/`edition`/);
    }
  });
});
