import { serve } from 'concordat/connector';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGitHubConnector, type GitHubConnectorOptions } from '../../../examples/github/connector.js';
import { startEmulatedGitHub } from '../../../examples/service/emulated-github.js';
import { openEnd } from '../../../examples/service/engine/end.js';
import { synchronize } from '../../../examples/service/engine/engine.js';
import { silent } from '../../../examples/service/engine/progress.js';
import { Tally } from '../../../examples/service/engine/tally.js';

/** Both ends of three issues. `onPost` is waited for before the connector gets a POST of an issue. */
async function start(options: GitHubConnectorOptions = {}, onPost: () => Promise<void> = async () => {}) {
  const github = await startEmulatedGitHub(3);
  onTestFinished(() => github.close());
  const connector = createGitHubConnector(options);
  const fetch = async (request: Request) => {
    if (request.method === 'POST' && new URL(request.url).pathname === '/issues') await onPost();
    return await connector.fetch(request);
  };
  const server = await serve({ fetch }, { port: 0 });
  onTestFinished(() => server.close({ graceMs: 0 }));
  const open = (repository: string) => {
    const end = openEnd({ connectorUrl: server.url, apiUrl: github.apiUrl, token: 'any', repository });
    onTestFinished(() => end.client.close());
    return end;
  };
  const ends = { source: open(github.source), target: open(github.target) };
  const stop = new AbortController();
  const tally = new Tally();
  const settings = { concurrency: 1, progress: silent, signal: stop.signal };
  const run = () => synchronize(ends, tally, { ...settings, done: (outcome) => tally.add(outcome) });
  return { ends, run, result: () => tally.result(), stop: () => stop.abort(new Error('Stopped')) };
}

describe('a run that is stopped', () => {
  it('lets a POST end that was sent, and sends no other', async () => {
    const { run, result, stop } = await start({}, async () => stop());
    await expect(run()).rejects.toThrow('Stopped');
    expect(result()).toMatchObject({ created: 1 });
  });

  it.each(['before', 'after'])('does not wait until a limit is over that was met %s the stop', async (when) => {
    let posts = 0;
    const onPost = async () => {
      posts++;
      if (when === 'after' && posts === 2) stop();
    };
    const { ends, run, result, stop } = await start({ quota: { requests: 2, windowMs: 3_600_000 } }, onPost);
    if (when === 'before') ends.target.client.on('pause', () => stop());
    await expect(run()).rejects.toThrow('Stopped');
    expect(result()).toMatchObject({ created: 1 });
  });
});
