import { describe, expect, it } from 'vitest';
import { judge } from './judge.js';
import { misbehaviors } from './mutants.js';
import type { CallPlan, Scenario } from './plan.js';
import { formatFinding } from './report.js';
import { play } from './run.js';

/** A run in which every rule has something to say: limits, sessions that end, failures, an abort. */
const scenario: Scenario = {
  seed: 1,
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
  quota: { limit: 7, windowMs: 300, kind: 'fixed', countsLogins: false, answer: 'limit-403', byScope: false },
  session: { late401Ms: 0 },
  latency: { leastMs: 1, spreadMs: 3, tailMs: 0, tails: 0 },
  options: {
    ...{ waitHeader: 'x-wait', onLimit: 'wait', pacing: 'auto', jitterMs: 0, fallbackWaitMs: 50, scoped: false },
    ...{ retries: 5, minTimeoutMs: 1, maxTimeoutMs: 10, timeoutMs: 30_000, loginTimeoutMs: 60_000 },
    ...{ freshSessionGraceMs: 0, loginCooldownMs: 0, cleanup: false },
  },
};

const crowd = (count: number) =>
  Array.from(
    { length: count },
    (_, id): CallPlan => ({ id, client: 0, atMs: 0, path: `/items/${id}`, method: 'GET', body: 'none', fates: ['ok'] }),
  );

const places = {
  /** Doubling from one, a client that knows nothing has eight refused in each window. */
  'many windows': {
    ...scenario,
    clients: [{ state: 0, concurrency: 64, transport: 'fetch', countsTimers: true }],
    calls: crowd(63),
    quota: { limit: 7, windowMs: 250, kind: 'fixed', countsLogins: false, answer: 'limit-403', byScope: false },
  },
  announced: {
    ...scenario,
    calls: crowd(25),
    quota: { limit: 10, windowMs: 1000, kind: 'fixed', countsLogins: false, answer: 'limit-403', byScope: false },
    announcement: { kind: 'right', policy: '"default";q=10;w=1', limit: '"default";r={left};t=1' },
  },
} satisfies Record<string, Scenario>;

/** On a machine that stands still for long, a misbehavior may come too late to be one: then it gets another chance. */
const chances = 5;

describe('the referee notices a client that', () => {
  it.each(misbehaviors)('$does ($breaks)', async (mutant) => {
    const broken = new Set<string>();
    for (let chance = 0; chance < chances && !broken.has(mutant.breaks); chance++) {
      const ledger = await play(mutant.where === undefined ? scenario : places[mutant.where], mutant);
      // It is wasteful on purpose: that the machine is slow is no excuse here.
      ledger.stallMs = 0;
      for (const { rule } of judge(ledger)) broken.add(rule);
    }
    expect([...broken]).toContain(mutant.breaks);
  });

  it.each([scenario, ...Object.values(places)])('does nothing wrong: and says nothing', async (plan) => {
    const ledger = await play(plan);
    const violations = judge(ledger).filter(({ dependsOnSpeed }) => !dependsOnSpeed);
    expect(violations, formatFinding(ledger, violations)).toEqual([]);
  });
});
