// What W8 decides from one response to the next, asked of the quota itself.
import { virtualClock } from 'concordat/testing';
import { expect, it } from 'vitest';
import { AnnouncedQuota } from '../../src/client/rate-limit/quota/announced.js';
import { LearnedQuota } from '../../src/client/rate-limit/quota/learned.js';

type Clock = ReturnType<typeof virtualClock>;
const minuteMs = 60_000;
const policy = (limit: number, windowMs = minuteMs) => ({
  policies: [{ name: 'default', limit, windowMs }],
  remaining: [],
});
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
async function doubted(quota: AnnouncedQuota, clock: Clock, limit = 10) {
  await clock.advance(1000);
  quota.started(false, 0);
  await clock.advance(10);
  quota.announce(policy(limit), 1);
  quota.limited(1000, clock.monotonic() - 10, 1);
  await clock.advance(1000);
  quota.opened();
}

/** So many requests go, one after the other, and get a response. */
function pass(quota: AnnouncedQuota, clock: Clock, count: number, outcome: 'passed' | 'unknown' = 'passed') {
  for (let request = 0; request < count; request++) {
    quota.started(false, 0);
    quota.ended({ outcome, isLogin: false, isLate: false, startedAt: clock.monotonic() });
  }
}

it('a quota too large to be counted is none', () => {
  const { quota } = quotas();
  quota.seed({ limit: 5, windowMs: minuteMs });
  quota.announce(policy(100_001), 0);
  expect([quota.isAnnounced, quota.known?.limit]).toEqual([false, 5]);
  quota.announce(policy(100_000), 0);
  expect([quota.isAnnounced, quota.known?.limit]).toEqual([true, 100_000]);
});

