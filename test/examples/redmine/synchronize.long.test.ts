import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnectorClient } from 'concordat/client';
import { serve } from 'concordat/connector';
import { afterEach, describe, expect, it } from 'vitest';
import { createGitHubConnector } from '../../../examples/github/connector.js';
import { DirectGitHub } from '../../../examples/redmine/run/direct.js';
import { MappingFile } from '../../../examples/redmine/sync/mapping.js';
import type { End } from '../../../examples/redmine/sync/read.js';
import { synchronize } from '../../../examples/redmine/sync/synchronize.js';
import { startEmulatedGitHub } from '../../../examples/service/emulated-github.js';
import { startLossyProxy } from '../lossy-proxy.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Two repositories, the second one behind a network that loses things. */
async function start(issues: number, spoil: Parameters<typeof startLossyProxy>[1] = {}) {
  const gitHub = await startEmulatedGitHub(issues);
  closers.push(() => gitHub.close());
  const proxy = await startLossyProxy(gitHub.apiUrl, spoil);
  closers.push(proxy.close);
  const connector = await serve(createGitHubConnector(), { port: 0 });
  closers.push(() => connector.close());
  const directory = await mkdtemp(join(tmpdir(), 'concordat-sync-test.'));
  closers.push(() => rm(directory, { recursive: true }));
  const connect = (baseUrl: string, repository: string): End => {
    const client = createConnectorClient({
      baseUrl: connector.url,
      initialize: { parameters: { baseUrl, token: 'a-token', repository } },
      retry: { minTimeoutMs: 1, maxTimeoutMs: 5 },
    });
    closers.push(() => client.close());
    return { client, name: repository };
  };
  const ends = { left: connect(gitHub.apiUrl, gitHub.source), right: connect(proxy.url, gitHub.target) };
  const direct = {
    left: new DirectGitHub(gitHub.apiUrl, gitHub.source),
    right: new DirectGitHub(gitHub.apiUrl, gitHub.target),
  };
  const sync = () =>
    synchronize({
      ends,
      mapping: new MappingFile(join(directory, 'mapping.json')),
      signal: new AbortController().signal,
      concurrency: 4,
      progress: { phase: () => {}, advance: () => {} },
    });
  return { sync, direct, proxy };
}

describe('synchronize', () => {
  it('brings two repositories together both ways, and then writes nothing', async () => {
    const { sync, direct } = await start(4);
    await direct.left.comment(1, 'from the left');
    const number = await direct.right.create('On the right', 'text');
    await direct.right.comment(number, 'from the right');
    expect(await sync()).toMatchObject({
      equal: true,
      issues: 5,
      comments: 2,
      writes: { 'issue created': 5, 'comment created': 2 },
    });
    const again = await sync();
    expect(again).toMatchObject({ equal: true, rounds: 1, writes: { 'issue created': 0, 'comment created': 0 } });
    expect(await direct.left.issues()).toHaveLength(5);
    expect(await direct.right.issues()).toHaveLength(5);
  });

  it('makes nothing twice and nothing too few when answers and requests are lost (G7)', async () => {
    const { sync, direct, proxy } = await start(6, { 2: 'answer', 4: 'request', 8: 'answer', 9: 'request' });
    for (const number of [1, 2, 3]) await direct.left.comment(number, `comment on ${number}`);
    const result = await sync();
    expect(proxy.lost.length).toBeGreaterThanOrEqual(3);
    expect(result).toMatchObject({ equal: true, issues: 6, comments: 3, duplicates: [] });
    expect(result.unknown).toBe(proxy.lost.length);
    const issues = await direct.right.issues();
    expect(issues).toHaveLength(6);
    expect(issues.flatMap(({ comments }) => comments)).toHaveLength(3);
  });
});
