// What W8 decides from one response to the next, asked of the quota itself.
import { virtualClock } from 'concordat/testing';
import { expect, it } from 'vitest';
import { AnnouncedQuota } from '../../src/client/rate-limit/quota/announced.js';
import { LearnedQuota } from '../../src/client/rate-limit/quota/learned.js';

const minuteMs = 60_000;
const policy = (limit: number, windowMs = minuteMs) => ({ policies: [{ limit, windowMs }], remaining: [] });
const left = (count: number, name = 'default') => ({
  policies: [],
  remaining: [{ name, left: count, resetMs: minuteMs }],
});

function quotas() {
  const clock = virtualClock();
  const learned = new LearnedQuota(clock);
  return { clock, learned, quota: new AnnouncedQuota(clock, learned) };
}

/** A limit has been met, where there was room, by a request from before the announcement of `limit`. */
async function doubted(quota: AnnouncedQuota, clock: ReturnType<typeof virtualClock>, limit = 10) {
  await clock.advance(1000);
  quota.started(false, 0);
  await clock.advance(10);
  quota.announce(policy(limit), 1);
  quota.limited(1000, clock.monotonic() - 10, 1);
  await clock.advance(1000);
  quota.opened();
}

it('a quota too large to be counted is none', () => {
  const { quota } = quotas();
  quota.seed({ limit: 5, windowMs: minuteMs });
  quota.announce(policy(100_001), 0);
  expect([quota.isAnnounced, quota.known?.limit]).toEqual([false, 5]);
  quota.announce(policy(100_000), 0);
  expect([quota.isAnnounced, quota.known?.limit]).toEqual([true, 100_000]);
});

it('what is announced wins over what was learned', () => {
  const { quota, clock } = quotas();
  quota.seed({ limit: 1, windowMs: minuteMs });
  for (let inFlight = 0; inFlight < 9; inFlight++) quota.started(false, inFlight);
  expect(quota.mayStart(9, clock.monotonic())).toBe(false);
  quota.announce(policy(10), 9);
  expect(quota.mayStart(9, clock.monotonic())).toBe(true);
});

it('a refuted announcement is not believed again, and neither is what is left of it, until another one comes', async () => {
  const { quota, clock } = quotas();
  quota.announce(policy(10), 0);
  await clock.advance(10);
  quota.started(false, 0);
  quota.limited(1000, clock.monotonic());
  quota.opened();
  expect(quota.isAnnounced).toBe(false);
  for (const same of [left(3), policy(10)]) {
    quota.announce(same, 0);
    expect(quota.isAnnounced).toBe(false);
  }
  quota.announce(policy(4), 0);
  expect(quota.known?.limit).toBe(4);
  quota.announce(left(0), 0);
  expect(quota.mayStart(0, clock.monotonic())).toBe(false);
});

it('a limit of a request from before the announcement makes it doubtful until another one comes', async () => {
  const { quota, clock } = quotas();
  await doubted(quota, clock);
  expect([quota.isKnown, quota.known?.limit]).toEqual([false, 10]);
  for (const same of [left(5), policy(10)]) {
    quota.announce(same, 0);
    expect(quota.isKnown).toBe(false);
  }
  quota.announce(policy(5), 0);
  expect(quota.isKnown).toBe(true);
});

it('an announcement in doubt holds together with what was learned', async () => {
  const { quota, learned, clock } = quotas();
  await doubted(quota, clock);
  learned.seed({ limit: 1, windowMs: 20_000 });
  quota.advance(clock.monotonic());
  const known = learned.known;
  expect(quota.isKnown).toBe(known !== undefined);
  expect(quota.mayStart(10, clock.monotonic())).toBe(false);
  expect(quota.roomInMs(clock.monotonic())).toBe(minuteMs);
});

it('an announcement in doubt applies where nothing is learned', async () => {
  const clock = virtualClock();
  const quota = new AnnouncedQuota(clock);
  await doubted(quota, clock);
  expect(quota.isKnown).toBe(false);
  expect(quota.mayStart(9, clock.monotonic())).toBe(true);
  expect(quota.mayStart(10, clock.monotonic())).toBe(false);
  expect(quota.roomInMs(clock.monotonic())).toBe(minuteMs);
});

it('the remainders of 16 names are kept, and of no more (E8)', () => {
  const { quota, clock } = quotas();
  for (let name = 0; name < 16; name++) quota.announce(left(9, `${name}`), 0);
  quota.announce(left(0, 'one too many'), 0);
  expect(quota.mayStart(0, clock.monotonic())).toBe(true);
  quota.announce(left(0, '7'), 0);
  expect(quota.mayStart(0, clock.monotonic())).toBe(false);
});

it('a binding remainder tells for how long nothing is left', async () => {
  const { quota, clock } = quotas();
  expect(quota.announceBinding({ left: 1, resetMs: 5000 }, 0)).toBe(0);
  expect(quota.announceBinding({ left: 0, resetMs: 5000 }, 0)).toBe(5000);
  await clock.advance(2000);
  expect(quota.announceBinding({ left: 0, resetMs: 9000 }, 0)).toBe(3000); // an answer of the same window
});
