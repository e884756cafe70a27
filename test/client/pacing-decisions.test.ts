import { virtualClock } from 'concordat/testing';
import { describe, expect, it } from 'vitest';
import { AnnouncedQuota } from '../../src/client/rate-limit/quota/announced.js';
import { allowanceBeyond, learnFromLimit, type QuotaEstimate } from '../../src/client/rate-limit/quota/estimate.js';
import { LearnedQuota } from '../../src/client/rate-limit/quota/learned.js';
import { type KnownRemaining, updateRemaining } from '../../src/client/rate-limit/quota/remaining.js';

const minuteMs = 60_000;
const known: QuotaEstimate = { limit: 100, windowMs: minuteMs, slides: false, unexplained: 0 };

function facts(overrides: Partial<Parameters<typeof learnFromLimit>[1]> = {}) {
  return {
    startedAt: 0,
    passed: 100,
    metAt: 400,
    resumesAt: minuteMs,
    isFirst: false,
    passedSince: () => 0,
    ...overrides,
  };
}

describe('learning from a limit', () => {
  it('the window lasts from its first request to the end of the pause, and what passed in it is the quota', () => {
    expect(learnFromLimit(undefined, facts())).toEqual(known);
  });

  it('a call that was not sent, for want of its body, begins no window', async () => {
    const clock = virtualClock();
    const quota = new LearnedQuota(clock);
    quota.started(false);
    quota.ended({ outcome: 'unsent', isLogin: false, isLate: false, startedAt: 0 });
    await clock.advance(30_000);
    for (let sent = 0; sent < 10; sent++) {
      quota.started(false);
      quota.ended({ outcome: 'passed', isLogin: false, isLate: false, startedAt: 30_000 });
    }
    quota.started(false);
    quota.limited(minuteMs);
    expect(quota.known).toMatchObject({ limit: 10, windowMs: minuteMs });
  });

  it.each([
    ['nothing had passed', facts({ passed: 0 }), undefined],
    ['one had passed since the beginning of all', facts({ passed: 1, isFirst: true }), undefined],
    ['most of the time was no part of this window', facts({ metAt: 50_000 }), undefined],
  ])('is not possible where %s', (_name, what, estimate) => {
    expect(learnFromLimit(undefined, what)).toEqual(estimate);
    expect(learnFromLimit(known, { ...what, passed: 0 })).toEqual(known); // and takes nothing away
  });

  it.each([
    ['more passed', { passed: 150 }, { limit: 150 }],
    ['fewer passed', { passed: 60 }, { limit: 60 }],
    ['a window that looks a little longer is the same', { resumesAt: 63_000 }, { windowMs: minuteMs }],
    ['one that looks a little shorter is the truth', { resumesAt: 57_000 }, { windowMs: 57_000 }],
    ['but not where it was not used up', { resumesAt: 57_000, passed: 50 }, { limit: 50, windowMs: minuteMs }],
    ['a window twice as long is another one', { resumesAt: 120_000 }, { windowMs: 120_000 }],
  ])('a whole window: %s', (_name, what, estimate) => {
    expect(learnFromLimit(known, facts(what))).toEqual({ ...known, ...estimate });
  });

  it('a limit long before the end of the window is one that slides, if its count comes out', () => {
    const early = facts({ passed: 40, resumesAt: 20_000, passedSince: (time) => (time === -40_000 ? 98 : 0) });
    expect(learnFromLimit(known, early)).toEqual({ ...known, limit: 98, slides: true });
  });

  it('a limit early in a window is the end of the one before, if the two together hold the quota', () => {
    const early = { startedAt: 50_000, passed: 8, metAt: 58_000, resumesAt: 61_000 };
    const joined = { ...known, windowMs: 61_000, limit: 101 };
    const believed: QuotaEstimate = { ...known, windowMs: 50_000 };
    const before = { startedAt: 0, passed: 93 };
    expect(learnFromLimit(believed, facts({ ...early, before }))).toEqual(joined);
    // Controls: it comes too late for that, or too few passed.
    const doubted = { ...believed, unexplained: 1 };
    expect(learnFromLimit(believed, facts({ ...early, before, metAt: 76_000 }))).toEqual(doubted);
    expect(learnFromLimit(believed, facts({ ...early, before: { ...before, passed: 40 } }))).toEqual(doubted);
  });

  it('a window that ended without a limit is remembered for that', async () => {
    const clock = virtualClock();
    const quota = new LearnedQuota(clock);
    const send = (count: number) => {
      for (let sent = 0; sent < count; sent++) {
        quota.started(false);
        quota.ended({ outcome: 'passed', isLogin: false, isLate: false, startedAt: clock.monotonic() });
      }
    };
    quota.seed({ limit: 100, windowMs: minuteMs });
    send(93);
    await clock.advance(minuteMs);
    quota.advance(clock.monotonic());
    send(8);
    quota.limited(15_000);
    expect(quota.known).toEqual({ ...known, limit: 101, windowMs: 75_000 });
  });

  it('else it is doubted once, and believed the second time', () => {
    const early = facts({ passed: 2, resumesAt: 1000 });
    const doubted = learnFromLimit(known, early);
    expect(doubted).toEqual({ ...known, unexplained: 1 });
    expect(learnFromLimit(doubted, early)).toEqual({ limit: 2, windowMs: 1000, slides: false, unexplained: 0 });
    expect(learnFromLimit(doubted, facts())).toEqual(known); // control: an ordinary one in between settles it
  });
});

