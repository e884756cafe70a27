// Who had signed out was kept in the memory of one process: after a restart, or in a second process on the same database, a
// copy of the cookie was signed in again for up to eight hours. A security review found it by sending the cookie of a
// signed-out browser to a service that it had restarted. Ended sessions are rows of the database now.
import { describe, expect, it } from 'vitest';
import { type Administration, startAdministration } from '../admin/ui/helpers/administration.js';
import { Visitor } from '../admin/ui/helpers/visitor.js';
import { databaseKinds, emptyDatabase } from '../api-keys/helpers/databases.js';

const hourMs = 3_600_000;

describe.each(databaseKinds)('signing out on $name', (kind) => {
  const startOn = (database: { url: string }) =>
    startAdministration({ admin: { sessionSecret: 's'.repeat(32) }, keys: { database: database.url } });
  const stop = async (host: Administration) => {
    await host.admin.close();
    await host.apiKeys.close();
  };
  /** Where a copy of the cookies leads when it is sent to an administration. */
  const pathWith = async (host: Administration, cookies: ReadonlyMap<string, string>) =>
    (await new Visitor(host.url, new Map(cookies)).open('/api-keys')).path;
  const signedIn = async (host: Administration) => {
    const visitor = await host.visitor('alice');
    return { visitor, cookies: new Map(visitor.cookies) };
  };

  it('in one administration is seen at once by another one on the same database', async () => {
    const database = await emptyDatabase(kind);
    const [one, two] = [await startOn(database), await startOn(database)];
    const { visitor, cookies } = await signedIn(one);
    const stays = await signedIn(one);
    // The control: until then, and with a session that nobody ended, the other one lets the cookie in.
    expect(await pathWith(two, cookies)).toBe('/api-keys');
    await visitor.submit('/sign-out');
    expect(await pathWith(two, cookies)).toMatch(/^\/sign-in/);
    expect(await pathWith(two, stays.cookies)).toBe('/api-keys');
  });

  it('outlasts a restart, to the end of the session', async () => {
    const database = await emptyDatabase(kind);
    const before = await startOn(database);
    const { visitor, cookies } = await signedIn(before);
    const stays = await signedIn(before);
    await visitor.submit('/sign-out');
    await stop(before);

    const after = await startOn(database);
    expect(await pathWith(after, cookies)).toMatch(/^\/sign-in/);
    expect(await pathWith(after, stays.cookies)).toBe('/api-keys');
    after.clock.jumpCalendar(8 * hourMs - 1);
    expect(await pathWith(after, cookies)).toMatch(/^\/sign-in/);
    expect(await pathWith(after, stays.cookies)).toBe('/api-keys');
  });
});
