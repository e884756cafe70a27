import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { textOf } from '../admin/ui/helpers/html.js';
import { Visitor } from '../admin/ui/helpers/visitor.js';
import { startEmptyHost } from './start-host.js';

test('the example host is under 80 lines', async () => {
  const source = await readFile(new URL('../../examples/host/main.ts', import.meta.url), 'utf8');
  expect(source.trimEnd().split('\n').length).toBeLessThan(80);
});

test('its users sign in at its own page, make a key below /settings, call its API, and sign out', async () => {
  const { url } = await startEmptyHost();
  const visitor = new Visitor(url);
  await visitor.open('/settings');
  expect(visitor.page.path).toBe('/login?to=%2Fsettings%2F');
  await visitor.submit('to=', { login: 'sam' });
  expect([visitor.page.status, visitor.page.path]).toEqual([200, '/settings/api-keys']);
  expect(textOf(visitor.page.html)).toContain('Signed in as sam');
  expect(visitor.page.html).toContain('<title>API keys · Acme</title>');

  await visitor.open('/settings/api-keys/new');
  await visitor.submit('/api-keys/new', { name: 'Export', expiry: '30' });
  const key = /acme_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}/.exec(visitor.page.html)?.[0] as string;
  const orders = async (value: string) => {
    const response = await fetch(`${url}/orders`, { headers: { 'x-api-key': value } });
    return [response.status, await response.json()];
  };
  expect(await orders(key)).toEqual([200, { orders: 3, for: 'sam' }]);
  const me = await fetch(`${url}/settings/api/v1/me`, { headers: { 'x-api-key': key } });
  expect(await me.json()).toMatchObject({ user: { id: 'sam' }, rights: { manageAllApiKeys: false } });

  const ada = new Visitor(url);
  await ada.open('/settings/api-keys?scope=all');
  await ada.submit('to=', { login: 'ada' });
  expect(ada.page.path).toBe('/settings/api-keys?scope=all');
  const [id] = key.split('_').slice(1) as [string];
  await ada.open(`/settings/api-keys/${id}/revoke`);
  await ada.submit('/revoke');
  expect(await orders(key)).toEqual([401, { error: 'No valid key' }]);

  const thief = new Visitor(url, new Map(visitor.cookies));
  await visitor.open('/logout');
  for (const each of [visitor, thief]) expect((await each.request('/settings/api-keys')).status).toBe(303);
});

test('a sign-in without a body is no error of the server', async () => {
  const { url } = await startEmptyHost();
  const response = await fetch(`${url}/login`, { method: 'POST', redirect: 'manual' });
  expect(response.status).toBe(303);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it, and its databases are closed', async (signal) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'concordat-host-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const env = { ...process.env, NODE_OPTIONS: '', PORT: '0', DATA: directory };
  const host = spawn(process.execPath, ['--import', 'tsx', 'examples/host/main.ts'], { env });
  onTestFinished(() => void host.kill('SIGKILL'));
  const ended = once(host, 'exit');
  await once(host.stdout, 'data');
  host.kill(signal);
  expect(await ended).toEqual([0, null]);
  expect((await readdir(directory)).sort()).toEqual(['acme-keys.db', 'acme.db']);
});

test('nobody is sent to another site after signing in', async () => {
  const { url } = await startEmptyHost();
  for (const to of ['//evil.example', 'https://evil.example/settings', '/settings.evil.example']) {
    const body = new URLSearchParams({ login: 'sam' });
    const address = `${url}/login?to=${encodeURIComponent(to)}`;
    const response = await fetch(address, { method: 'POST', body, redirect: 'manual' });
    expect(response.headers.get('location')).toBe('/settings');
  }
});