describe('beyond the boundary', () => {
  it.each([
    [0, 1],
    [49, 1],
    [50, 2],
    [100, 3],
    [1000, 21],
  ])('%i more than the quota passed: %i at once', (beyond, allowance) => {
    expect(allowanceBeyond(beyond, known, 50)).toBe(allowance);
  });

  it('goes faster where one by one would not get far in a window', () => {
    expect(allowanceBeyond(1, known, 30_000)).toBe(2);
    expect(allowanceBeyond(10, known, 30_000)).toBe(11);
  });
});

describe('a learned quota', () => {
  const passed = { outcome: 'passed', isLogin: false, isLate: false, startedAt: 0 } as const;
  const learned = (limit: number) => {
    const clock = virtualClock();
    const pacing = new LearnedQuota(clock);
    pacing.seed({ limit, windowMs: 1000 });
    return { clock, pacing };
  };

  it('lets the quota go at once, and beyond it one at a time', async () => {
    const { clock, pacing } = learned(3);
    for (let request = 1; request <= 3; request++) {
      expect(pacing.mayStart(clock.monotonic())).toBe(true);
      pacing.started(false);
    }
    expect(pacing.mayStart(clock.monotonic())).toBe(true); // the probe
    pacing.started(false);
    expect(pacing.mayStart(clock.monotonic())).toBe(false);
    expect(pacing.roomInMs(clock.monotonic())).toBe(1000);
    await clock.advance(10);
    pacing.ended(passed);
    expect(pacing.mayStart(clock.monotonic())).toBe(false); // the probe is still on its way
    for (let request = 2; request <= 4; request++) pacing.ended(passed);
    expect(pacing.mayStart(clock.monotonic())).toBe(true);
  });

  it('a window that ends without a limit is followed by a new one', async () => {
    const { clock, pacing } = learned(1);
    pacing.started(false);
    await clock.advance(10);
    pacing.ended(passed);
    await clock.advance(10);
    pacing.started(false);
    await clock.advance(979);
    pacing.advance(clock.monotonic());
    expect(pacing.mayStart(clock.monotonic())).toBe(false);
    await clock.advance(1);
    pacing.advance(clock.monotonic());
    expect(pacing.mayStart(clock.monotonic())).toBe(true);
  });
});

describe('what answers say is left', () => {
  const before: KnownRemaining = { left: 10, resetsAt: 5000 };
  it.each([
    ['less: it is newer', 9, 0, 0, 9],
    ['a little more: it is an older answer', 12, 5, 0, 10],
    ['the most that an older answer may say', 16, 5, 0, 10],
    ['more than requests on their way explain: a new window', 17, 5, 0, 17],
    ['anything after the reset', 50, 50, 5000, 50],
  ])('%s', (_name, left, inFlight, now, expected) => {
    expect(updateRemaining(before, { left, resetMs: 1000 }, inFlight, now).left).toBe(expected);
  });
});

it('advice beside a binding remainder is not refuted by a request that went before it (W8)', async () => {
  const clock = virtualClock();
  const quota = new AnnouncedQuota(clock);
  const advice = { policies: [], remaining: [{ name: 'day', left: 5, resetMs: 60_000 }] };
  quota.announceBinding({ left: 10, resetMs: 60_000 }, 0);
  const startedAt = clock.monotonic();
  quota.started(false, 0);
  await clock.advance(10);
  quota.announce(advice, 1);
  quota.limited(1000, startedAt);
  quota.opened();
  quota.announce(advice, 0);
  expect(quota.isAnnounced).toBe(true);
});
