import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BrowserSession } from './browser-session.js';
import { runService } from './run-service.js';
import { newDataDirectory } from './service-environment.js';
import { expectSilenceAbout, startService, statusOf } from './start-service.js';

// Several processes one after the other, each of which compiles the service first.
vi.setConfig({ testTimeout: 300_000 });

describe('the first start of the reference service', () => {
  it('prints the passwords once; they hold from then on, and a restart signs nobody out', async () => {
    const data = newDataDirectory();
    const first = await startService(['--data', data]);
    const { admin = '', uma = '', sam = '' } = first.passwords;
    expect(new Set([admin, uma, sam, '']).size).toBe(4);
    expect((await first.call(`admin:${admin}`, 'GET', '/me')).body.rights.manageAllApiKeys).toBe(true);
    const manager = await first.call(`uma:${uma}`, 'GET', '/me');
    expect(manager.body.rights.manageAllApiKeys).toBe(true);
    const managers = new BrowserSession();
    await managers.signIn(first.url, 'uma', uma);
    // User Management – Write is no Super Admin: no page of users, and nobody else's sign-in.
    expect((await managers.get(`${first.url}/api-keys?scope=all`)).status).toBe(200);
    expect((await managers.get(`${first.url}/users`)).status).toBe(404);
    expect((await first.call(`sam:${sam}`, 'GET', '/me')).body.rights.manageAllApiKeys).toBe(false);
    expect(await statusOf(first, `sam:${admin}`)).toBe(401);
    const browser = new BrowserSession();
    await browser.signIn(first.url, 'sam', sam);
    expect(await first.stop()).toBe(130);

    const second = await startService(['--data', data]);
    expect(second.passwords).toEqual({});
    expectSilenceAbout(second, [admin, uma, sam]);
    expect(await statusOf(second, `uma:${uma}`)).toBe(200);
    expect(await statusOf(second, `admin:${admin}`)).toBe(200);
    expect(await statusOf(second, `sam:${sam}`)).toBe(200);
    expect((await browser.get(`${second.url}/api-keys`)).status).toBe(200);
    expect((await new BrowserSession().get(`${second.url}/api-keys`)).status).toBe(303);
  });

  it('takes passwords from the environment without printing them, and later ones in place of lost ones', async () => {
    const data = newDataDirectory();
    const chosen = {
      CONCORDAT_ADMIN_PASSWORD: 'first: of the admin',
      CONCORDAT_MANAGER_PASSWORD: 'first of uma',
      CONCORDAT_USER_PASSWORD: 'first of sam',
    };
    const first = await startService(['--data', data], chosen);
    expect(first.passwords).toEqual({});
    expect(await statusOf(first, 'admin:first: of the admin')).toBe(200);
    expect(await statusOf(first, 'sam:first of sam')).toBe(200);
    expectSilenceAbout(first, Object.values(chosen));
    const [admins, sams] = [new BrowserSession(), new BrowserSession()];
    await admins.signIn(first.url, 'admin', chosen.CONCORDAT_ADMIN_PASSWORD);
    await sams.signIn(first.url, 'sam', chosen.CONCORDAT_USER_PASSWORD);
    await first.stop();

    const changed = { ...chosen, CONCORDAT_ADMIN_PASSWORD: 'second of the admin' };
    const second = await startService(['--data', data], changed);
    // A new password ends the sessions of the old one; the same one given again is no new one.
    expect((await admins.get(`${second.url}/api-keys`)).status).toBe(303);
    expect((await sams.get(`${second.url}/api-keys`)).status).toBe(200);
    expect(await statusOf(second, 'admin:second of the admin')).toBe(200);
    expect(await statusOf(second, 'admin:first: of the admin')).toBe(401);
    expect(await statusOf(second, 'sam:first of sam')).toBe(200);
    expectSilenceAbout(second, [...Object.values(chosen), 'second of the admin']);
  });

  it('prints one set of passwords when two processes start at once', async () => {
    const data = newDataDirectory();
    const both = await Promise.all([startService(['--data', data]), startService(['--data', data])]);
    const printed = both.map(({ passwords }) => passwords).filter(({ admin }) => admin !== undefined);
    expect(printed).toHaveLength(1);
    for (const service of both) expect(await statusOf(service, `admin:${printed[0]?.admin}`)).toBe(200);
  });

  it('makes no passwords that nobody sees: a taken port ends it before, and says what to do', async () => {
    const data = newDataDirectory();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const taken = await runService(['--data', data, '--issues', '0'], { environment: { PORT: String(port) } });
    expect(taken.code).toBe(1);
    expect(taken.stdout).toBe('');
    expect(taken.stderr).toContain(
      `error: Port ${port} of the administration is taken. Choose another one, or 0 for any free one: npm start -- --port 0\n`,
    );
    const next = await startService(['--data', data]);
    expect(Object.keys(next.passwords)).toEqual(['admin', 'uma', 'sam']);
  });

  it('says so when the data directory cannot be used', async () => {
    const run = await runService(['--port', '0', '--data', path.join(process.execPath, 'data')]);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(
      /^error: The data directory cannot be used \(ENOTDIR.*\)\. Name another one with --data\.\n$/,
    );
  });

  it.each(['users.db', 'syncs.db'])('names %s and what to do when it is damaged', async (name) => {
    const data = newDataDirectory();
    mkdirSync(data, { recursive: true });
    writeFileSync(path.join(data, name), 'no database');
    const run = await runService(['--port', '0', '--data', data, '--issues', '0']);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`error: ${path.join(data, name)} cannot be used (file is not a database).`);
  });

  it('blames HOST when it is no address of this machine', async () => {
    const run = await runService(['--port', '0', '--issues', '0'], { environment: { HOST: '192.0.2.1' } });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^error: HOST 192\.0\.2\.1 is no address of this machine/m);
  });

  it('says what it waits for when Redis cannot be reached', async () => {
    const service = await startService([], { REDIS_URL: 'redis://127.0.0.1:1' });
    await service.printed('Redis: connect ECONNREFUSED 127.0.0.1:1');
  });
});
