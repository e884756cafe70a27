import type { Lease, LeaseRequest } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { Time } from '../../bench/fleet/time.js';
import { AnnouncedQuota } from '../../src/client/rate-limit/quota/announced.js';
import { LearnedQuota } from '../../src/client/rate-limit/quota/learned.js';
import { LeasedQuota } from '../../src/client/rate-limit/quota/leased.js';

const unknown: Lease = {
  ...{ window: 0, limit: 0, windowMs: 0, granted: 0, probe: 0 },
  ...{ startsInMs: 0, endsInMs: 0, waitMs: 0, ticket: 0 },
};
const known: Lease = { ...unknown, window: 1, limit: 20, windowMs: 1500, endsInMs: 1500, waitMs: 1500 };

/** The quota of one process, and what it tells a state that gives these answers, the last one again and again. */
function process(...answers: Lease[]) {
  const time = new Time();
  const clock = time.clock();
  const told: LeaseRequest[] = [];
  const take = async (request: LeaseRequest) => {
    told.push(request);
    return answers[Math.min(told.length, answers.length) - 1];
  };
  const own = new AnnouncedQuota(clock, new LearnedQuota(clock));
  const quota = new LeasedQuota({ clock, own, take, onAnswer: () => {} });
  return { quota, told, until: (ms: number) => time.runUntil(ms) };
}

const passed = { outcome: 'passed', isLogin: false, isLate: false } as const;

describe('a process with a leased quota (G10)', () => {
  it('tells what it got through when the pause ends, although responses are slower than the pause', async () => {
    const { quota, told, until } = process(unknown);
    await until(1);
    for (let inFlight = 0; inFlight < 4; inFlight++) quota.started(false, inFlight);
    await until(700);
    quota.ended(passed);
    quota.ended(passed);
    quota.limited(800, 1);
    await until(1500);
    expect(told).toHaveLength(1); // control: one request is still in flight
    quota.opened();
    expect(told.slice(1)).toMatchObject([{ learned: 2 }]);
    await until(2000);
    quota.ended({ ...passed, isLate: true });
    expect(told).toHaveLength(2); // once
  });

  const numbers = Object.keys(known) as (keyof Lease)[];
  const wrong = [Number.NaN, Number.POSITIVE_INFINITY, -1, '5', undefined];
  it.each(numbers.flatMap((name) => wrong.map((value) => [name, value] as const)))(
    'takes a state for away that answers with %s: %s (G9)',
    async (name, value) => {
      const { quota, until } = process({ ...known, [name]: value } as Lease);
      await until(1);
      expect(quota.isKnown).toBe(false);
      expect(quota.mayStart(0)).toBe(true);
    },
  );

  it('holds calls back for a day at most, whatever the state says (G9)', async () => {
    const { quota, until } = process(known, { ...known, waitMs: 1e15 });
    await until(1);
    expect(quota.mayStart(0)).toBe(false); // control: it needs a permit
    quota.want(5);
    await until(2);
    expect(quota.maxHoldMs).toBe(86_400_000);
  });
});
