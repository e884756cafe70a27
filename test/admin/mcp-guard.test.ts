import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createAdmin } from 'concordat/admin';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AdminHost, basic, inDays, startAdmin } from './helpers/admin-host.js';
import { accept, beginSession, connectMcp, initialize } from './helpers/mcp.js';

const unauthenticated = {
  errorMessage: 'Authentication failed. Valid credentials are required to access this resource.',
  stackTrace: null,
};

const mcp = (
  host: AdminHost,
  headers: readonly string[],
  body: object | string | undefined = initialize,
  method = 'POST',
) => host.send({ method, path: '/mcp', headers: [...headers, ...accept], ...(body !== undefined && { body }) });

describe('authentication of MCP (specification 5, K9)', () => {
  it.each(['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD'])(
    '%s without credentials, or with wrong ones, is 401 before anything else is looked at',
    async (method) => {
      const host = await startAdmin();
      for (const headers of [[], ['x-api-key', 'wrong'], ['x-api-key', '', ...basic('alice')]]) {
        const answer = await host.send({ method, path: '/mcp', headers });
        expect(answer.status).toBe(401);
        expect(answer.headers['www-authenticate']).toBe('ApiKey');
        expect(answer.headers['cache-control']).toBe('no-store');
        if (method !== 'HEAD') expect(answer.body).toEqual(unauthenticated);
      }
    },
  );

  it.each(['PUT', 'PATCH', 'OPTIONS'])('%s with good credentials is 405', async (method) => {
    const host = await startAdmin();
    const answer = await host.send({ method, path: '/mcp', headers: basic('alice') });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, POST, DELETE');
    expect(answer.body).toMatchObject({ stackTrace: null });
  });

  it('the official client is told of a 401', async () => {
    const host = await startAdmin();
    const error = await connectMcp(host, 'ck_wrong').catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StreamableHTTPError);
    expect(error.code).toBe(401);
  });

  it('every request of a session is authenticated anew', async () => {
    const host = await startAdmin();
    const { id, key } = await host.key('u-alice', 'Agent');
    const sessionId = await beginSession(host, ['x-api-key', key]);
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
    const withSession = ['x-api-key', key, 'mcp-session-id', sessionId];
    expect((await mcp(host, withSession, ping)).status).toBe(200);
    expect((await mcp(host, ['mcp-session-id', sessionId], ping)).status).toBe(401);
    await host.apiKeys.revoke({ userId: 'u-alice', username: 'alice' }, id);
    expect((await mcp(host, withSession, ping)).status).toBe(401);
  });

  it('no OAuth metadata: a client would leave its key and start OAuth', async () => {
    const host = await startAdmin({ admin: { basePath: '/admin' } });
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/admin/mcp',
      '/.well-known/oauth-authorization-server',
      '/admin/.well-known/oauth-protected-resource',
      '/admin/mcp/.well-known/openid-configuration',
    ]) {
      const answer = await host.send({ path });
      expect(answer.status, path).toBe(404);
      expect(answer.body).toEqual({ errorMessage: 'There is no such resource.', stackTrace: null });
    }
  });
});

describe('host and origin (DNS rebinding)', () => {
  const statusOf = async (host: AdminHost, headers: readonly string[]) =>
    (await mcp(host, [...basic('alice'), ...headers])).status;

  it.each(['localhost', 'LOCALHOST:3000', '127.0.0.1:9999', '[::1]:8080'])('a call to %s is served', async (name) => {
    const host = await startAdmin();
    expect(await statusOf(host, ['host', name])).toBe(200);
  });

  it.each(['evil.example', 'evil.example:80', 'localhost.evil.example', '127.0.0.1.nip.io', '192.0.2.1', 'localhost.'])(
    'a call to %s is refused before credentials are looked at',
    async (name) => {
      const host = await startAdmin();
      const answer = await mcp(host, ['x-api-key', 'wrong', 'host', name]);
      expect(answer.status).toBe(403);
      expect(answer.body.errorMessage).toMatch(/^This host name is not allowed/);
      expect(host.failures).toEqual([]);
    },
  );

  it.each([
    'https://evil.example',
    'http://localhost.evil.example',
    'null',
    'file://',
    'nonsense',
    'chrome-extension://abc',
  ])('a page of origin %s is refused', async (origin) => {
    const host = await startAdmin();
    const answer = await mcp(host, [...basic('alice'), 'origin', origin]);
    expect(answer.status).toBe(403);
    const isHost = /^https?:/.test(origin);
    expect(answer.body.errorMessage).toBe(
      isHost
        ? 'This origin is not allowed for MCP. Add its host to `allowedHosts`.'
        : 'This origin is not allowed for MCP: it must be an http or https page, not a file, a sandboxed page or an extension.',
    );
  });

  it('a page of this machine is served (control)', async () => {
    const host = await startAdmin();
    expect(await statusOf(host, ['origin', 'http://localhost:6274'])).toBe(200);
  });

  it('`allowedHosts` adds names, with any port or with one', async () => {
    const host = await startAdmin({
      admin: { allowedHosts: ['Keys.Example.com', 'mcp.example.com:8443', 'tls.example.com:443'] },
    });
    for (const [name, status] of [
      ['keys.example.com', 200],
      ['keys.example.com:8080', 200],
      ['mcp.example.com:8443', 200],
      ['mcp.example.com', 403],
      ['mcp.example.com:9000', 403],
      ['tls.example.com', 200],
      ['sub.keys.example.com', 403],
      ['localhost', 200],
    ] as const) {
      expect(await statusOf(host, ['host', name]), name).toBe(status);
    }
    expect(await statusOf(host, ['host', 'keys.example.com', 'origin', 'https://keys.example.com'])).toBe(200);
    expect(await statusOf(host, ['host', 'keys.example.com', 'origin', 'https://tls.example.com'])).toBe(200);
    expect(await statusOf(host, ['host', 'keys.example.com', 'origin', 'http://tls.example.com'])).toBe(403);
  });

  it('a name in a header that a proxy would set counts nothing', async () => {
    const host = await startAdmin();
    expect(await statusOf(host, ['host', 'evil.example', 'x-forwarded-host', 'localhost'])).toBe(403);
  });
});

