import type { McpTool } from 'concordat/admin';
import { ApiKeyError } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { basic, inDays, startAdmin } from './helpers/admin-host.js';
import { connectMcp } from './helpers/mcp.js';

describe('the MCP endpoint and the official client', () => {
  it.each(['key', 'basic'])('initialize, ping and the list of tools, authenticated by %s', async (way) => {
    const host = await startAdmin();
    const { key } = await host.key('u-alice', 'Agent');
    const { client } = await connectMcp(host, way === 'key' ? key : 'alice');
    expect(client.getServerVersion()).toMatchObject({ name: 'concordat' });
    await expect(client.ping()).resolves.toEqual({});
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'list_api_keys',
      'get_api_key',
      'create_api_key',
      'update_api_key',
      'revoke_api_key',
      'list_api_key_audits',
    ]);
    for (const tool of tools) {
      expect(tool.description).toMatch(/\S/);
      expect(tool.inputSchema.type).toBe('object');
      expect(tool.outputSchema?.type).toBe('object');
    }
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name)).toEqual([
      'list_api_keys',
      'get_api_key',
      'list_api_key_audits',
    ]);
  });

  it('is also found with a slash at the end, and nothing below it', async () => {
    for (const basePath of ['', '/admin']) {
      const host = await startAdmin({ admin: { basePath } });
      const { call } = await connectMcp(host, 'alice', `${basePath}/mcp/`);
      expect(await call('list_api_keys')).toMatchObject({ items: [] });
      expect((await host.send({ path: `${basePath}/mcp/x`, headers: basic('alice') })).status).toBe(404);
    }
  });

  it('tools do what the Admin API does, and the trail says MCP and names the acting key (K6, K15)', async () => {
    const host = await startAdmin();
    const agent = await host.key('u-alice', 'Agent');
    const { call } = await connectMcp(host, agent.key);
    const created = await call('create_api_key', {
      name: 'Export',
      expiresOn: inDays(9),
      userId: 'u-root',
      createdBy: 'root',
    });
    expect(created).toMatchObject({
      name: 'Export',
      status: 'Active',
      createdBy: { id: 'u-alice', username: 'alice' },
    });
    expect((await host.as(created.key, 'GET', '/me')).body).toMatchObject({ apiKey: { id: created.id } });
    const { id } = created;
    expect(await call('get_api_key', { id })).toMatchObject({ id, name: 'Export' });
    expect(await call('get_api_key', { id })).not.toHaveProperty('key');
    expect(await call('update_api_key', { id, name: 'Import' })).toMatchObject({ name: 'Import', version: 2 });
    expect(await call('revoke_api_key', { id })).toMatchObject({ status: 'Revoked' });
    const listed = await call('list_api_keys', { sort: 'name', limit: 1, total: true });
    expect(listed).toMatchObject({ items: [{ name: 'Agent' }], total: 2 });
    const next = await call('list_api_keys', { sort: 'name', limit: 1, cursor: listed.nextCursor });
    expect(next).toMatchObject({ items: [{ name: 'Import' }], nextCursor: null });
    const { items } = await call('list_api_key_audits', { apiKeyId: id });
    expect(items.map((item: { revisionType: string }) => item.revisionType)).toEqual(['Revoke', 'Update', 'Create']);
    for (const item of items) {
      expect(item).toMatchObject({
        author: { id: 'u-alice', username: 'alice' },
        actingApiKey: { id: agent.id, name: 'Agent' },
        origin: 'MCP',
      });
    }
  });

  it('the answer is there as text, too', async () => {
    const host = await startAdmin();
    const { client } = await connectMcp(host, 'alice');
    const { content, structuredContent } = await client.callTool({ name: 'list_api_keys', arguments: {} });
    expect(JSON.parse((content as { text: string }[])[0]?.text as string)).toEqual(structuredContent);
  });

  it('what goes wrong is a tool error with the exact message (specification 7.1)', async () => {
    const host = await startAdmin();
    await host.key('u-bob', 'Taken');
    const { id } = await host.key('u-alice', 'Own');
    const { failure, call } = await connectMcp(host, 'alice');
    expect(await failure('create_api_key', { name: 'Taken', expiresOn: inDays(1) })).toBe(
      'API key name must be unique.',
    );
    expect(await failure('create_api_key', { name: 'New', expiresOn: inDays(0) })).toBe(
      'Expiry date must be a future datetime.',
    );
    expect(await failure('update_api_key', { id, expiresOn: '2030-01-01' })).toBe(
      'Expiration date cannot exceed 1 year from today.',
    );
    expect(await failure('create_api_key', {})).toBe('API key name is required. Expiry date is required.');
    expect(await failure('update_api_key', { id })).toBe(
      'Give `name`, `description` or `expiresOn`: there is nothing to change.',
    );
    // As in the Admin API: other names are ignored.
    expect((await call('list_api_keys', { staus: 'Revoked' })).items).toHaveLength(1);
    expect((await call('list_api_key_audits', { form: 'then', id })).items).toHaveLength(1);
    await call('update_api_key', { id, description: 'Runs at night', expireOn: 'never' });
    for (const input of [{}, { id: { $ne: null } }])
      expect(await failure('get_api_key', input)).toBe('The input is not valid: `id` must be the id of an API key.');
    expect(await failure('list_api_keys', { limit: 'many' })).toBe('`limit` must be a whole number from 1 to 200.');
    await call('revoke_api_key', { id });
    expect(await failure('revoke_api_key', { id })).toBe('Only an Active API key can be revoked; this one is Revoked.');
    expect(host.errors).toEqual([]);
  });

  it('a parameter that a model sends without a value counts as left out (K13)', async () => {
    const host = await startAdmin();
    const { id } = await host.key('u-alice', 'Export');
    await host.key('u-root', 'Import');
    const { call, failure } = await connectMcp(host, 'root');
    const names = async (input: Record<string, unknown>) =>
      (await call('list_api_keys', input)).items.map(({ name }: { name: string }) => name);
    for (const field of ['status', 'search', 'scope', 'sort', 'cursor', 'limit', 'skip', 'total']) {
      for (const value of [null, '']) expect(await names({ [field]: value }), field).toEqual(['Import']);
    }
    expect(await names({ createdBy: null })).toEqual(['Import']);
    for (const field of ['scope', 'revisionType', 'origin', 'author', 'from', 'to', 'cursor', 'limit']) {
      for (const value of [null, '']) {
        expect((await call('list_api_key_audits', { [field]: value })).items, field).toHaveLength(2);
      }
    }
    expect((await call('list_api_key_audits', { apiKeyId: null })).items).toHaveLength(2);
    // Whose entries are asked for is not left out by mistake (K7).
    expect(await failure('list_api_keys', { createdBy: '' })).toBe('`createdBy` must not be empty.');
    expect(await failure('list_api_key_audits', { apiKeyId: '' })).toBe('`apiKeyId` must not be empty.');

    const described = { name: null, description: 'Nightly', expiresOn: null, version: null, toString: null };
    expect(await call('update_api_key', { id, ...described })).toMatchObject({
      name: 'Export',
      description: 'Nightly',
    });
    expect(await call('update_api_key', { id, name: 'Dump', version: 2 })).toMatchObject({ description: 'Nightly' });
    expect(await call('update_api_key', { id, description: null })).toMatchObject({ name: 'Dump', description: null });
    expect(await failure('update_api_key', { id, name: null })).toMatch(/there is nothing to change/);
    expect(await failure('update_api_key', { id, name: '' })).toBe('API key name is required.');
    expect(await failure('create_api_key', { name: null, expiresOn: null })).toBe(
      'API key name is required. Expiry date is required.',
    );
    expect(host.errors).toEqual([]);
  });

  it("rights are asked inside each tool: somebody else's key is not found, `all` is refused (K7)", async () => {
    const host = await startAdmin();
    const { id } = await host.key('u-alice', 'Export');
    const mallory = await connectMcp(host, 'mallory');
    for (const [tool, input] of [
      ['get_api_key', { id }],
      ['update_api_key', { id, name: 'Mine' }],
      ['revoke_api_key', { id }],
      ['list_api_key_audits', { apiKeyId: id }],
    ] as const) {
      expect(await mallory.failure(tool, input)).toBe('API key not found.');
    }
    expect(await mallory.failure('list_api_keys', { scope: 'all' })).toBe('You may see only your own API keys.');
    expect(await mallory.failure('list_api_key_audits', { scope: 'all' })).toBe('You may see only your own API keys.');
    const helen = await connectMcp(host, 'helen');
    expect(await helen.call('revoke_api_key', { id })).toMatchObject({ status: 'Revoked' });
  });

  it('a change of rights counts in the middle of a session (K11)', async () => {
    const host = await startAdmin();
    const { call, failure } = await connectMcp(host, 'bob');
    expect(await failure('list_api_keys', { scope: 'all' })).toMatch(/only your own/);
    (host.users.get('u-bob') as { superAdmin?: boolean }).superAdmin = true;
    expect(await call('list_api_keys', { scope: 'all' })).toMatchObject({ items: [] });
  });

  it('an unknown tool is an error of the protocol', async () => {
    const host = await startAdmin();
    const { client } = await connectMcp(host, 'alice');
    await expect(client.callTool({ name: 'delete_everything', arguments: {} })).rejects.toThrow(
      'There is no such tool.',
    );
  });

  it('a failure that nobody planned tells the client nothing and the host all', async () => {
    const boom = new Error('password=hunter2');
    const host = await startAdmin({
      admin: {
        mcpTools: [
          {
            name: 'boom',
            description: 'Fails.',
            handler: () => {
              throw boom;
            },
          },
        ],
      },
    });
    const { failure } = await connectMcp(host, 'alice');
    expect(await failure('boom')).toBe('The tool failed unexpectedly.');
    expect(host.errors).toEqual([boom]);
  });
});

