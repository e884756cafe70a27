import { runConformance } from 'concordat/conformance';
import { simulateConnector } from 'concordat/testing';
import { expect, it } from 'vitest';

it('a simulated connector keeps the contract', async () => {
  const { fetch } = simulateConnector({ resources: { issues: [{ id: '7' }] } });
  const { results } = await runConformance({
    fetch,
    probes: {
      initialize: { parameters: { user: 'ada', password: 'correct horse' } },
      readable: '/issues/7',
      unknown: '/issues/8',
      cleanup: {},
    },
  });
  const broken = results.filter(({ status }) => status !== 'passed' && status !== 'skipped');
  expect(broken.map(({ id, problems }) => [id, problems])).toEqual([]);
});
