import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../helpers/until.js';
import { basic, startAdmin } from './helpers/admin-host.js';
import { accept, connectMcp, initialize, openStream } from './helpers/mcp.js';

/** A tool that waits until its call is aborted, and says so. */
function waiting() {
  const signals: AbortSignal[] = [];
  const handler = (_: unknown, { signal }: { signal: AbortSignal }) => {
    signals.push(signal);
    return new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('stopped')));
  };
  return { signals, mcpTools: [{ name: 'wait', description: 'Waits.', handler }] };
}
const callWait = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'wait', arguments: {} } };
const stateless = { mcpStateless: true };

describe('MCP without sessions (K21, `mcpStateless`)', () => {
  it('the requests of one client are answered by any process', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'stateless-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const keys = { database: path.join(folder, 'keys.db') };
    const first = await startAdmin({ admin: stateless, keys });
    const second = await startAdmin({ admin: stateless, keys });
    const { id, key } = await first.key('u-alice', 'Agent');
    const served: number[] = [];
    const transport = new StreamableHTTPClientTransport(new URL(`${first.url}/mcp`), {
      requestInit: { headers: { 'x-api-key': key } },
      // A load balancer that takes turns.
      fetch: (url, init) => {
        const { port } = served.length % 2 === 0 ? first : second;
        served.push(port);
        const target = new URL(url);
        target.port = String(port);
        return fetch(target, init);
      },
    });
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(transport);
    onTestFinished(() => client.close());
    expect(transport.sessionId).toBeUndefined();
    for (let round = 0; round < 4; round++) {
      const result = await client.callTool({ name: 'list_api_keys', arguments: {} });
      expect(result.structuredContent).toMatchObject({ items: [{ id }] });
    }
    expect(new Set(served)).toEqual(new Set([first.port, second.port]));
    expect([...first.errors, ...second.errors]).toEqual([]);
  });

  it('a client that still has the id of a session goes on', async () => {
    const host = await startAdmin({ admin: stateless });
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const headers = [...basic('alice'), ...accept, 'mcp-session-id', '0ac4b1b3-2a4e-4c0e-8c0b-5b1df1b52f35'];
    const answer = await host.send({ method: 'POST', path: '/mcp', headers, body: list });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('list_api_keys');
    expect(answer.headers['mcp-session-id']).toBeUndefined();
  });

  it.each(['GET', 'DELETE'])('%s is a 405: there is no stream to open and no session to end', async (method) => {
    const host = await startAdmin({ admin: stateless });
    const answer = await host.send({ method, path: '/mcp', headers: [...basic('alice'), ...accept] });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('POST');
    expect((await host.send({ method, path: '/mcp' })).status).toBe(401);
  });

  it('host, origin and credentials are checked for each request', async () => {
    const host = await startAdmin({ admin: stateless });
    const post = (headers: readonly string[]) =>
      host.send({ method: 'POST', path: '/mcp', headers: [...accept, ...headers], body: initialize });
    expect((await post(basic('alice'))).status).toBe(200);
    expect((await post([])).status).toBe(401);
    expect((await post([...basic('alice'), 'origin', 'https://evil.example'])).status).toBe(403);
  });

  it('a call ends with its key, and the tool is told (K11)', async () => {
    const { signals, mcpTools } = waiting();
    const host = await startAdmin({ admin: { ...stateless, mcpTools } });
    const { id, key } = await host.key('u-alice', 'Agent');
    const call = await openStream(host, ['x-api-key', key], '', { method: 'POST', body: callWait });
    await until(() => signals.length === 1);
    await host.apiKeys.revoke({ userId: 'u-alice', username: 'alice' }, id);
    await call.ended;
    expect(call.text).toContain('The credentials of this request are no longer valid.');
    expect(signals[0]?.aborted).toBe(true);
  });

  it('a client that goes away cancels its call', async () => {
    const { signals, mcpTools } = waiting();
    const host = await startAdmin({ admin: { ...stateless, mcpTools } });
    const call = await openStream(host, basic('alice'), '', { method: 'POST', body: callWait });
    await until(() => signals.length === 1);
    call.leave();
    await until(() => signals[0]?.aborted === true);
    expect(host.errors).toEqual([]);
    // The check of open calls ends with the last one.
    await host.clock.advance(1000);
    expect(host.clock.pending).toBe(0);
  });

  it('several calls at once share nothing, not even their ids', async () => {
    const host = await startAdmin({ admin: stateless });
    const clients = await Promise.all([connectMcp(host, 'alice'), connectMcp(host, 'bob')]);
    await host.key('u-alice', "Alice's");
    await host.key('u-bob', "Bob's");
    const lists = await Promise.all(Array.from({ length: 20 }, (_, call) => clients[call % 2]?.call('list_api_keys')));
    for (const [call, { items }] of lists.entries()) {
      expect(items.map(({ name }: { name: string }) => name)).toEqual([call % 2 === 0 ? "Alice's" : "Bob's"]);
    }
  });

  it('what is running may end within `graceMs` when the service closes', async () => {
    const { signals, mcpTools } = waiting();
    const host = await startAdmin({ admin: { ...stateless, mcpTools } });
    const call = await openStream(host, basic('alice'), '', { method: 'POST', body: callWait });
    await until(() => signals.length === 1);
    await host.admin.close({ graceMs: 1 });
    await call.ended;
    expect(call.text).toContain('The service is closing.');
    expect(signals[0]?.aborted).toBe(true);
  });
});
