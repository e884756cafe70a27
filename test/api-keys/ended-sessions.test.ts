import { describe, expect, it } from 'vitest';
import { ManualClock } from './helpers/clock.js';
import { databaseKinds, emptyDatabase, openForTest, sqlite } from './helpers/databases.js';

describe.each(databaseKinds)('ended sessions on $name (K11)', (kind) => {
  it('are known by their ids in everything that has the database open, now and later', async () => {
    const { url } = await emptyDatabase(kind);
    const open = () => openForTest({ database: url, edition: 'Professional' });
    const [one, two] = [await open(), await open()];
    const inAnHour = Date.now() + 3_600_000;
    await one.endedSessions.add('ended', inAnHour);
    await two.endedSessions.add('ended', inAnHour);
    await one.close();
    for (const apiKeys of [two, await open()]) {
      expect(await apiKeys.endedSessions.has('ended')).toBe(true);
      expect(await apiKeys.endedSessions.has('other')).toBe(false);
    }
  });

  it('are forgotten with the next one that comes after they would have ended', async () => {
    const { url, query } = await emptyDatabase(kind);
    const clock = new ManualClock('2027-01-01T00:00:00Z');
    const { endedSessions } = await openForTest({ database: url, edition: 'Professional', clock });
    const add = (id: string) => endedSessions.add(id, clock.now() + 1000);
    await add('first');
    clock.advance(999);
    await add('second');
    expect(await query('select id from concordat_ended_session order by id')).toEqual([
      { id: 'first' },
      { id: 'second' },
    ]);
    clock.advance(1);
    await add('third');
    expect(await query('select id from concordat_ended_session order by id')).toEqual([
      { id: 'second' },
      { id: 'third' },
    ]);
  });
});

it('ended sessions are found, and forgotten, by an index', async () => {
  const { url, query } = await emptyDatabase(sqlite);
  await openForTest({ database: url, edition: 'Professional' });
  for (const condition of ["id = 'x'", 'ends_on <= 1']) {
    const plan = await query(`explain query plan select id from concordat_ended_session where ${condition}`);
    expect(plan.map(({ detail }) => detail)).toEqual([expect.stringMatching(/^SEARCH .* USING /)]);
  }
});