describe('sessions belong to their user', () => {
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };

  it("another user's session is answered as one that does not exist, in every method", async () => {
    const host = await startAdmin();
    const sessionId = await beginSession(host, basic('alice'));
    for (const [method, body] of [
      ['POST', ping],
      ['GET', undefined],
      ['DELETE', undefined],
    ] as const) {
      const hijacked = await mcp(host, [...basic('mallory'), 'mcp-session-id', sessionId], body, method);
      const unknown = await mcp(host, [...basic('mallory'), 'mcp-session-id', crypto.randomUUID()], body, method);
      expect(hijacked.status).toBe(404);
      expect(hijacked.text).toBe(unknown.text);
    }
    expect((await mcp(host, [...basic('alice'), 'mcp-session-id', sessionId], ping)).status).toBe(200);
  });

  it("goes on with the owner's next key, after the first one was revoked", async () => {
    const host = await startAdmin();
    const first = await host.key('u-alice', 'First');
    const second = await host.key('u-alice', 'Second');
    const sessionId = await beginSession(host, ['x-api-key', first.key]);
    await host.apiKeys.revoke({ userId: 'u-alice', username: 'alice' }, first.id);
    expect((await mcp(host, ['x-api-key', second.key, 'mcp-session-id', sessionId], ping)).status).toBe(200);
  });

  it('the acting key is the one of the request, not the one that began the session (K15)', async () => {
    const host = await startAdmin();
    const first = await host.key('u-alice', 'First');
    const second = await host.key('u-alice', 'Second');
    const sessionId = await beginSession(host, ['x-api-key', first.key]);
    const call = {
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/call',
      params: { name: 'create_api_key', arguments: { name: 'New', expiresOn: inDays(1) } },
    };
    expect((await mcp(host, ['x-api-key', second.key, 'mcp-session-id', sessionId], call)).status).toBe(200);
    const { items } = await host.apiKeys.audits({ userId: 'u-alice', username: 'alice' });
    expect(items[0]).toMatchObject({ name: 'New', actingApiKey: { id: second.id } });
  });

  it('ends with DELETE', async () => {
    const host = await startAdmin();
    const withSession = [...basic('alice'), 'mcp-session-id', await beginSession(host, basic('alice'))];
    expect((await mcp(host, withSession, ping)).status).toBe(200);
    expect((await mcp(host, withSession, undefined, 'DELETE')).status).toBe(200);
    expect((await mcp(host, withSession, ping)).status).toBe(404);
  });

  it('ends after half an hour without a request, and not before', async () => {
    const host = await startAdmin();
    const withSession = [...basic('alice'), 'mcp-session-id', await beginSession(host, basic('alice'))];
    await host.clock.advance(1_795_000);
    expect((await mcp(host, withSession, ping)).status).toBe(200);
    await host.clock.advance(1_795_000);
    expect((await mcp(host, withSession, ping)).status).toBe(200);
    await host.clock.advance(1_801_000);
    expect((await mcp(host, withSession, ping)).status).toBe(404);
    expect(host.clock.pending).toBe(0);
  });

  it("a user's hundred and first session pushes out their oldest one, and nobody else's", async () => {
    const host = await startAdmin();
    const { key } = await host.key('u-alice', 'Agent');
    const bobs = [...basic('bob'), 'mcp-session-id', await beginSession(host, basic('bob'))];
    const ids: string[] = [];
    for (let count = 0; count < 101; count++) ids.push(await beginSession(host, ['x-api-key', key]));
    const statusOf = async (id: string) => (await mcp(host, ['x-api-key', key, 'mcp-session-id', id], ping)).status;
    expect(await statusOf(ids[0] as string)).toBe(404);
    expect(await statusOf(ids[1] as string)).toBe(200);
    expect(await statusOf(ids[100] as string)).toBe(200);
    expect((await mcp(host, bobs, ping)).status).toBe(200);
  });
});

