import { runConformance } from 'concordat/conformance';
import { type RunningServer, serve } from 'concordat/connector';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGitHubConnector } from '../../examples/github/connector.js';
import { type EmulatedGitHub, startEmulatedGitHub } from '../../examples/service/emulated-github.js';

let github: EmulatedGitHub;
let server: RunningServer;

beforeAll(async () => {
  github = await startEmulatedGitHub(3);
  const quota = { requests: 40, windowMs: 4000 }; // ten requests a second do reach it, on a loaded machine, too
  server = await serve(createGitHubConnector({ quota }), { port: 0 });
});
afterAll(async () => {
  await server.close();
  await github.close();
});

describe('the GitHub example', () => {
  it('keeps the contract in all that can be provoked', async () => {
    const parameters = (token: string, repository = github.source) => [
      { key: 'baseUrl', value: github.apiUrl, sensitive: false },
      { key: 'token', value: token, sensitive: true },
      { key: 'repository', value: repository, sensitive: false },
    ];
    const { results } = await runConformance({
      baseUrl: server.url,
      allowWrites: true,
      probes: {
        initialize: {
          parameters: parameters('canary-github-token'),
          // The emulated GitHub takes any token, so it is the repository's name that is refused.
          wrongParameters: parameters('canary-github-wrong', 'no-repository'),
        },
        readable: '/issues/1',
        unknown: '/issues/99999',
        invalid: { method: 'POST', path: '/issues', json: { title: '' } },
        limit: { times: 300, concurrency: 4 },
        expire: { request: 'POST /cleanup' },
        cleanup: {},
      },
    });
    expect(results.filter(({ status }) => !['passed', 'skipped'].includes(status))).toEqual([]);
    expect(results.filter(({ status }) => status === 'skipped').map(({ id }) => id)).toEqual([
      'routes.denial',
      'routes.failure',
      'files.whole',
      'files.bytes',
      'files.content-type',
      'files.range',
      'files.session',
      'errors.denial-without-wait-header',
    ]);
  });
});
