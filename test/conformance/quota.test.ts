import { conformance, runConformance } from 'concordat/conformance';
import { createConnector } from 'concordat/connector';
import { simulateConnector } from 'concordat/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const probes = { initialize: { parameters: [] }, readable: '/issues', limit: { times: 50, concurrency: 2 } };

/** What the kit makes of an announcement, by case. */
async function verdicts(options: Parameters<typeof runConformance>[0]) {
  const { results } = await runConformance({ maxWaitMs: 100, ...options });
  return Object.fromEntries(results.filter(({ rule }) => rule === 'W8').map(({ id, status }) => [id, status]));
}

/** A limit that is reached in one burst however slow the machine is: its window ends when the test has long ended. */
const simulator = (announce: 'policy' | 'both' | false) =>
  simulateConnector({ rateLimit: { limit: 20, windowMs: 600_000, announce }, resources: { issues: [] } });

const allPassed = { 'quota.readable': 'passed', 'quota.everywhere': 'passed', 'quota.kept': 'passed' };

describe('announced quotas (W8)', () => {
  it.each(['policy', 'both', false] as const)('the simulator announces rightly: %s', async (announce) => {
    const connector = simulator(announce);
    expect(await verdicts({ fetch: connector.fetch, probes })).toEqual(allPassed);
    expect(connector.journal.some(({ refused }) => refused === 'rate-limit')).toBe(true); // control
  });

  it('nothing that the end system has not answered needs an announcement', async () => {
    const connector = simulator('both');
    const passesOn = (announced: (path: string, status: number) => boolean) => async (request: Request) => {
      const response = await connector.fetch(request);
      if (announced(new URL(request.url).pathname, response.status)) return response;
      response.headers.delete('ratelimit');
      response.headers.delete('ratelimit-policy');
      return response;
    };
    const quiet = passesOn((_path, status) => status === 200 || status === 403);
    expect(await verdicts({ fetch: quiet, probes })).toMatchObject({ 'quota.everywhere': 'passed' });
    const silentLogin = passesOn((path) => path !== '/initialize'); // control
    expect(await verdicts({ fetch: silentLogin, probes })).toMatchObject({ 'quota.everywhere': 'warning' });
  });

  it('a quota that was used up by other means refutes nothing', async () => {
    const connector = simulator('both');
    const limit = { times: 50, concurrency: 2, before: () => connector.useUpQuota() };
    expect(await verdicts({ fetch: connector.fetch, probes: { ...probes, limit } })).toEqual(allPassed);
  });

  it('a policy that the limit does not know is refuted, and a warning only', async () => {
    const connector = simulator(false);
    const fetch = async (request: Request) => {
      const response = await connector.fetch(request);
      response.headers.set('ratelimit-policy', '"default";q=100000;w=600');
      return response;
    };
    const report = await runConformance({ fetch, probes, maxWaitMs: 100 });
    const { status, problems } = report.results.find(({ id }) => id === 'quota.kept')!;
    expect(status).toBe('warning');
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^GET \/issues: 403 after \d+ requests, although 100000 in 600 s are announced$/),
    ]);
  });

  it('a connector of createConnector announces rightly, and a case can run alone', async () => {
    const connector = createConnector({
      initialize: { parameters: z.object({}), handler: () => ({ 'x-token': 'abc' }) },
      session: z.object({ 'x-token': z.string() }),
      rateLimit: { policy: { limit: 100, windowMs: 60_000 } },
    });
    connector.get('/issues', () => Response.json([]));
    const { limit: _, ...others } = probes;
    for (const one of conformance({ fetch: connector.fetch, probes: others }).filter(({ rule }) => rule === 'W8')) {
      await conformance({
        fetch: connector.fetch,
        probes: others,
        onResult: ({ status }) => expect(status).toBe('passed'),
      })
        .find(({ id }) => id === one.id)
        ?.run();
    }
    expect(await verdicts({ fetch: connector.fetch, probes: others })).toMatchObject({ 'quota.everywhere': 'passed' });
  });
});