describe('hostile messages', () => {
  it.each<[string, object | string, number, number]>([
    ['no JSON', '{"jsonrpc"', 400, -32700],
    ['nothing', '', 400, -32700],
    ['null', 'null', 400, -32000],
    ['no message', '{"method":"initialize"}', 400, -32700],
    ['a request without a session', { jsonrpc: '2.0', id: 1, method: 'ping' }, 400, -32000],
    ['two initializations at once', [initialize, { ...initialize, id: 2 }], 400, -32600],
    ['more than 1 MiB', `"${'x'.repeat(1024 * 1024)}"`, 413, -32000],
  ])('%s is an error of the protocol that begins no session', async (_, body, status, code) => {
    const host = await startAdmin();
    const answer = await mcp(host, basic('alice'), body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', error: { code }, id: null });
    expect(answer.headers['mcp-session-id']).toBeUndefined();
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(host.clock.pending).toBe(0);
    expect(host.errors).toEqual([]);
  });

  it('wrong `accept` and content type are refused', async () => {
    const host = await startAdmin();
    const post = (headers: readonly string[]) =>
      host.send({ method: 'POST', path: '/mcp', headers: [...basic('alice'), ...headers], body: initialize });
    expect((await post(['accept', 'application/json'])).status).toBe(406);
    expect((await post([...accept.slice(0, 2), 'content-type', 'text/plain'])).status).toBe(415);
    expect((await post(accept)).status).toBe(200);
  });
});

describe('options', () => {
  const tool = { name: 'tool', description: 'A tool.', handler: () => 'ok' };
  it.each<[string, object, RegExp]>([
    ['allowedHosts', { allowedHosts: 'example.com' }, /`allowedHosts`/],
    ['allowedHosts', { allowedHosts: ['https://example.com'] }, /`allowedHosts\[0\]`/],
    ['allowedHosts', { allowedHosts: ['*'] }, /`allowedHosts\[0\]`/],
    ['mcpSessionIdleMs', { mcpSessionIdleMs: 0 }, /`mcpSessionIdleMs`/],
    ['mcpTools', { mcpTools: {} }, /`mcpTools`/],
    ['mcpTools', { mcpTools: [null] }, /`mcpTools\[0\]` must be an object with `name`/],
    ['mcpTools', { mcpTools: [{ ...tool, name: 'a b' }] }, /`mcpTools\[0\].name`/],
    ['mcpTools', { mcpTools: [tool, { ...tool }] }, /`mcpTools\[1\].name` is taken/],
    ['mcpTools', { mcpTools: [{ ...tool, name: 'get_api_key' }] }, /`mcpTools\[0\].name` is taken/],
    [
      'mcpTools',
      { mcpTools: [{ ...tool, readonly: true }] },
      /`mcpTools\[0\].readonly` is not an option: did you mean `readOnly`/,
    ],
    ['mcpTools', { mcpTools: [{ ...tool, description: '' }] }, /`mcpTools\[0\].description`/],
    ['mcpTools', { mcpTools: [{ ...tool, handler: 'x' }] }, /`mcpTools\[0\].handler`/],
    ['mcpTools', { mcpTools: [{ ...tool, inputSchema: { a: 1 } }] }, /`mcpTools\[0\].inputSchema`/],
    ['mcpTools', { mcpTools: [{ ...tool, inputSchema: 'text' }] }, /`mcpTools\[0\].inputSchema`/],
    ['mcpTools', { mcpTools: [{ ...tool, outputSchema: 'text' }] }, /`mcpTools\[0\].outputSchema`/],
    ['mcpTools', { mcpTools: [{ ...tool, outputSchema: z.array(z.string()) }] }, /`mcpTools\[0\].outputSchema`/],
    [
      'mcpTools',
      { mcpTools: [{ ...tool, inputSchema: [] }] },
      /`mcpTools\[0\].inputSchema` must be .* \(not an array\)/,
    ],
    ...[z.string(), z.array(z.string()), z.string().transform((text) => ({ text }))].map(
      (inputSchema): [string, object, RegExp] => [
        'mcpTools',
        { mcpTools: [{ ...tool, inputSchema }] },
        /`mcpTools\[0\].inputSchema` must be an object schema of zod 4, or a JSON Schema \(not of type (string|array)\)\.$/,
      ],
    ),
    [
      'mcpTools',
      { mcpTools: [{ ...tool, inputSchema: z.object({ at: z.coerce.date() }) }] },
      /`mcpTools\[0\].inputSchema` must be .* \(Date cannot be represented in JSON Schema\)/,
    ],
  ])('a wrong `%s` is a TypeError that names it: %j', async (_, options, message) => {
    const host = await startAdmin();
    const users = { findById: async () => undefined, findByUsername: async () => undefined };
    const create = (more: object) => createAdmin({ apiKeys: host.apiKeys, users, edition: 'Professional', ...more });
    expect(() => create(options)).toThrow(message);
    expect(() => create(options)).toThrow(TypeError);
    await create({ mcpTools: [tool], allowedHosts: ['example.com'] }).close();
  });
});
