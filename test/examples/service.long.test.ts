import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startEmulatedGitHub } from '../../examples/service/emulated-github.js';
import { addMarker, readMarker } from '../../examples/service/engine/marker.js';
import type { GitHubOptions } from '../../examples/service/options.js';
import { startLossyProxy } from './lossy-proxy.js';
import { runService } from './run-service.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startGitHub(issues: number) {
  const github = await startEmulatedGitHub(issues);
  closers.push(() => github.close());
  return github;
}

interface GitHubIssue {
  number: number;
  title: string;
  body: string | null;
  state: string;
  labels: { name: string }[];
}

async function api(github: GitHubOptions, path: string, method = 'GET', json?: object): Promise<unknown> {
  const response = await fetch(`${github.apiUrl}/repos/${path}`, {
    method,
    headers: { authorization: 'Bearer test-token', 'content-type': 'application/json' },
    ...(json && { body: JSON.stringify(json) }),
  });
  expect(response.ok).toBe(true);
  return response.json();
}

/** The issues as GitHub itself has them, compared without the service's own code. */
async function issuesOf(github: GitHubOptions, repository: string): Promise<GitHubIssue[]> {
  const query = 'state=all&per_page=100&sort=created&direction=asc';
  return (await api(github, `${repository}/issues?${query}`)) as GitHubIssue[];
}

async function expectMirrored(github: GitHubOptions): Promise<void> {
  const [source, target] = await Promise.all([issuesOf(github, github.source), issuesOf(github, github.target)]);
  const content = ({ title, state, labels }: GitHubIssue) => ({ title, state, labels: labels.map(({ name }) => name) });
  const byOrigin = new Map(target.map((issue) => [readMarker(issue.body ?? '')?.number, issue]));
  expect(target).toHaveLength(source.length);
  expect([...byOrigin.keys()].sort()).toEqual(source.map(({ number }) => number).sort());
  for (const issue of source) {
    const mirror = byOrigin.get(issue.number) as GitHubIssue;
    expect(content(mirror)).toEqual(content(issue));
    expect(mirror.body?.startsWith(issue.body ?? '')).toBe(true);
  }
}

