import { describe, expect, it } from 'vitest';
import { ManualClock } from './helpers/clock.js';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada, root } from './helpers/people.js';

describe.each(databaseKinds)('the last uses of a key on $name (K22)', (kind) => {
  const open = async (options: { keptUses?: number } = {}) => {
    const { url, query } = await emptyDatabase(kind);
    const clock = new ManualClock('2027-03-10T12:00:00.000Z');
    const openAgain = (more: { keptUses?: number } = options) =>
      openForTest({ database: url, edition: 'Professional', clock, ...more });
    const apiKeys = await openAgain();
    const { apiKey, key } = await apiKeys.create(ada, { name: 'CI', expiresOn: '2027-09-01' });
    const use = async (address: string | undefined, userAgent: string | undefined, by = apiKeys) => {
      clock.advance(1000);
      const headers = { 'x-api-key': key, ...(userAgent !== undefined && { 'user-agent': userAgent }) };
      expect(await by.authenticate(headers, { address })).toBeDefined();
    };
    const uses = async (by = apiKeys) => (await by.get(ada, apiKey.id)).recentUses;
    const places = async (by = apiKeys) => (await uses(by)).map(({ address, userAgent }) => `${address} ${userAgent}`);
    return { apiKeys, clock, id: apiKey.id, key, openAgain, places, query, use, uses };
  };

  it('are none before the first, then seen at once here, and in the database within a second', async () => {
    const { apiKeys, clock, openAgain, use, uses } = await open();
    const other = await openAgain();
    expect(await uses()).toEqual([]);
    await use('10.0.0.1', 'curl/8');
    const first = [{ address: '10.0.0.1', userAgent: 'curl/8', lastUsedOn: '2027-03-10T12:00:01.000Z' }];
    expect(await uses()).toEqual(first);
    expect((await apiKeys.list(ada)).items[0]?.recentUses).toEqual(first);
    expect(await uses(other)).toEqual([]);
    clock.advance(500);
    await expect.poll(() => uses(other), { timeout: 60_000 }).toEqual(first);
  });

  it('come from the third argument of `verify`; as the second, the address is refused', async () => {
    const { apiKeys, key, places } = await open();
    const headers = { 'x-api-key': key };
    const wrong = apiKeys.verify(headers, { address: '10.0.0.1' } as never);
    await expect(wrong).rejects.toThrow(/^`lookups` must be a RequestLookups; where .* is the third argument\.$/);
    await apiKeys.verify(headers, undefined, { address: '10.0.0.1' });
    expect(await places()).toEqual(['10.0.0.1 null']);
  });

  it('are one for each place, latest first, at most five', async () => {
    const { apiKeys, clock, openAgain, places, use, uses } = await open();
    const expected: string[] = [];
    // Written after each, so that stored and unwritten ones are merged.
    for (const [address, agent] of [
      ['10.0.0.1', 'curl/8'],
      ['10.0.0.2', 'curl/8'],
      ['10.0.0.1', 'curl/8'],
      ['10.0.0.3', 'node'],
      ['10.0.0.3', 'curl/8'],
      ['10.0.0.4', undefined],
      [undefined, 'curl/8'],
      [undefined, undefined],
    ] as const) {
      await use(address, agent);
      const place = `${address ?? null} ${agent ?? null}`;
      expected.splice(0, expected.length, place, ...expected.filter((known) => known !== place).slice(0, 4));
      expect(await places()).toEqual(expected);
      if (address === '10.0.0.3') clock.advance(500);
    }
    const before = await uses();
    await apiKeys.close();
    expect(await uses(await openAgain())).toEqual(before);
  });

  it('of several processes are merged, and never go back', async () => {
    const { openAgain, places, use, uses } = await open();
    const [one, two] = [await openAgain(), await openAgain()];
    await use('10.0.0.1', 'one', one);
    await use('10.0.0.2', 'two', two);
    await use('10.0.0.3', 'both', one);
    await use('10.0.0.3', 'both', two);
    const latest = (await uses(two))[0]?.lastUsedOn;
    await two.close();
    await one.close();
    expect(await places()).toEqual(['10.0.0.3 both', '10.0.0.2 two', '10.0.0.1 one']);
    expect((await uses())[0]?.lastUsedOn).toBe(latest);
  });

  it('are successes only, and stay when the key is revoked', async () => {
    const { apiKeys, id, key, places, use } = await open();
    await use('10.0.0.1', 'curl/8');
    await apiKeys.authenticate({ 'x-api-key': `${key.slice(0, -1)}?` }, { address: '6.6.6.6' });
    await apiKeys.revoke(root, id);
    expect(await apiKeys.authenticate({ 'x-api-key': key }, { address: '6.6.6.6' })).toBeUndefined();
    expect(await places()).toEqual(['10.0.0.1 curl/8']);
  });

  it('are bounded and printable, whatever a client sends', async () => {
    const { apiKeys, openAgain, places, use } = await open();
    await use(`10.0.0.1${'x'.repeat(10_000)}`, `evil\u0000\u001b[2J\u202e"\\'<script>${'🔑'.repeat(1000)}`);
    const [seen] = await places();
    expect(seen?.length).toBeLessThan(300);
    expect(seen).toMatch(/^10\.0\.0\.1x+ evil\ufffd\ufffd\[2J\ufffd"\\'<script>/);
    await apiKeys.close();
    expect((await places(await openAgain()))[0]?.slice(0, 200)).toBe(seen?.slice(0, 200));
  });

  it('of one key cannot keep those of the others from being written', async () => {
    const { apiKeys, openAgain, places, query, use, uses } = await open();
    const { key } = await apiKeys.create(ada, { name: 'Damaged', expiresOn: '2027-09-01' });
    await query("update concordat_api_key set recent_uses = '' where name = 'Damaged'");
    for (const agent of ['\u0000', '\ud800', '\udc00\\', `${'x'.repeat(199)}🔑`]) await use('10.0.0.1', agent);
    await apiKeys.authenticate({ 'x-api-key': key }, { address: '10.0.0.2' });
    const before = await uses();
    await apiKeys.close();
    const again = await openAgain();
    expect(await places(again)).toHaveLength(4);
    expect(await uses(again)).toEqual(before);
    expect((await again.list(ada, { search: 'Damaged' })).items).toMatchObject([
      { recentUses: [{ address: '10.0.0.2' }] },
    ]);
  });

  it('are read from every kind of headers', async () => {
    const { apiKeys, clock, key, places } = await open();
    for (const headers of [
      new Headers({ 'x-api-key': key, 'User-Agent': 'fetch' }),
      ['X-Api-Key', key, 'User-Agent', 'raw'],
      [
        ['x-api-key', key],
        ['user-agent', 'pairs'],
      ] as [string, string][],
      { 'x-api-key': [key], 'user-agent': ['distinct'] },
    ]) {
      clock.advance(1000);
      expect(await apiKeys.authenticate(headers)).toBeDefined();
    }
    expect(await places()).toEqual(['null distinct', 'null pairs', 'null raw', 'null fetch']);
  });

  it('are as many as `keptUses` says, and none are shown or stored with 0', async () => {
    const { apiKeys, openAgain, places, query, use } = await open({ keptUses: 2 });
    for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) await use(address, 'curl/8');
    expect(await places()).toEqual(['10.0.0.3 curl/8', '10.0.0.2 curl/8']);
    await apiKeys.close();
    const none = await openAgain({ keptUses: 0 });
    expect(await places(none)).toEqual([]);
    await use('10.0.0.4', 'curl/8', none);
    expect(await places(none)).toEqual([]);
    await none.close();
    expect(await query('select recent_uses from concordat_api_key')).toEqual([{ recent_uses: '[]' }]);
  });
});

it.each([-1, 21, 1.5, '5'])('`keptUses` is refused when it is %j', async (keptUses) => {
  const options = { database: ':memory:', edition: 'Ultimate', keptUses: keptUses as number };
  await expect(openForTest(options)).rejects.toThrow('`keptUses` must be a whole number from 0 to 20');
});
