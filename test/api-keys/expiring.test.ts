import type { ExpiryWarning, OpenApiKeysOptions } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './helpers/clock.js';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada, bob, root, TestUsers } from './helpers/people.js';
import { startWarner } from './helpers/processes.js';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const patience = { timeout: 120_000, interval: 20 };

describe.each(databaseKinds)('`onExpiring` on $name (K23)', (kind) => {
  const open = async (options: Partial<OpenApiKeysOptions> = {}) => {
    const { url } = await emptyDatabase(kind);
    const clock = new ManualClock('2027-03-10T12:00:00.000Z');
    const given: string[] = [];
    const warnings: ExpiryWarning[] = [];
    const base = { database: url, edition: 'Professional', clock, ...options };
    const apiKeys = await openForTest(base);
    const onExpiring = (warning: ExpiryWarning) => {
      warnings.push(warning);
      given.push(`${warning.apiKey.name} ${warning.days}`);
    };
    /** Opens with a hook. The first check has ended when the next one has its timer. */
    const warner = async (more: Partial<OpenApiKeysOptions> = {}) => {
      const before = clock.pending;
      const opened = await openForTest({ ...base, onExpiring, ...more });
      await expect.poll(() => clock.pending, patience).toBe(before + 1);
      return opened;
    };
    /** Lets time pass and the checks end that fall due. */
    const pass = async (ms: number) => {
      const before = clock.pending;
      clock.advance(ms);
      await expect.poll(() => clock.pending, patience).toBe(before);
    };
    const create = async (name: string, days: number) =>
      (await apiKeys.create(ada, { name, expiresOn: new Date(clock.now() + days * dayMs) })).apiKey;
    return { apiKeys, clock, create, given, onExpiring, pass, url, warner, warnings };
  };

  it('is called once for each threshold while time passes, restarts or not', async () => {
    const { create, given, pass, warner, warnings } = await open();
    const { id } = await create('CI', 30);
    let running = await warner();
    const later = async (ms: number, expected: string[]) => {
      await pass(ms);
      expect(given).toEqual(expected);
      await running.close();
      running = await warner();
      expect(given).toEqual(expected);
    };
    await later(16 * dayMs - hourMs, []);
    await later(hourMs, ['CI 14']);
    expect(warnings[0]?.apiKey).toMatchObject({ id, name: 'CI', status: 'Active', createdBy: { id: 'u-ada' } });
    await later(10 * dayMs, ['CI 14']);
    await later(dayMs, ['CI 14', 'CI 3']);
    await later(2 * dayMs, ['CI 14', 'CI 3', 'CI 1']);
    await later(2 * dayMs, ['CI 14', 'CI 3', 'CI 1']);
  });

  it('is called once for all that has passed meanwhile, in the order of expiry', async () => {
    const { clock, create, given, warner } = await open({ expiryWarningDays: [2, 20, 7] });
    await create('late', 40);
    await create('soon', 31);
    await create('next week', 36);
    clock.advance(30 * dayMs);
    await warner();
    await warner();
    expect(given).toEqual(['soon 2', 'next week 7', 'late 20']);
  });

  it('is not called for keys that were made for less, have ended, or do not authenticate anyway', async () => {
    let edition = 'Professional';
    const { apiKeys, clock, create, given, pass, warner } = await open({ edition: () => edition });
    await create('for a week', 7);
    const { id } = await create('revoked', 30);
    await create('expired', 16);
    await create('kept', 31);
    await apiKeys.revoke(root, id);
    edition = 'Standard';
    clock.advance(16 * dayMs);
    await warner();
    expect(given).toEqual([]);
    edition = 'Professional';
    await pass(dayMs);
    expect(given).toEqual(['kept 14']);
  });

  it('is not called while the owner is disabled or gone, and again after a directory that failed', async () => {
    const users = new TestUsers(ada, bob, root);
    const { apiKeys, clock, given, pass, warner } = await open({ users });
    for (const [days, actor] of [ada, bob, root].entries()) {
      const expiresOn = new Date(clock.now() + (30 + days) * dayMs);
      await apiKeys.create(actor, { name: `of ${actor.username}`, expiresOn });
    }
    users.users.delete('u-ada');
    users.change('u-bob', { enabled: false });
    const failure = new Error('no directory today');
    const { findById } = users;
    users.findById = async (id) => (id === 'u-bob' ? Promise.reject(failure) : await findById(id));
    clock.advance(20 * dayMs);
    const told: unknown[] = [];
    await warner({ onError: (error) => told.push(error) });
    // One that cannot be looked up keeps no other waiting.
    expect(given).toEqual(['of root 14']);
    expect(told.at(-1)).toMatchObject({ kind: 'unavailable', cause: failure });
    users.findById = findById;
    await pass(hourMs);
    expect(given).toEqual(['of root 14']);
    users.change('u-bob', { enabled: true });
    await pass(hourMs);
    expect(given).toEqual(['of root 14', 'of bob 14']);
  });

  it('is called anew for a new expiry, and for nothing else that is edited', async () => {
    const { apiKeys, clock, create, given, pass, warner } = await open();
    const { id } = await create('CI', 20);
    await warner();
    await pass(10 * dayMs);
    await apiKeys.update(ada, id, { name: 'Renamed', description: 'x' });
    await pass(dayMs);
    await apiKeys.update(ada, id, { expiresOn: new Date(clock.now() + 30 * dayMs) });
    await pass(dayMs);
    expect(given).toEqual(['CI 14']);
    await pass(16 * dayMs);
    expect(given).toEqual(['CI 14', 'Renamed 14']);
  });

  it('that fails is told to `onError`, and repeated by a later check of any process', async () => {
    const { clock, create, given, pass, warner } = await open();
    await create('CI', 30);
    const failure = new Error('no mail today');
    const told: unknown[] = [];
    clock.advance(20 * dayMs);
    await warner({ onExpiring: () => Promise.reject(failure), onError: (error) => told.push(error) });
    expect(told.at(-1)).toBe(failure);
    const other = await warner();
    // Not at once: the first process may still be giving it.
    expect(given).toEqual([]);
    await other.close();
    clock.advance(hourMs / 2);
    await warner();
    expect(given).toEqual(['CI 14']);
    await pass(dayMs);
    expect(given).toEqual(['CI 14']);
  });

  it('that never ends is told to `onError` after ten minutes, keeps no other key waiting, and is given again', async () => {
    const { clock, create, url } = await open();
    await create('stuck', 30);
    await create('next', 31);
    clock.advance(20 * dayMs);
    const given: string[] = [];
    const told: unknown[] = [];
    const before = clock.pending;
    await openForTest({
      database: url,
      edition: 'Professional',
      clock,
      onError: (error) => told.push(error),
      onExpiring: ({ apiKey }) => {
        given.push(apiKey.name);
        return given.length === 1 ? new Promise(() => {}) : undefined;
      },
    });
    await expect.poll(() => given, patience).toEqual(['stuck']);
    clock.advance(hourMs / 6);
    await expect.poll(() => given, patience).toEqual(['stuck', 'next']);
    expect(told).toMatchObject([{ message: '`onExpiring` took longer than 600000 ms.' }]);
    await expect.poll(() => clock.pending, patience).toBe(before + 1);
    clock.advance(hourMs);
    await expect.poll(() => given, patience).toEqual(['stuck', 'next', 'stuck']);
    expect(told).toHaveLength(1);
  });

  it('that is being given is waited for by `close`, and none is begun afterwards', async () => {
    const { clock, create, url } = await open();
    await create('one', 20);
    await create('two', 21);
    clock.advance(10 * dayMs);
    const given: string[] = [];
    let finish = () => {};
    const again = await openForTest({
      database: url,
      edition: 'Professional',
      clock,
      onExpiring: async ({ apiKey }) => {
        given.push(apiKey.name);
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
      },
    });
    await expect.poll(() => given, patience).toEqual(['one']);
    let closed = false;
    const closing = again.close().then(() => {
      closed = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toBe(false);
    finish();
    await closing;
    expect(given).toEqual(['one']);
  });

  it('is called once in three processes together, and again where one was killed in the middle', {
    timeout: 400_000,
  }, async () => {
    const { url, query } = await emptyDatabase(kind);
    const apiKeys = await openForTest({ database: url, edition: 'Professional' });
    const names = Array.from({ length: 40 }, (_, index) => `Key ${String(index).padStart(2, '0')}`);
    for (const [index, name] of names.entries()) {
      await apiKeys.create(ada, { name, expiresOn: new Date(Date.now() + 30 * dayMs + index * 1000) });
    }
    const expected = names.map((name) => `${name} 14`);
    const processes = await Promise.all([0, 1, 2].map(() => startWarner(url, 20, 'Key 20')));
    const lines = () => processes.flatMap((process) => process.lines<string>()).sort();
    // Whoever comes to this key dies; the others leave it alone, as somebody seems to be warning of it.
    await expect.poll(lines, patience).toEqual(expected.filter((line) => line !== 'Key 20 14'));
    // What is given and not yet noted would be given again after a kill.
    const claimed = 'select count(*) as count from concordat_api_key where warning_until > 0';
    await expect.poll(async () => Number((await query(claimed))[0]?.count), patience).toBe(1);
    for (const process of processes) await process.kill();
    const late = await startWarner(url, 20 + 1 / 24);
    await expect.poll(() => late.lines<string>(), patience).toEqual(['Key 20 14']);
    await late.kill();
  });
});

it.each<[string, unknown]>([
  ['onExpiring', 'mail'],
  ['expiryWarningDays', []],
  ['expiryWarningDays', [0]],
  ['expiryWarningDays', [1.5]],
  ['expiryWarningDays', [366]],
  ['expiryWarningDays', 14],
])('`%s` is refused when it is %j', async (name, value) => {
  const options = { database: ':memory:', edition: 'Ultimate', [name]: value } as OpenApiKeysOptions;
  await expect(openForTest(options)).rejects.toThrow(`\`${name}\` must be`);
});
