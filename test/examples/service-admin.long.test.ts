import { readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { databaseKinds, emptyDatabase } from '../api-keys/helpers/databases.js';
import { BrowserSession } from './browser-session.js';
import { runService } from './run-service.js';
import { newDataDirectory } from './service-environment.js';
import { authorization, expectSilenceAbout, expiresOn, startService, statusOf } from './start-service.js';

// Several processes one after the other, each of which compiles the service first.
vi.setConfig({ testTimeout: 300_000 });

const refused = {
  errorMessage: 'Authentication failed. Valid credentials are required to access this resource.',
  stackTrace: null,
};

describe('the administration that it serves', () => {
  it('listens on 127.0.0.1 only and keeps its files to their owner', async () => {
    const data = newDataDirectory();
    const service = await startService(['--data', data]);
    const port = Number(new URL(service.url).port);
    const reach = (host: string) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ host, port }, () => resolve(true));
        socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
      });
    expect(await reach('127.0.0.1')).toBe(true);
    expect(await reach('127.0.0.2')).toBe(false);
    const modes = Object.fromEntries(
      ['', ...readdirSync(data)].map((name) => [name, (statSync(path.join(data, name)).mode & 0o777).toString(8)]),
    );
    expect(modes).toMatchObject({ '': '700', 'api-keys.db': '600', 'users.db': '600', 'session-secret': '600' });
    expect(new Set(Object.values(modes))).toEqual(new Set(['700', '600']));
  });

  it('answers MCP, the state of the synchronization included, until the key is revoked (K11)', async () => {
    const service = await startService(['--data', newDataDirectory()]);
    const sam = `sam:${service.passwords.sam}`;
    const { id, key } = await service.createKey(sam, 'For an assistant');
    const client = new Client({ name: 'test', version: '1.0.0' });
    const requestInit = { headers: { authorization: `ApiKey ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit }));
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['list_api_keys', 'sync_status']));

    await service.printed('The next synchronization starts');
    const { structuredContent } = await client.callTool({ name: 'sync_status' });
    expect(structuredContent).toMatchObject({
      state: 'waiting',
      nextRunOn: expect.stringMatching(/Z$/),
      lastRun: { equal: true, created: 1, source: 'acme/support' },
      connections: { source: { session: 'active', paused: false }, target: { session: 'active' } },
    });

    expect((await service.call(key, 'POST', `/api-keys/${id}/revoke`)).body.status).toBe('Revoked');
    await expect(client.callTool({ name: 'sync_status' })).rejects.toThrow();
    expect((await service.call(key, 'GET', '/me')).body).toEqual(refused);
    await service.printed(`Authentication refused: revoked, API key ${id}`);
    expectSilenceAbout(service, [key, key.slice(16)]);
  });

  it('lets the Super Admin delete sam: the keys are revoked, and no later start brings sam back (K6)', async () => {
    const data = newDataDirectory();
    const service = await startService(['--data', data]);
    const { admin = '', sam = '' } = service.passwords;
    const keys = [await service.createKey(`sam:${sam}`, 'First'), await service.createKey(`sam:${sam}`, 'Second')];
    const own = await service.createKey(`admin:${admin}`, 'Not of sam');
    const samsBrowser = new BrowserSession();
    await samsBrowser.signIn(service.url, 'sam', sam);
    expect((await samsBrowser.get(`${service.url}/users`)).status).toBe(404);

    const browser = new BrowserSession();
    await browser.signIn(service.url, 'admin', admin);
    const { html } = await browser.get(`${service.url}/users`);
    const samsId = /\/users\/delete\?id=([0-9a-f-]{36})/.exec(html)?.[1];
    const removed = await browser.submit(`${service.url}/users/delete?id=${samsId}`, { username: 'sam' });
    expect(removed.status).toBe(303);
    expect((await browser.get(`${service.url}/users`)).html).toContain('2 API keys were revoked.');

    for (const { key } of keys) expect((await service.call(key, 'GET', '/me')).body).toEqual(refused);
    expect(await statusOf(service, own.key)).toBe(200);
    expect(await statusOf(service, `sam:${sam}`)).toBe(401);
    expect((await samsBrowser.get(`${service.url}/api-keys`)).status).toBe(303);
    const audits = await service.call(`admin:${admin}`, 'GET', '/audits?revisionType=Revoke');
    expect(audits.body.items).toHaveLength(2);
    expect(audits.body.items[0]).toMatchObject({ author: { username: 'admin' }, origin: 'System' });
    await service.stop();

    const next = await startService(['--data', data], { CONCORDAT_USER_PASSWORD: sam });
    expect(await statusOf(next, `sam:${sam}`)).toBe(401);
    expect(await statusOf(next, own.key)).toBe(200);
    expectSilenceAbout(next, [sam, admin, own.key]);
  });

  it('offers no API keys in the edition Standard, and leaves the old ones to be revoked (K12)', async () => {
    const data = newDataDirectory();
    const professional = await startService(['--data', data]);
    const sam = `sam:${professional.passwords.sam}`;
    const { id, key } = await professional.createKey(sam, 'From better days');
    expect(await statusOf(professional, key)).toBe(200);
    await professional.stop();

    const standard = await startService(['--data', data, '--edition', 'Standard']);
    expect(await statusOf(standard, key)).toBe(401);
    expect((await standard.call(sam, 'POST', '/api-keys', { name: 'Another', expiresOn })).status).toBe(403);
    expect((await standard.call(sam, 'POST', `/api-keys/${id}/revoke`)).status).toBe(200);
    expect(standard.stdout).toContain('Standard, which has no API keys');
  });

  it('refuses a DATABASE_URL that is none or cannot be reached, without its password', async () => {
    const run = (url: string) =>
      runService(['--port', '0', '--data', newDataDirectory()], { environment: { DATABASE_URL: url } });
    const [unknown, unreachable] = await Promise.all([
      run('mysql://service:Geheim123@127.0.0.1/x'),
      run('postgres://service:Geheim123@127.0.0.1:1/x'),
    ]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('DATABASE_URL must be a postgres:// URL.');
    expect(unreachable.code).toBe(1);
    expect(unreachable.stderr).toContain('The API keys in the PostgreSQL of DATABASE_URL cannot be opened');
    for (const { stdout, stderr } of [unknown, unreachable]) expect(stdout + stderr).not.toContain('Geheim123');
  });
});

describe.each(databaseKinds)('API keys of the reference service in $name', (kind) => {
  const start = async (data: string, url: string) =>
    await startService(['--data', data], kind.name === 'PostgreSQL' ? { DATABASE_URL: url } : {});

  it('are made with a password, used in both headers, and refused once revoked; all of it outlives kill -9 (K8, K18)', async () => {
    const data = newDataDirectory();
    const { url } = await emptyDatabase(kind);
    const first = await start(data, url);
    const { admin = '', sam = '' } = first.passwords;
    const created = await first.call(`sam:${sam}`, 'POST', '/api-keys', { name: 'Nightly export', expiresOn });
    expect(created).toMatchObject({ status: 201, body: { status: 'Active', createdBy: { username: 'sam' } } });
    const { id, key } = created.body;
    expect(await statusOf(first, key)).toBe(200);
    const scheme = await fetch(`${first.url}/api/v1/me`, { headers: { authorization: `ApiKey ${key}` } });
    expect(scheme.status).toBe(200);
    expect(await first.stop('SIGKILL')).toBeNull();

    const second = await start(data, url);
    expect(await statusOf(second, key)).toBe(200);
    expect(await statusOf(second, `admin:${admin}`)).toBe(200);
    expect((await second.call(`sam:${sam}`, 'POST', `/api-keys/${id}/revoke`)).status).toBe(200);
    await second.stop('SIGKILL');

    const third = await start(data, url);
    expect(await third.call(key, 'GET', '/me')).toMatchObject({ status: 401, body: refused });
    const { body } = await third.call(`admin:${admin}`, 'GET', '/audits');
    expect(body.items.map(({ revisionType }: { revisionType: string }) => revisionType)).toEqual(['Revoke', 'Create']);
    expect(readdirSync(data).includes('api-keys.db')).toBe(kind.name === 'SQLite');
    for (const service of [second, third]) expectSilenceAbout(service, [key, key.slice(16), admin, sam]);
    expectSilenceAbout(first, [key, key.slice(16)]);
  });

  it('have their last use written at Ctrl-C (K10)', async () => {
    const data = newDataDirectory();
    const { url } = await emptyDatabase(kind);
    const first = await start(data, url);
    const sam = `sam:${first.passwords.sam}`;
    const { id, key } = await first.createKey(sam, 'Used');
    const unused = await first.createKey(sam, 'Not used');
    await first.call(key, 'GET', '/me');
    expect(await first.stop()).toBe(130);

    const second = await start(data, url);
    const lastAccessed = async (keyId: string) =>
      (await second.call(sam, 'GET', `/api-keys/${keyId}`)).body.lastAccessed;
    expect(await lastAccessed(id)).toMatch(/Z$/);
    expect(await lastAccessed(unused.id)).toBeNull();
  });
});

describe('the administration and the ways to run the service', () => {
  it('does not come with --once unless it is asked for', async () => {
    const [without, asked] = [newDataDirectory(), newDataDirectory()];
    const arguments_ = ['--once', '--issues', '1', '--port', '0'];
    const [plain, served] = await Promise.all([
      runService([...arguments_, '--data', without]),
      runService([...arguments_, '--data', asked, '--admin']),
    ]);
    expect(plain.code, plain.stderr).toBe(0);
    expect(plain.stdout).not.toContain('Administration');
    // The run is recorded, and there is nothing else.
    expect(readdirSync(without)).toEqual(['syncs.db']);
    expect(served.code, served.stderr).toBe(0);
    expect(served.stdout).toMatch(/^Administration: http:\/\/127\.0\.0\.1:\d+\/$/m);
    expect(readdirSync(asked)).toContain('users.db');
  });

  it('keeps stdout to JSON with --json, the passwords included', async () => {
    const service = await startService(['--data', newDataDirectory(), '--json']);
    await service.printed('The next synchronization starts');
    expect(await statusOf(service, `sam:${service.passwords.sam}`)).toBe(200);
    const lines = service.stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ equal: true, created: 1 })]);
    expect(service.stderr).toContain(service.passwords.sam);
  });

  it('ends at Ctrl-C although a stream and an idle connection are open', async () => {
    const service = await startService(['--data', newDataDirectory()]);
    const headers = authorization(`sam:${service.passwords.sam}`);
    const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } });
    transport.onerror = () => {};
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(transport);
    onTestFinished(() => client.close());
    expect(await service.stop()).toBe(130);
    await expect(fetch(service.url)).rejects.toThrow();
  });
});
