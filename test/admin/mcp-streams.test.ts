import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openApiKeys } from 'concordat/api-keys';
import { describe, expect, it, onTestFinished } from 'vitest';
import { grace, until } from '../helpers/until.js';
import { type AdminHost, basic, inDays, start, startAdmin } from './helpers/admin-host.js';
import { accept, beginSession, connectMcp, openStream } from './helpers/mcp.js';

const alice = { userId: 'u-alice', username: 'alice' };

async function openStreams(host: AdminHost) {
  const { id, key } = await host.key('u-alice', 'Ends', new Date(start + 60_000).toISOString());
  const control = await host.key('u-alice', 'Stays', inDays(9));
  const sessionId = await beginSession(host, ['x-api-key', key]);
  const otherSession = await beginSession(host, ['x-api-key', control.key]);
  const ending = await openStream(host, ['x-api-key', key], sessionId);
  const staying = await openStream(host, ['authorization', `ApiKey ${control.key}`], otherSession);
  expect([ending.status, staying.status]).toEqual([200, 200]);
  expect(ending.headers.get('content-type')).toBe('text/event-stream');
  expect(ending.headers.get('cache-control')).toBe('no-store, no-transform');
  return { id, key, control, sessionId, otherSession, ending, staying };
}

describe('open streams (K11)', () => {
  it('end at once when their key is revoked; the streams of another key stay open', async () => {
    const host = await startAdmin();
    const { id, ending, staying } = await openStreams(host);
    await host.apiKeys.revoke(alice, id);
    await ending.ended;
    expect(ending.isOpen).toBe(false);
    expect(staying.isOpen).toBe(true);
  });

  it('say every fifteen seconds of silence that they are open, and ask nginx not to hold them back', async () => {
    const host = await startAdmin();
    const { control, otherSession, staying } = await openStreams(host);
    const credentials = ['x-api-key', control.key];
    expect(staying.headers.get('x-accel-buffering')).toBe('no');
    await host.clock.advance(14_999);
    expect(staying.text).toBe('');
    await host.clock.advance(1);
    await until(() => staying.text === ': keep-alive\n\n');
    await host.clock.advance(15_000);
    await until(() => staying.text === ': keep-alive\n\n'.repeat(2));
    staying.leave();
    // A client that has read comments gets its next stream in the same session.
    await until(() => !staying.isOpen);
    await expect.poll(async () => (await openStream(host, credentials, otherSession)).status).toBe(200);
  });

  it("leave room for the owner's next key in the same session", async () => {
    const host = await startAdmin();
    const { id, control, sessionId, ending } = await openStreams(host);
    const second = () => openStream(host, ['x-api-key', control.key], sessionId);
    expect((await second()).status).toBe(409);
    await host.apiKeys.revoke(alice, id);
    await ending.ended;
    expect((await second()).status).toBe(200);
  });

  it('end when their key expires, within a second of the clock', async () => {
    const host = await startAdmin();
    const { ending, staying } = await openStreams(host);
    await host.clock.advance(59_000);
    expect(ending.isOpen).toBe(true);
    await host.clock.advance(1001);
    await ending.ended;
    expect(staying.isOpen).toBe(true);
  });

  it('end when the user is deleted or disabled, however they were opened', async () => {
    for (const credentials of ['key', 'basic']) {
      for (const end of [(host: AdminHost) => host.users.delete('u-alice'), disable]) {
        const host = await startAdmin();
        const { key } = await host.key('u-alice', 'Agent');
        const own = credentials === 'key' ? ['x-api-key', key] : basic('alice');
        const ending = await openStream(host, own, await beginSession(host, own));
        const staying = await openStream(host, basic('bob'), await beginSession(host, basic('bob')));
        await host.clock.advance(5000);
        expect(ending.isOpen).toBe(true);
        end(host);
        await host.clock.advance(1000);
        await ending.ended;
        expect(staying.isOpen).toBe(true);
      }
    }
  });

  it('end together: none waits until the credentials of others have been looked up', async () => {
    let isStuck = false;
    const directory = {
      findById: async (id: string) => (isStuck && id === 'u-bob' ? new Promise<never>(() => {}) : host.users.get(id)),
      findByUsername: async (name: string) => [...host.users.values()].find(({ username }) => username === name),
    };
    const host: AdminHost = await startAdmin({ admin: { users: directory } });
    const streams = [];
    for (const user of ['alice', 'bob', 'alice']) {
      streams.push(await openStream(host, basic(user), await beginSession(host, basic(user))));
    }
    const [first, between, last] = streams;
    disable(host);
    isStuck = true;
    await host.clock.advance(1000);
    await Promise.all([first?.ended, last?.ended]);
    expect(between?.isOpen).toBe(true);
    await host.clock.advance(5000); // the directory's time is over
    await between?.ended;
  });

  it("end when the owner's deletion is told to the keys", async () => {
    const host = await startAdmin();
    const { ending } = await openStreams(host);
    await host.apiKeys.userDeleted({ userId: 'u-root', username: 'root' }, 'u-alice');
    await ending.ended;
  });

  it('end when another process revokes the key', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'concordat-admin-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const database = path.join(directory, 'keys.db');
    const host = await startAdmin({ keys: { database } });
    const { id, ending, staying } = await openStreams(host);
    const other = await openApiKeys({ database, edition: 'Professional', clock: host.clock });
    await other.revoke(alice, id);
    await other.close();
    await host.clock.advance(1000);
    await ending.ended;
    expect(staying.isOpen).toBe(true);
  });

  it('end when the edition no longer has keys', async () => {
    let edition = 'Professional';
    const host = await startAdmin({ admin: { edition: async () => edition } });
    const { ending, staying } = await openStreams(host);
    await host.clock.advance(1000);
    expect(ending.isOpen).toBe(true);
    edition = 'Standard';
    await host.clock.advance(1000);
    await Promise.all([ending.ended, staying.ended]);
  });

  it('end when it cannot be found out whether their key is good; the host is told', async () => {
    const host = await startAdmin();
    const { ending } = await openStreams(host);
    await host.apiKeys.close();
    await host.clock.advance(1000);
    await ending.ended;
    expect(host.errors[0]).toMatchObject({ message: 'These API keys have been closed.' });
  });

  it('end with the session, and with the administration', async () => {
    const host = await startAdmin();
    const { key, sessionId, ending, staying } = await openStreams(host);
    await host.send({ method: 'DELETE', path: '/mcp', headers: ['x-api-key', key, 'mcp-session-id', sessionId] });
    await ending.ended;
    expect(staying.isOpen).toBe(true);
    await host.admin.close();
    await staying.ended;
    expect((await host.send({ path: '/mcp', headers: basic('alice') })).status).toBe(503);
    await host.clock.advance(1000);
    expect(host.clock.pending).toBe(0);
  });

  it('are no reason for an idle session to end, and are forgotten when the client goes away', async () => {
    const host = await startAdmin({ admin: { mcpSessionIdleMs: 10_000 } });
    const sessionId = await beginSession(host, basic('alice'));
    const stream = await openStream(host, basic('alice'), sessionId);
    await host.clock.advance(60_000);
    expect(stream.isOpen).toBe(true);
    stream.leave();
    // The server hears of it when the socket has closed.
    while (host.clock.pending > 0) {
      await grace(5);
      await host.clock.advance(11_000);
    }
    expect((await openStream(host, basic('alice'), sessionId)).status).toBe(404);
  });

  it('the watch keeps no process alive', async () => {
    const host = await startAdmin();
    const stream = await openStream(host, basic('alice'), await beginSession(host, basic('alice')));
    expect(stream.isOpen).toBe(true);
    expect(host.clock.pending).toBe(2);
    expect(host.clock.held).toBe(0);
  });
});

