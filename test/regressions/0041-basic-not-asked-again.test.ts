// A key was asked for again after a body that was long on its way, Basic was not: a user who was disabled, deleted or given a new
// password meanwhile still made a key. An outside check found it (K11). Streams opened with Basic lived on after a new
// password in the same way.
import { describe, expect, it } from 'vitest';
import { type AdminHost, basic, inDays, password, startAdmin } from '../admin/helpers/admin-host.js';
import { accept, beginSession, initialize, openStream } from '../admin/helpers/mcp.js';

const changes: [string, (host: AdminHost) => unknown, number][] = [
  ['nothing happens (control)', () => {}, 0],
  ['their password changes', (host) => Object.assign(host.users.get('u-alice')!, { passwordHash: '$other' }), 401],
  ['they are disabled', (host) => Object.assign(host.users.get('u-alice')!, { enabled: false }), 401],
  ['they are deleted', (host) => host.users.delete('u-alice'), 401],
];

/** Sends a request whose body is asked for only after the credentials were checked; then the change happens. */
async function sendSlowly(host: AdminHost, path: string, body: object, change: (host: AdminHost) => unknown) {
  const [name, value] = basic('alice') as [string, string];
  const headers = new Headers([[name, value]]);
  for (let index = 0; index < accept.length; index += 2) headers.set(accept[index]!, accept[index + 1]!);
  const stream = new ReadableStream(
    {
      pull(controller) {
        change(host);
        controller.enqueue(new TextEncoder().encode(JSON.stringify(body)));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method: 'POST', headers, body: stream, duplex: 'half' };
  return await host.admin.fetch(new Request(`http://localhost${path}`, init as RequestInit));
}

describe('Basic credentials while a body is on its way (K11)', () => {
  it.each(changes)('a key is not made when %s', async (_, change, status) => {
    const host = await startAdmin();
    const body = { name: 'Too late', expiresOn: inDays(1) };
    const answer = await sendSlowly(host, '/api/v1/api-keys', body, change);
    expect(answer.status).toBe(status || 201);
    const { items } = await host.apiKeys.list(
      { userId: 'u-root', username: 'root', superAdmin: true },
      { scope: 'all' },
    );
    expect(items).toHaveLength(status === 0 ? 1 : 0);
    expect(host.failures).toEqual(status === 0 ? [] : [{ reason: 'password' }]);
  });

  it.each(changes)('an MCP session does not begin when %s', async (_, change, status) => {
    const answer = await sendSlowly(await startAdmin(), '/mcp', initialize, change);
    await answer.body?.cancel();
    expect(answer.status).toBe(status || 200);
  });
});

describe('streams that were opened with Basic (K11)', () => {
  it.each(changes)('end within a second when %s, and only those of that password', async (_, change, status) => {
    const host = await startAdmin();
    const stream = await openStream(host, basic('alice'), await beginSession(host, basic('alice')));
    const other = await openStream(host, basic('bob'), await beginSession(host, basic('bob')));
    change(host);
    await host.clock.advance(1000);
    if (status !== 0) await stream.ended;
    expect([stream.isOpen, other.isOpen]).toEqual([status === 0, true]);
  });

  it('of two passwords of one user, those of the old one end', async () => {
    const host = await startAdmin();
    const { passwordHash } = host.users.get('u-bob')!;
    const old = await openStream(host, basic('alice'), await beginSession(host, basic('alice')));
    // The same password hashed anew, as a change of password does.
    const { hashPassword } = await import('concordat/api-keys');
    host.users.get('u-alice')!.passwordHash = await hashPassword(password);
    const young = await openStream(host, basic('alice'), await beginSession(host, basic('alice')));
    await host.clock.advance(1000);
    await old.ended;
    expect([old.isOpen, young.isOpen, passwordHash === host.users.get('u-alice')!.passwordHash]).toEqual([
      false,
      true,
      false,
    ]);
  });
});