describe("the host's own tools", () => {
  it('get their input checked and say who calls', async () => {
    const calls: unknown[] = [];
    const host = await startAdmin({
      admin: {
        mcpTools: [
          {
            name: 'start_sync',
            title: 'Start a synchronization',
            description: 'Starts a synchronization.',
            inputSchema: z.object({ connector: z.string().min(1), full: z.boolean().default(false) }),
            handler(input, { actor, user, signal }) {
              calls.push({ input, actor, username: user.username, aborted: signal.aborted });
              return { started: input.connector };
            },
          },
        ],
      },
    });
    const { id, key } = await host.key('u-alice', 'Agent');
    const { call, failure, client } = await connectMcp(host, key);
    expect(await call('start_sync', { connector: 'jira' })).toEqual({ started: 'jira' });
    expect(calls).toMatchObject([
      {
        input: { connector: 'jira', full: false },
        actor: { userId: 'u-alice', username: 'alice', origin: 'MCP', apiKeyId: id, authenticatedBy: 'api-key' },
        username: 'alice',
        aborted: false,
      },
    ]);
    expect(JSON.stringify(calls)).not.toContain(key);
    expect(await failure('start_sync', { connector: 7 })).toMatch(/^The input is not valid\. .*connector/s);
    expect(calls).toHaveLength(1);
    const tool = (await client.listTools()).tools.find(({ name }) => name === 'start_sync');
    expect(tool).toMatchObject({
      title: 'Start a synchronization',
      inputSchema: { type: 'object', required: ['connector'] },
      annotations: { readOnlyHint: false },
    });
  });

  it('may say what they return, as a zod object, a shape or a JSON Schema: clients check it', async () => {
    const orders = z.object({ open: z.number(), content: z.array(z.object({ type: z.string() })).optional() });
    const described = { type: 'object' as const, properties: { open: { type: 'number' } }, required: ['open'] };
    const tool = (name: string, outputSchema: McpTool['outputSchema'], value: unknown) => ({
      ...{ name, description: name, outputSchema, handler: () => value },
    });
    const host = await startAdmin({
      admin: {
        mcpTools: [
          tool('object', orders, { open: 3, internal: 'left out' }),
          tool('like_a_result', orders, { open: 3, content: [{ type: 'text', text: 'x' }] }),
          tool('shape', { open: z.number() }, { open: 3 }),
          tool('schema', described, { open: 3, more: true }),
          tool('wrong', orders, { open: 'three' }),
          tool('text', described, 'three'),
          { ...tool('refused', orders, ''), handler: () => Promise.reject(new ApiKeyError('forbidden', 'Not you.')) },
        ],
      },
    });
    const { call, client, failure } = await connectMcp(host, 'alice');
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'schema')?.outputSchema).toEqual(described);
    expect(tools.find(({ name }) => name === 'shape')?.outputSchema).toMatchObject({ required: ['open'] });
    expect(await call('object')).toEqual({ open: 3 });
    expect(await call('like_a_result')).toEqual({ open: 3, content: [{ type: 'text' }] });
    expect(await call('shape')).toEqual({ open: 3 });
    expect(await call('schema')).toEqual({ open: 3, more: true });
    expect(await failure('refused')).toBe('Not you.');
    expect(host.errors).toEqual([]);
    for (const name of ['wrong', 'text']) expect(await failure(name)).toBe('The tool failed unexpectedly.');
    expect(host.errors.map(String)).toEqual([
      expect.stringMatching(/`wrong` .*`outputSchema`.*open/s),
      expect.stringMatching(/`text` .*`outputSchema`.*object/s),
    ]);
  });

  it('may check their input asynchronously', async () => {
    const known = async (connector: string) => connector === 'jira';
    const inputSchema = z.object({ connector: z.string().refine(known, 'There is no such connector') });
    const tool = { name: 'start_sync', description: 'Starts one.', inputSchema, handler: () => 'started' };
    const host = await startAdmin({ admin: { mcpTools: [tool] } });
    const { client, failure } = await connectMcp(host, 'alice');
    const { content } = await client.callTool({ name: 'start_sync', arguments: { connector: 'jira' } });
    expect(content).toEqual([{ type: 'text', text: 'started' }]);
    expect(await failure('start_sync', { connector: 'ado' })).toMatch(/There is no such connector/);
    expect(host.errors).toEqual([]);
  });

  it('answer with text, JSON or a whole result, and refuse with an ApiKeyError', async () => {
    const tool = (name: string, handler: () => unknown) => ({ name, description: name, handler });
    const host = await startAdmin({
      admin: {
        mcpTools: [
          tool('text', () => 'done'),
          tool('list', () => [1, 2]),
          tool('nothing', () => undefined),
          tool('result', () => ({ content: [{ type: 'text', text: 'no' }], isError: true })),
          tool('forbidden', () => {
            throw new ApiKeyError('forbidden', 'You may not do that.');
          }),
          { ...tool('schema', () => 'ok'), inputSchema: { type: 'object', properties: { a: { type: 'string' } } } },
          { ...tool('shape', () => 'ok'), inputSchema: { type: z.string() }, readOnly: true },
        ],
      },
    });
    const { client, failure } = await connectMcp(host, 'alice');
    const content = async (name: string) => (await client.callTool({ name, arguments: {} })).content;
    expect(await content('text')).toEqual([{ type: 'text', text: 'done' }]);
    expect(await content('list')).toEqual([{ type: 'text', text: '[1,2]' }]);
    expect(await content('nothing')).toEqual([{ type: 'text', text: '' }]);
    expect(await content('schema')).toEqual([{ type: 'text', text: 'ok' }]);
    expect(await failure('result')).toBe('no');
    expect(await failure('forbidden')).toBe('You may not do that.');
    expect(await failure('shape')).toMatch(/type/);
  });

  it.each<[string, unknown, string]>([
    ['a page with a `content` of its own', { content: [{ id: 1 }, { id: 2 }], totalPages: 1 }, 'same'],
    ['texts in a `content`', { content: ['a'], title: 't' }, 'same'],
    ['an empty `content`', { content: [], total: 0 }, 'same'],
    ['a document whose `content` has types of its own', { type: 'doc', content: [{ type: 'paragraph' }] }, 'same'],
    ['a Map', new Map([['a', 1]]), '{}'],
    ['what leaves out a field', { a: 1, b: undefined }, '{"a":1}'],
    ['what says itself how it is JSON', { toJSON: () => ({ a: 1 }) }, '{"a":1}'],
    ['a time', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['an address', new URL('http://localhost/'), '"http://localhost/"'],
    ['what says itself that it is a list', { toJSON: () => [1] }, '[1]'],
  ])('answer with JSON also if it is %s', async (_, value, expected) => {
    const host = await startAdmin({
      admin: { mcpTools: [{ name: 'json', description: 'JSON.', handler: () => value }] },
    });
    const { client } = await connectMcp(host, 'alice');
    const result = await client.callTool({ name: 'json', arguments: {} });
    const text = expected === 'same' ? JSON.stringify(value) : expected;
    const json = JSON.parse(text);
    const isObject = text.startsWith('{');
    expect(result).toEqual({ content: [{ type: 'text', text }], ...(isObject && { structuredContent: json }) });
    expect(host.errors).toEqual([]);
  });

  it('and not if it is a stream: a tool answers once', async () => {
    const handler = async function* () {
      yield 'a';
    };
    const host = await startAdmin({ admin: { mcpTools: [{ name: 'parts', description: 'Parts.', handler }] } });
    const { client } = await connectMcp(host, 'alice');
    expect((await client.callTool({ name: 'parts', arguments: {} })).isError).toBe(true);
    expect(host.errors).toEqual([expect.objectContaining({ message: expect.stringContaining('answers once') })]);
  });
});
