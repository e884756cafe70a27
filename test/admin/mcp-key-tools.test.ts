import { createAdmin } from 'concordat/admin';
import { toNodeHandler } from 'concordat/connector/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inDays, listen, send, startAdmin } from './helpers/admin-host.js';
import { accept, initialize } from './helpers/mcp.js';

const reading = ['list_api_keys', 'get_api_key', 'list_api_key_audits'];
const all = [
  'list_api_keys',
  'get_api_key',
  'create_api_key',
  'update_api_key',
  'revoke_api_key',
  'list_api_key_audits',
];

describe('`mcpKeyTools` (K21)', () => {
  it.each([
    [undefined, reading],
    ['read-only', reading],
    ['all', all],
    ['none', []],
  ] as const)('%s offers %j beside the tools of the host; no other can be called', async (mcpKeyTools, offered) => {
    const host = await startAdmin();
    const admin = createAdmin({
      apiKeys: host.apiKeys,
      users: { findById: (id) => host.users.get(id), findByUsername: () => undefined },
      edition: 'Professional',
      mcpKeyTools,
      mcpTools: [{ name: 'open_orders', description: 'Counts orders.', handler: () => 'three' }],
    });
    const server = await listen(toNodeHandler(admin));
    onTestFinished(async () => {
      await admin.close();
      await server.close();
    });
    const { id, key } = await host.key('u-root', 'Export');
    let headers = ['x-api-key', key, ...accept];
    const post = async (body: object) => {
      const answer = await send(server.port, { method: 'POST', path: '/mcp', headers, body });
      return { answer, message: JSON.parse(/^data: (.*)$/m.exec(answer.text)?.[1] ?? '{}') };
    };
    const { answer } = await post(initialize);
    headers = [...headers, 'mcp-session-id', String(answer.headers['mcp-session-id'])];
    const listed = await post({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    expect(listed.message.result.tools.map(({ name }: { name: string }) => name)).toEqual([...offered, 'open_orders']);
    for (const name of all) {
      const given = name === 'create_api_key' ? { name: 'New', expiresOn: inDays(1) } : { id, name: 'Renamed' };
      const params = { name, arguments: name.startsWith('list') ? {} : given };
      if (name === 'revoke_api_key') continue;
      const { message } = await post({ jsonrpc: '2.0', id: 3, method: 'tools/call', params });
      if ((offered as readonly string[]).includes(name)) expect(message.result.isError).toBeUndefined();
      else expect(message.error.message).toContain('There is no such tool.');
    }
    const { items } = await host.apiKeys.list({ userId: 'u-root', username: 'root' });
    expect(items.map(({ name }) => name).sort()).toEqual(mcpKeyTools === 'all' ? ['New', 'Renamed'] : ['Export']);
  });
});