describe('answers under way (K11)', () => {
  const slow = (whenStopped: (signal: AbortSignal) => string | Promise<string> = () => 'stopped') => {
    const signals: AbortSignal[] = [];
    const mcpTools = [
      {
        name: 'slow',
        description: 'Waits until it is aborted.',
        handler: (_: unknown, { signal }: { signal: AbortSignal }) => {
          signals.push(signal);
          return new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve(whenStopped(signal))));
        },
      },
    ];
    return { signals, mcpTools };
  };
  const callSlow = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'slow', arguments: {} } };

  it('are cut off, and the tool is told, when their key is revoked', async () => {
    const { signals, mcpTools } = slow();
    const host = await startAdmin({ admin: { mcpTools } });
    const { id, key } = await host.key('u-alice', 'Agent');
    const control = await host.key('u-alice', 'Control');
    const sessionId = await beginSession(host, ['x-api-key', key]);
    const post = { method: 'POST', body: callSlow };
    const cut = await openStream(host, ['x-api-key', key], sessionId, post);
    const kept = await openStream(host, ['x-api-key', control.key], sessionId, {
      method: 'POST',
      body: { ...callSlow, id: 8 },
    });
    await until(() => signals.length === 2);
    await host.apiKeys.revoke(alice, id);
    await cut.ended;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(cut.text).not.toContain('stopped');
    expect(kept.isOpen).toBe(true);
    expect(host.errors).toEqual([]);
  });

  it('answer the official client with an error before the stream ends, so that it waits for no time-out', async () => {
    const { signals, mcpTools } = slow();
    const host = await startAdmin({ admin: { mcpTools } });
    const { id, key } = await host.key('u-alice', 'Leaks');
    const { client } = await connectMcp(host, key);
    const refused = expect(client.callTool({ name: 'slow', arguments: {} })).rejects.toMatchObject({
      code: -32_000,
      message: expect.stringContaining('The credentials of this request are no longer valid.'),
    });
    await until(() => signals.length === 1);
    await host.apiKeys.revoke(alice, id);
    await refused;
  });

  it('are finished when the service closes, while streams end and new requests are refused', async () => {
    const answers: ((text: string) => void)[] = [];
    const handler = () => new Promise<string>((resolve) => answers.push(resolve));
    const host = await startAdmin({ admin: { mcpTools: [{ name: 'slow', description: 'Waits.', handler }] } });
    const { staying } = await openStreams(host);
    const { client } = await connectMcp(host, 'alice');
    const call = client.callTool({ name: 'slow', arguments: {} });
    await until(() => answers.length === 1);
    let isClosed = false;
    const closed = host.admin.close().then(() => {
      isClosed = true;
    });
    await staying.ended;
    expect((await host.send({ path: '/mcp', headers: basic('alice') })).status).toBe(503);
    expect(isClosed).toBe(false);
    answers[0]?.('done');
    expect(await call).toMatchObject({ content: [{ text: 'done' }] });
    await closed;
    expect(host.errors).toEqual([]);
  });

  it('are aborted when the grace is over, and still when their key is revoked before', async () => {
    const { signals, mcpTools } = slow();
    const host = await startAdmin({ admin: { mcpTools } });
    const { id, key } = await host.key('u-alice', 'Agent');
    const message = (text: string) => ({ message: expect.stringContaining(text) });
    const [byKey, byPassword] = [await connectMcp(host, key), await connectMcp(host, 'alice')];
    const revoked = expect(byKey.client.callTool({ name: 'slow' })).rejects.toMatchObject(
      message('The credentials of this request are no longer valid.'),
    );
    const late = expect(byPassword.client.callTool({ name: 'slow' })).rejects.toMatchObject(
      message('The service is closing.'),
    );
    await until(() => signals.length === 2);
    const closed = host.admin.close({ graceMs: 200 });
    await host.apiKeys.revoke(alice, id);
    await revoked;
    expect(signals.filter(({ aborted }) => aborted)).toHaveLength(1);
    await late;
    await closed;
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });

  it('can be cancelled while the service closes, which then closes at once', async () => {
    const { signals, mcpTools } = slow();
    const host = await startAdmin({ admin: { mcpTools } });
    const { client } = await connectMcp(host, 'alice');
    const controller = new AbortController();
    const call = client.callTool({ name: 'slow' }, undefined, { signal: controller.signal }).catch(() => 'cancelled');
    await until(() => signals.length === 1);
    const closed = host.admin.close({ graceMs: 600_000 });
    controller.abort();
    expect(await call).toBe('cancelled');
    await closed;
    expect(signals[0]?.aborted).toBe(true);
  });

  it.each([-1, Number.NaN, '5', null])('a grace of %s is a TypeError', async (graceMs) => {
    const host = await startAdmin();
    expect(() => host.admin.close({ graceMs: graceMs as number })).toThrow(
      /^`graceMs` must be a number of milliseconds/,
    );
  });

  it('say that the service closes, when it does', async () => {
    const { signals, mcpTools } = slow();
    const host = await startAdmin({ admin: { mcpTools } });
    const { client } = await connectMcp(host, 'alice');
    const refused = expect(client.callTool({ name: 'slow', arguments: {} })).rejects.toMatchObject({
      code: -32_000,
      message: expect.stringContaining('The service is closing.'),
    });
    await until(() => signals.length === 1);
    await host.admin.close({ graceMs: 0 });
    await refused;
  });

  it.each<[string, (host: AdminHost, id: string) => Promise<unknown>]>([
    ['its key is revoked', (host, id) => host.apiKeys.revoke(alice, id)],
    ['the service closes', (host) => host.admin.close({ graceMs: 0 })],
  ])('a tool that stops because %s has not failed: nothing is reported', async (_, end) => {
    const { signals, mcpTools } = slow(({ reason }) => Promise.reject(reason));
    const host = await startAdmin({ admin: { mcpTools } });
    const { id, key } = await host.key('u-alice', 'Agent');
    const { client } = await connectMcp(host, key);
    const refused = expect(client.callTool({ name: 'slow', arguments: {} })).rejects.toMatchObject({ code: -32_000 });
    await until(() => signals.length === 1);
    await end(host, id);
    await refused;
    expect(host.errors).toEqual([]);
  });

  it('have ids of their own: a second request with the id of one under way is refused', async () => {
    const { signals, mcpTools } = slow();
    const host = await startAdmin({ admin: { mcpTools, mcpSessionIdleMs: 10_000 } });
    const sessionId = await beginSession(host, basic('alice'));
    const headers = [...basic('alice'), ...accept, 'mcp-session-id', sessionId];
    const post = (body: object) => host.send({ method: 'POST', path: '/mcp', headers, body });
    const ping = (id: number | string) => ({ jsonrpc: '2.0', id, method: 'ping' });
    const call = await openStream(host, basic('alice'), sessionId, { method: 'POST', body: callSlow });
    await until(() => signals.length === 1);
    for (const body of [ping(7), callSlow, [ping(6), ping(7)], [ping(6), ping(6)]]) {
      const { status, body: answer } = await post(body);
      const error = { code: -32_600, message: 'Invalid Request: The id of a request is already in use' };
      expect([status, answer]).toEqual([400, { jsonrpc: '2.0', error, id: null }]);
    }
    for (const body of [ping(6), ping('7'), [ping(6), ping(5)]]) expect((await post(body)).status).toBe(200);
    await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    await call.ended;
    expect((await post(ping(7))).status).toBe(200);
    await host.clock.advance(11_000);
    expect((await post(ping(7))).status).toBe(404);
  });

  it('keep their id while the tool runs, also when the client has gone away', async () => {
    const { signals, mcpTools } = slow();
    const host = await startAdmin({ admin: { mcpTools } });
    const sessionId = await beginSession(host, basic('alice'));
    const headers = { authorization: basic('alice')[1]!, 'mcp-session-id': sessionId, host: 'localhost' };
    const post = (body: object) =>
      host.admin.fetch(
        new Request(`${host.url}/mcp`, {
          method: 'POST',
          headers: { ...headers, accept: accept[1]!, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      );
    const call = await post(callSlow);
    await until(() => signals.length === 1);
    await call.body?.cancel();
    const ping = { jsonrpc: '2.0', id: 7, method: 'ping' };
    expect((await post(ping)).status).toBe(400);
    await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    await until(() => signals[0]?.aborted === true);
    const again = await post(ping);
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining('"result":{}')]);
  });

  it('a key that revokes itself is told so, while its other streams end', async () => {
    const host = await startAdmin();
    const { id, key } = await host.key('u-alice', 'Agent');
    const { call, client, transport } = await connectMcp(host, key);
    const other = await openStream(host, ['x-api-key', key], await beginSession(host, ['x-api-key', key]));
    expect(await call('revoke_api_key', { id })).toMatchObject({ id, status: 'Revoked' });
    await other.ended;
    await expect(client.ping()).rejects.toThrow(/401|Authentication failed/);
    expect(transport.sessionId).toBeDefined();
  });

  it('a cancelled call aborts its tool', async () => {
    const { signals, mcpTools } = slow();
    const host = await startAdmin({ admin: { mcpTools } });
    const { client } = await connectMcp(host, 'alice');
    const aborter = new AbortController();
    const call = client.callTool({ name: 'slow', arguments: {} }, undefined, { signal: aborter.signal });
    call.catch(() => {});
    await until(() => signals.length === 1);
    aborter.abort();
    await until(() => signals[0]?.aborted === true);
    await expect(call).rejects.toThrow();
  });

  it('a cancelled call gets no response: its stream ends, and nothing is reported', async () => {
    const { signals, mcpTools } = slow(({ reason }) => Promise.reject(reason));
    const host = await startAdmin({ admin: { mcpTools } });
    const key = ['x-api-key', (await host.key('u-alice', 'Agent')).key];
    const sessionId = await beginSession(host, key);
    const send = (message: object) =>
      openStream(host, key, sessionId, { method: 'POST', body: { jsonrpc: '2.0', ...message } });
    const call = await send({ id: 5, method: 'tools/call', params: { name: 'slow', arguments: {} } });
    await until(() => signals.length === 1);
    await send({ method: 'notifications/cancelled', params: { requestId: 5 } });
    await call.ended;
    expect([call.text, host.errors]).toEqual(['', []]);
  });
});

function disable(host: AdminHost) {
  (host.users.get('u-alice') as { enabled?: boolean }).enabled = false;
}
