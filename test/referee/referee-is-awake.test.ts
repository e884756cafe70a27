import { describe, expect, it } from 'vitest';
import { judge } from './judge.js';
import { misbehaviours } from './mutants.js';
import type { CallPlan, Scenario } from './plan.js';
import { formatFinding } from './report.js';
import { play } from './run.js';
import { createScenario } from './scenario.js';

/** A run in which every rule has something to say: limits, sessions that end, failures, an abort. */
const scenario: Scenario = {
  ...createScenario(1),
  clients: [{ state: 0, concurrency: 16, transport: 'fetch', countsTimers: true }],
  calls: Array.from(
    { length: 24 },
    (_, id): CallPlan => ({
      ...{ id, client: 0, atMs: 0, path: `/items/${id}` },
      ...(id % 3 === 0 ? { method: 'POST', body: 'json' } : { method: 'GET', body: 'none' }),
      fates: id === 4 ? ['404'] : id === 7 ? ['401', 'ok'] : ['ok'],
      ...(id === 23 && { abortAtMs: 100 }),
    }),
  ),
  steps: [],
  logins: ['ok'],
  quota: { limit: 5, windowMs: 200, kind: 'fixed', countsLogins: false, answer: 'limit-403', byScope: false },
  session: { late401Ms: 0 },
  latency: { leastMs: 1, spreadMs: 3, tailMs: 0, tails: 0 },
  options: {
    ...createScenario(1).options,
    ...{ waitHeader: 'x-wait', onLimit: 'wait', pacing: 'auto', jitterMs: 0, scoped: false, retries: 5 },
    ...{ minTimeoutMs: 1, maxTimeoutMs: 10, timeoutMs: 30_000, loginTimeoutMs: 60_000, freshSessionGraceMs: 0 },
    ...{ loginCooldownMs: 0, cleanup: false },
  },
};

describe('the referee notices a client that', () => {
  it.each(misbehaviours)('$does ($breaks)', async (mutant) => {
    const violations = judge(await play(scenario, mutant));
    expect(violations.map(({ rule }) => rule)).toContain(mutant.breaks);
  });

  it('does nothing wrong: and says nothing', async () => {
    const ledger = await play(scenario);
    const violations = judge(ledger);
    expect(violations, formatFinding(ledger, violations)).toEqual([]);
  });
});
