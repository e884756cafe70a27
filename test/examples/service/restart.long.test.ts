import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startEmulatedGitHub } from '../../../examples/service/emulated-github.js';
import { textOf } from '../../admin/ui/helpers/html.js';
import { Visitor } from '../../admin/ui/helpers/visitor.js';
import { runService } from '../run-service.js';
import { newDataDirectory } from '../service-environment.js';
import { startService } from '../start-service.js';
import { EventReader } from './helpers/event-source.js';

// Several processes one after the other, each of which compiles the service first.
vi.setConfig({ testTimeout: 300_000 });

const passwords = { CONCORDAT_ADMIN_PASSWORD: 'of the admin', CONCORDAT_USER_PASSWORD: 'of sam' };

async function startGitHub(issues: number) {
  const github = await startEmulatedGitHub(issues);
  onTestFinished(() => github.close());
  const { apiUrl, token, source, target } = github;
  return { GITHUB_API_URL: apiUrl, GITHUB_TOKEN: token, SOURCE_REPO: source, TARGET_REPO: target };
}

describe('runs of the real service', () => {
  it('that are killed in the middle are shown as interrupted after the restart, and gone on with', async () => {
    const github = await startGitHub(40);
    const data = newDataDirectory();
    const args = ['--data', data, '--interval', '600', '--quota', '15', '--window', '30', '--concurrency', '2'];
    const first = await startService(args, { ...github, ...passwords }, 'Connector:');
    expect(first.stdout).toContain(`Syncs:          ${first.url}/syncs`);
    const admin = new Visitor(first.url);
    await admin.signIn('admin', passwords.CONCORDAT_ADMIN_PASSWORD);
    const stream = await EventReader.open(`${first.url}/syncs/events`, admin);
    // Not before it has written something, and in the middle of a wait of half a minute.
    let update = await stream.update();
    const isWaiting = () => update.events.some((event) => event.type === 'pause' && event.connection === 'Target');
    while (!isWaiting()) update = await stream.update();
    while (update.run.written === 0) update = await stream.update();
    expect(textOf((await admin.open('/syncs')).html)).toMatch(/Paused · \d+ s left/);
    const { written } = update.run;
    expect(await first.stop('SIGKILL')).toBeNull();
    stream.close();

    const quick = ['--data', data, '--interval', '600', '--quota', '0'];
    const second = await startService(quick, { ...github, ...passwords }, 'Connector:');
    const again = new Visitor(second.url);
    for (const [name, value] of admin.cookies) again.cookies.set(name, value);
    const killed = await again.open('/syncs/runs/1');
    expect(killed.status).toBe(200);
    expect(textOf(killed.html)).toContain('Run 1 Interrupted');
    expect(textOf(killed.html)).toContain('The service ended in the middle.');
    await second.printed('Both ends are equal.');
    const next = textOf((await again.open('/syncs/runs/2')).html);
    expect(next).toContain('Run 2 Finished');
    expect(next).toContain('It goes on from run 1');
    const created = Number(/compared, (\d+) written/.exec(next)?.[1]);
    // An issue that was created, and not closed any more before the kill, is written to once more: two at once, at most.
    expect(created).toBeLessThanOrEqual(40 - written + 2);
    expect(created).toBeLessThan(40);
    expect(created).toBeGreaterThan(0);
    // A browser that comes back to the new process with what it had from the old one gets what it has missed.
    const back = await EventReader.open(`${second.url}/syncs/events?run=1`, again, update.id);
    expect(await back.update()).toMatchObject({ whole: false, run: { id: 1, state: 'interrupted' } });
    back.close();
  });

  it('are stopped and started on the page', async () => {
    const github = await startGitHub(30);
    const args = ['--data', newDataDirectory(), '--interval', '600', '--quota', '10', '--window', '20'];
    const service = await startService(args, { ...github, ...passwords }, 'Connector:');
    await service.printed('Paused for');
    const admin = new Visitor(service.url);
    await admin.signIn('admin', passwords.CONCORDAT_ADMIN_PASSWORD);
    await admin.open('/syncs');
    await admin.submit('/syncs/stop');
    await service.printed('The next synchronization starts when somebody starts it.');
    expect(textOf((await admin.open('/syncs')).html)).toContain('Stopped by admin.');
    await admin.submit('/syncs/start');
    expect(textOf((await admin.open('/syncs/runs/2')).html)).toMatch(/by admin *\. It goes on from run 1/);
  });

  it('of --once are recorded as well, and seen by a service that runs beside', async () => {
    const data = newDataDirectory();
    const once = await runService(['--once', '--issues', '3', '--data', data]);
    expect(once.code, once.stderr).toBe(0);
    const service = await startService(['--data', data, '--interval', '600'], passwords);
    const sam = new Visitor(service.url);
    await sam.signIn('sam', passwords.CONCORDAT_USER_PASSWORD);
    const { html } = await sam.open('/syncs/runs/1');
    expect(textOf(html)).toContain('with --once');
    expect(textOf(html)).toContain('Both ends are equal: 3 issues compared, 3 written.');
    expect(html).not.toContain('action="/syncs/st');
  });

  it('of --once go on where nothing can be recorded, and say so', async () => {
    const run = await runService(['--once', '--issues', '2', '--data', `${process.execPath}/data`]);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toContain('This run is not recorded. The data directory cannot be used');
  });
});