it('one that has become too large to be counted takes the place of the one before, once that comes no more (W8)', async () => {
  const { quota, clock } = quotas();
  const dayMs = 86_400_000;
  for (let time = 0; time < 3; time++) {
    quota.announce(policy(2, dayMs), 0); // of another path, which is still announced
    await clock.advance(59_999);
    quota.announce(policy(1_000_000, dayMs), 0);
    expect(quota.known?.limit).toBe(2);
  }
  pass(quota, clock, 2);
  expect(quota.mayStart(1, clock.monotonic())).toBe(false);
  await clock.advance(1);
  quota.announce(policy(1_000_000, dayMs), 0);
  expect([quota.isAnnounced, quota.mayStart(1, clock.monotonic())]).toEqual([false, true]);
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

it('what has counted against another policy counts against a new one as far as it says that nothing is left (W8)', () => {
  const { quota, clock } = quotas();
  const announce = (limit: number, leftOver: number) =>
    quota.announce({ policies: policy(limit).policies, remaining: left(leftOver).remaining }, 1);
  const mayStart = (inFlight: number) => quota.mayStart(inFlight, clock.monotonic());
  announce(100, 99);
  pass(quota, clock, 40);
  announce(10, 7);
  pass(quota, clock, 1);
  expect([mayStart(6), mayStart(7)]).toEqual([true, false]);
  announce(100, 58); // of 100, the 40 and the next two have gone
  pass(quota, clock, 1);
  expect([mayStart(57), mayStart(58)]).toEqual([true, false]);
  quota.announce(policy(10), 1); // without a word of what is left, everything counts
  expect(mayStart(0)).toBe(false);
});

it.each([0, 1])('counts them, too, where they came %i ms apart', async (apartMs) => {
  const { quota, clock } = quotas();
  quota.announce(policy(100), 0);
  for (let sent = 0; sent < 20; sent++) {
    await clock.advance(apartMs);
    pass(quota, clock, 1);
  }
  quota.announce({ ...policy(10), remaining: [{ name: 'default', left: 1, resetMs: 1000 }] }, 1);
  pass(quota, clock, 1);
  await clock.advance(1001); // nothing more is known of what is left
  expect([0, 1].map((inFlight) => quota.mayStart(inFlight, clock.monotonic()))).toEqual([true, false]);
});

it('the tightest of several policies is the quota, in whatever order they come', () => {
  const { quota, clock } = quotas();
  const policies = [100, 10, 50].map((limit) => ({ name: `of ${limit}`, limit, windowMs: minuteMs }));
  quota.announce({ policies, remaining: [] }, 0);
  expect(quota.known?.limit).toBe(10);
  expect(quota.mayStart(10, clock.monotonic())).toBe(false);
});

it.each([
  ['explained by what went before it was announced', { before: 5, inFlight: 0, laterMs: 1000 }, 5],
  ['explained by that and what is in flight', { before: 3, inFlight: 2, laterMs: 1000 }, 5],
  ['not explained by fewer', { before: 3, inFlight: 1, laterMs: 1000 }, undefined],
  ['not explained by what is longer ago than the window', { before: 5, inFlight: 0, laterMs: minuteMs }, undefined],
])('a limit where there was room is %s', async (_what, { before, inFlight, laterMs }, limit) => {
  const clock = virtualClock();
  const quota = new AnnouncedQuota(clock);
  pass(quota, clock, before);
  quota.announce(policy(5), 0);
  await clock.advance(laterMs);
  quota.limited(1000, clock.monotonic(), inFlight);
  quota.opened();
  expect(quota.known?.limit).toBe(limit);
});

it('requests for which there is room count', () => {
  const { quota, clock } = quotas();
  quota.announce(policy(10), 0);
  pass(quota, clock, 3);
  expect(quota.mayStart(6, clock.monotonic())).toBe(true);
  expect(quota.mayStart(7, clock.monotonic())).toBe(false);
});

it('a used-up quota is tested by a request that passes: once explains a new window, twice refutes it', () => {
  const { quota, clock } = quotas();
  quota.announce(policy(2), 0);
  pass(quota, clock, 2);
  expect(quota.mayStart(0, clock.monotonic())).toBe(false);
  pass(quota, clock, 1);
  expect([quota.mayStart(0, clock.monotonic()), quota.known?.limit]).toEqual([true, 2]);
  pass(quota, clock, 2); // the second of them is one too many again
  expect(quota.known).toBeUndefined();
});

it('neither a login nor a request that tells nothing shows that there was room', () => {
  const { quota, clock } = quotas();
  quota.announce(left(0), 0);
  quota.started(true, 0);
  quota.ended({ outcome: 'passed', isLogin: true, isLate: false, startedAt: 0 });
  expect(quota.mayStart(0, clock.monotonic())).toBe(false);
  pass(quota, clock, 1, 'unknown');
  expect(quota.mayStart(0, clock.monotonic())).toBe(false);
});

it('the limit that a test of it meets does not refute an announcement', () => {
  const { quota, clock } = quotas();
  quota.announce(policy(1), 0);
  pass(quota, clock, 1);
  quota.started(false, 0);
  quota.limited(1000, clock.monotonic());
  quota.opened();
  expect(quota.known?.limit).toBe(1);
});

it('after the window of a remainder one request finds out, unless the size of the next is announced', async () => {
  const { quota, clock } = quotas();
  quota.announce(left(5), 0);
  await clock.advance(minuteMs);
  expect([0, 1].map((inFlight) => quota.mayStart(inFlight, clock.monotonic()))).toEqual([true, false]);
  quota.announce(policy(10), 0);
  expect([1, 9, 10].map((inFlight) => quota.mayStart(inFlight, clock.monotonic()))).toEqual([true, true, false]);
});

it('a remainder whose window is over is forgotten once a request has passed', async () => {
  const { quota, clock } = quotas();
  quota.announce(left(5), 0);
  quota.announceBinding({ left: 5, resetMs: minuteMs }, 0);
  pass(quota, clock, 1);
  expect(quota.isAnnounced).toBe(true);
  await clock.advance(minuteMs);
  pass(quota, clock, 1);
  expect(quota.isAnnounced).toBe(false);
});

it('a call that the learned quota holds back waits as long as that says', () => {
  const { quota, learned, clock } = quotas();
  quota.seed({ limit: 1, windowMs: 20_000 });
  for (let inFlight = 0; inFlight < 9; inFlight++) quota.started(false, inFlight);
  expect(quota.mayStart(9, clock.monotonic())).toBe(false);
  expect(quota.roomInMs(clock.monotonic())).toBe(learned.roomInMs(clock.monotonic()));
});

it('in doubt it waits as the learned quota says, if that holds it back, or else as the announced one does', async () => {
  const { quota, learned, clock } = quotas();
  quota.seed({ limit: 5, windowMs: 20_000 });
  await doubted(quota, clock);
  expect(quota.isKnown).toBe(true);
  expect([learned.mayStart(clock.monotonic()), quota.mayStart(10, clock.monotonic())]).toEqual([true, false]);
  expect(quota.roomInMs(clock.monotonic())).toBe(minuteMs);
  pass(quota, clock, 5);
  for (let inFlight = 0; inFlight < 9; inFlight++) quota.started(false, inFlight);
  expect([learned.mayStart(clock.monotonic()), quota.mayStart(0, clock.monotonic())]).toEqual([false, false]);
  expect(quota.roomInMs(clock.monotonic())).toBe(learned.roomInMs(clock.monotonic()));
  expect(quota.roomInMs(clock.monotonic())).toBeLessThan(minuteMs);
});

it('of several announced windows it waits for the first that has not ended yet', async () => {
  const { quota, clock } = quotas();
  quota.announce(left(5), 0);
  expect(quota.roomInMs(clock.monotonic())).toBe(minuteMs);
  await clock.advance(59_000);
  quota.announce(policy(1), 0);
  pass(quota, clock, 1);
  expect(quota.roomInMs(clock.monotonic())).toBe(1000);
  await clock.advance(1000);
  expect(quota.roomInMs(clock.monotonic())).toBe(59_000);
  await clock.advance(1000);
  expect(quota.roomInMs(clock.monotonic())).toBe(58_000);
  quota.announceBinding({ left: 0, resetMs: 7000 }, 0);
  expect(quota.roomInMs(clock.monotonic())).toBe(7000);
});