describe('the reference service', () => {
  it('mirrors all issues through expired sessions and reached limits, and prints the summary as JSON', async () => {
    const args = ['--once', '--json', '--issues', '60', '--quota', '20', '--window', '2', '--session', '1.5'];
    const run = await runService(args);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout.trim().split('\n')).toHaveLength(1);
    const summary = run.summary();
    expect(summary).toMatchObject({ equal: true, read: 60, created: 60, updated: 0, verified: 60, failed: 0 });
    expect(summary.pauses).toBeGreaterThanOrEqual(2);
    expect(summary.reLogins).toBeGreaterThanOrEqual(2);
    expect(summary.wastedRequests).toBeGreaterThanOrEqual(summary.pauses);
    expect(summary.waitedMs).toBeGreaterThan(1000);
    expect(run.stderr).toContain('Paused for 2 s: the target connection has reached its rate limit');
    expect(run.stderr).toContain('Logged in again');
  });

  it('writes nothing in a second run, and only what has changed in a third', async () => {
    const github = await startGitHub(30);
    const first = await runService(['--once', '--json'], { github });
    expect(first.summary()).toMatchObject({ equal: true, created: 30, pauses: 0 });
    await expectMirrored(github);

    const second = await runService(['--once'], { github });
    expect(second.code).toBe(0);
    expect(second.stdout).toContain('0 (0 created, 0 updated; 30 unchanged)');
    expect(second.stdout).not.toContain(github.token);

    await api(github, `${github.source}/issues`, 'POST', { title: 'A new one' });
    const change = { title: 'Changed', body: 'Changed', state: 'closed', labels: ['changed'] };
    await api(github, `${github.source}/issues/1`, 'PATCH', change);
    const third = await runService(['--once', '--json'], { github });
    expect(third.summary()).toMatchObject({ equal: true, read: 31, created: 1, updated: 1, unchanged: 29 });
    await expectMirrored(github);
  });

  it('goes on after Ctrl-C in the middle, without a duplicate', async () => {
    const github = await startGitHub(50);
    const interrupted = await runService(['--json', '--no-admin', '--quota', '30', '--window', '10'], {
      github,
      interruptWhen: (stderr) => /Writing: \d+ of 50/.test(stderr),
    });
    expect(interrupted.code).toBe(130);
    const before = (await issuesOf(github, github.target)).length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(50);
    expect(interrupted.summary().equal).toBe(false);

    const restarted = await runService(['--once', '--json'], { github });
    expect(restarted.code, restarted.stderr).toBe(0);
    expect(restarted.summary()).toMatchObject({ equal: true, created: 50 - before, verified: 50, duplicates: [] });
    await expectMirrored(github);
  });

  it('synchronizes again at its interval until Ctrl-C', async () => {
    const rounds = /(Both ends are equal.*){2}/s;
    const run = await runService(['--json', '--no-admin', '--issues', '3', '--interval', '0.1'], {
      interruptWhen: (stderr) => rounds.test(stderr),
    });
    expect(run.code).toBe(130);
    const [first, second] = run.stdout.split('\n').map((line) => (line === '' ? undefined : JSON.parse(line)));
    expect(first).toMatchObject({ equal: true, created: 3 });
    expect(second).toMatchObject({ equal: true, created: 0, updated: 0, unchanged: 3, reLogins: 0 });
  });

  it('creates no issue twice when the answer to a creation is lost, and none too few when the request is (G7)', async () => {
    const github = await startGitHub(25);
    const proxy = await startLossyProxy(github.apiUrl, { 3: 'answer', 4: 'request', 9: 'answer' });
    closers.push(proxy.close);
    const run = await runService(['--once', '--json'], { github: { ...github, apiUrl: proxy.url } });
    expect(run.code, run.stderr).toBe(0);
    expect(proxy.lost.sort()).toEqual(['answer', 'answer', 'request']);
    expect(run.summary()).toMatchObject({ equal: true, created: 25, updated: 0, verified: 25, duplicates: [] });
    await expectMirrored(github);
  });

  it('ends with 1 when the ends are not equal, and names the reason', async () => {
    const github = await startGitHub(1);
    const body = addMarker('', { repository: github.source, number: 99 });
    await api(github, `${github.target}/issues`, 'POST', { title: 'Its source is gone', body });
    const orphan = await runService(['--once', '--json'], { github });
    expect(orphan.code).toBe(1);
    expect(orphan.summary()).toMatchObject({ equal: false, verified: 1, orphans: [1] });

    const missing = await runService(['--once', '--json'], { github: { ...github, target: 'acme/nowhere' } });
    expect(missing.code).toBe(1);
    expect(missing.summary()).toMatchObject({ equal: false, error: expect.stringContaining('Not Found') });
    expect(missing.stdout + missing.stderr).not.toContain(github.token);
  });

  it('ends with 2 for wrong arguments, and with 0 after the help', async () => {
    const [wrong, help] = await Promise.all([runService(['--issues', 'many']), runService(['--help'])]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("'--issues <count>' argument 'many' is invalid");
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('Examples:');
  });
});

describe('the emulated GitHub', () => {
  it('listens on 127.0.0.1 and on no other address', async () => {
    const { port } = new URL((await startGitHub(0)).apiUrl);
    const reach = (host: string) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ host, port: Number(port), timeout: 30_000 });
        for (const [event, reached] of [
          ['connect', true],
          ['error', false],
          ['timeout', false],
        ] as const) {
          socket.once(event, () => {
            socket.destroy();
            resolve(reached);
          });
        }
      });
    expect(await reach('127.0.0.1')).toBe(true);
    expect(await reach('127.0.0.2')).toBe(false);
    expect(await reach('::1')).toBe(false);
  });
});
