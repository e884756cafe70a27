import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada, bob, root } from './helpers/people.js';

describe.each(databaseKinds)('the value of a key on $name', (kind) => {
  it('is found nowhere but in the one answer: not in the database, errors, audits, lists (K2, K9)', async () => {
    const database = await emptyDatabase(kind);
    const pepper = 'the pepper, which is not to be found either';
    const errors: unknown[] = [];
    const apiKeys = await openForTest({
      database: database.url,
      edition: 'Professional',
      pepper,
      onError: (error) => errors.push(error),
    });
    const expiresOn = apiKeys.maxExpiresOn();
    const { apiKey, key } = await apiKeys.create(ada, { name: 'Canary', expiresOn });
    const headers = { 'x-api-key': key };
    const seen: unknown[] = [];
    const call = async (promise: Promise<unknown>) => {
      seen.push(await promise.catch((error: unknown) => error));
    };
    await call(apiKeys.authenticate(headers));
    await call(apiKeys.verify({ ...headers, authorization: `ApiKey ${key}x` }));
    await call(apiKeys.verify({ 'x-api-key': `${key}x` }));
    await call(apiKeys.get(bob, key));
    await call(apiKeys.update(ada, key, { name: 'x' }));
    await call(apiKeys.revoke(ada, key));
    await call(apiKeys.audits(ada, { apiKeyId: key }));
    await call(apiKeys.list(ada, { search: key }));
    await call(apiKeys.list(ada, { cursor: key }));
    await call(apiKeys.list(ada, { sort: key as 'name' }));
    await call(apiKeys.create(ada, { name: 'Canary', expiresOn }));
    await call(apiKeys.create(ada, { name: 'x', expiresOn: key }));
    await call(apiKeys.update(ada, apiKey.id, { name: 'Canary 2' }));
    await call(apiKeys.revoke(ada, apiKey.id));
    await call(apiKeys.authenticate(headers));
    await call(apiKeys.verify(headers));
    await call(apiKeys.audits(root));
    await call(apiKeys.list(root, { scope: 'all' }));
    await database.query(`alter table concordat_api_key rename to elsewhere`);
    await call(apiKeys.create(ada, { name: 'y', expiresOn }));
    await database.query(`alter table elsewhere rename to concordat_api_key`);
    await apiKeys.close();
    seen.push(errors);

    const secret = key.slice(16, -6);
    const everything = [
      await database.dump(),
      inspect(seen, { depth: 20, maxStringLength: null, maxArrayLength: null, showHidden: true }),
      JSON.stringify(seen),
    ].join('\n');
    // The control: what should be found is found.
    expect(everything).toContain(apiKey.id);
    expect(everything).toContain('Canary 2');
    for (const forbidden of [key, secret, secret.slice(0, 12), secret.slice(-12), pepper, pepper.slice(0, 20)]) {
      expect(everything).not.toContain(forbidden);
      expect(everything).not.toContain(Buffer.from(forbidden).toString('base64').slice(0, 12));
      expect(everything).not.toContain(Buffer.from(forbidden).toString('hex').slice(0, 20));
    }
  });
});
