import type { LeaseRequest } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { lease, type SharedQuota } from '../helpers/lease-rules.js';
import { seededRandom } from '../simulation/seeded-random.js';

const nothing: LeaseRequest = { window: 0, want: 0, ticket: 0, probed: 0, unused: 0, limitedMs: 0, windowMs: 0 };

/** A shared quota on a clock of its own. */
function shared() {
  let stored: SharedQuota | undefined;
  let now = 1000;
  return {
    get stored() {
      return stored as SharedQuota;
    },
    wait: (ms: number) => {
      now += ms;
    },
    ask(request: Partial<LeaseRequest>) {
      const [next, answer] = lease(stored, { ...nothing, ...request }, now);
      stored = next;
      return answer;
    },
  };
}

/** Processes have met their first limit: 100 requests passed in all, and 60 seconds are left of the minute. */
function learned(processes = 4) {
  const quota = shared();
  for (let process = 0; process < processes; process++) {
    quota.ask({ limitedMs: 60_000, unused: -100 / processes, windowMs: 60_000 });
  }
  quota.wait(60_000);
  return quota;
}

describe('permits of a shared quota (G10)', () => {
  it('are not needed before the first limit', () => {
    const quota = shared();
    expect(quota.ask({ want: 50 })).toMatchObject({ limit: 0, granted: 0 });
    expect(quota.stored.window).toBe(0);
  });

  it('are as many as all processes together got through before the first limit, a share for each', () => {
    const quota = learned();
    const answers = Array.from({ length: 4 }, () => quota.ask({ window: 1, want: 50 }));
    expect(answers.map(({ granted }) => granted)).toEqual([25, 25, 25, 25]);
    expect(answers[0]).toMatchObject({ limit: 100, windowMs: 60_000, startsInMs: 250, endsInMs: 60_250 });
  });

  it('that others do not want go to those who come again', () => {
    const quota = learned();
    expect(quota.ask({ window: 1, want: 5 }).granted).toBe(5);
    const hungry = quota.ask({ window: 1, want: 90 });
    expect(hungry.granted).toBe(32); // a third of what is left
    quota.wait(hungry.waitMs);
    expect(quota.ask({ window: 2, want: 90 }).granted).toBe(32); // half of what is left
  });

  it('end with a probe: later, one at a time, as long as it passes, and the next window is larger by them', () => {
    const quota = learned(1);
    const last = quota.ask({ window: 1, want: 100 });
    expect(quota.ask({ window: 2, want: 9 })).toMatchObject({ granted: 0, probe: 0 }); // others are still on their way
    quota.wait(last.waitMs);
    expect(quota.ask({ window: 2, want: 9 })).toMatchObject({ granted: 1, probe: 1 });
    expect(quota.ask({ window: 2, want: 9 })).toMatchObject({ granted: 0, probe: 0 }); // somebody else
    for (let passed = 1; passed < 5; passed++) {
      expect(quota.ask({ window: 2, want: 9, probed: 1 })).toMatchObject({ granted: 1, probe: 1 });
    }
    quota.ask({ window: 2, unused: 1, limitedMs: 52_000 });
    quota.wait(52_000);
    expect(quota.ask({ window: 2, want: 200 }).limit).toBe(104);
  });

  it('a probe that nobody answers for is followed by another', () => {
    const quota = learned(1);
    quota.wait(quota.ask({ window: 1, want: 100 }).waitMs);
    expect(quota.ask({ window: 2, want: 9 }).probe).toBe(1);
    quota.wait(10_000);
    expect(quota.ask({ window: 2, want: 9 }).probe).toBe(1);
  });

  it('what did not pass makes the next window smaller, by half at most', () => {
    const quota = learned(1);
    quota.ask({ window: 1, want: 100 });
    quota.ask({ window: 2, unused: 40, limitedMs: 59_000 });
    quota.wait(59_000);
    expect(quota.ask({ window: 2, want: 100 }).limit).toBe(60);
    expect(quota.ask({ window: 2, unused: 5 }).limit).toBe(60); // too late to teach anything
    quota.ask({ window: 3, unused: 59, limitedMs: 59_000 });
    quota.wait(59_000);
    expect(quota.ask({ window: 3, want: 100 }).limit).toBe(30);
  });

  it('a limit long before the end shifts the window, and takes no permit away', () => {
    const quota = learned(1);
    quota.ask({ window: 1, want: 80 });
    expect(quota.ask({ window: 2, unused: 30, limitedMs: 5000 })).toMatchObject({ window: 2, endsInMs: 65_000 });
    expect(quota.ask({ window: 2, want: 100 })).toMatchObject({ granted: 25, startsInMs: 5000, endsInMs: 65_000 });
  });

  it('a window that was shifted teaches nothing, and a second early limit ends it when all that was sent is as old', () => {
    const quota = learned(1);
    quota.ask({ window: 1, want: 80 });
    quota.ask({ window: 2, unused: 30, limitedMs: 5 });
    quota.wait(5);
    expect(quota.ask({ window: 2, want: 30 }).granted).toBe(25);
    quota.wait(20);
    expect(quota.ask({ window: 2, unused: 20, limitedMs: 5 })).toMatchObject({ granted: 0, endsInMs: 59_980 });
    expect(quota.ask({ window: 2, want: 100 })).toMatchObject({ granted: 0, waitMs: 59_980 });
    quota.wait(59_980);
    expect(quota.ask({ window: 2, want: 100 })).toMatchObject({ window: 3, limit: 100, windowMs: 60_000 });
  });

  it('a window that began by itself may lie across two of the connector: its limit teaches no larger quota', () => {
    const quota = learned(1);
    quota.wait(quota.ask({ window: 1, want: 100 }).waitMs);
    quota.wait(60_000); // without a limit: the next window begins by itself
    quota.wait(quota.ask({ window: 2, want: 100 }).waitMs);
    for (let passed = 0; passed < 50; passed++) quota.ask({ window: 3, want: 1, probed: 1 });
    expect(quota.stored.out).toBe(150);
    quota.ask({ window: 3, limitedMs: 85_000 });
    quota.wait(85_000);
    expect(quota.ask({ window: 3, want: 200 })).toMatchObject({ window: 4, limit: 100, windowMs: 60_000 });
    // Control: this one began where a limit ended.
    for (let passed = 0; passed < 50; passed++) quota.ask({ window: 4, want: 1, probed: 1 });
    quota.wait(10_000);
    for (let passed = 0; passed < 50; passed++) quota.ask({ window: 4, want: 1, probed: 1 });
    quota.ask({ window: 4, limitedMs: 60_000 });
    const { limit, windowMs } = quota.stored;
    quota.wait(60_000);
    const next = quota.ask({ window: 4, want: 200 });
    expect(next.limit).toBeGreaterThan(limit);
    expect(next.windowMs).toBeGreaterThan(windowMs);
  });

  it('one window after it was right does not raise the quota, because a killed process leaves room; a second one does', () => {
    const quota = learned(1);
    const window = (number: number, beyond: number) => {
      quota.wait(quota.ask({ window: number - 1, want: 100 }).waitMs);
      for (let passed = 0; passed <= beyond; passed++) quota.ask({ window: number, want: 1, probed: 1 });
      quota.ask({ window: number, unused: 1, limitedMs: 52_500 });
      quota.wait(52_500);
    };
    window(2, 0);
    window(3, 20); // somebody has not used his permits
    expect(quota.ask({ window: 3 }).limit).toBe(100);
    window(4, 0);
    window(5, 20);
    window(6, 20);
    expect(quota.ask({ window: 6 }).limit).toBe(120);
  });

  it('a window that was shifted does not end before all that was sent in it has room again', () => {
    const quota = learned(1);
    quota.ask({ window: 1, want: 80 });
    quota.ask({ window: 2, unused: 1, limitedMs: 12_000 });
    quota.wait(12_000);
    quota.ask({ window: 2, want: 1 }); // the one that was refused
    quota.wait(7000);
    // A probe is refused until the first of those that were sent in time has room.
    expect(quota.ask({ window: 2, unused: 1, limitedMs: 48_000 })).toMatchObject({ granted: 0, endsInMs: 53_000 });
    expect(quota.ask({ window: 2, want: 100 })).toMatchObject({ granted: 0, waitMs: 53_000 });
  });

  it('windows that have become shorter are forgotten, and learned again', () => {
    const quota = learned(1);
    quota.wait(quota.ask({ window: 1, want: 100 }).waitMs);
    expect(quota.ask({ window: 2, want: 1 }).probe).toBe(1);
    for (let passed = 0; passed < 50; passed++) quota.ask({ window: 2, want: 1, probed: 1 });
    expect(quota.ask({ window: 2, unused: 0, limitedMs: 5000 })).toMatchObject({ window: 0, limit: 0 });
    quota.ask({ limitedMs: 5000, unused: -150, windowMs: 10_000 });
    quota.wait(5000);
    expect(quota.ask({ window: 1, want: 10 })).toMatchObject({ limit: 150, windowMs: 10_000 });
  });

  it('a third window in a row whose limit comes too early shows that they are shorter, and is forgotten', () => {
    const quota = learned(1); // in truth 50 in 30 seconds
    const tooEarly = (window: number) => {
      quota.ask({ window: window - 1, want: 100 });
      quota.ask({ window, unused: 50, limitedMs: 30_000 });
    };
    const restOf = (window: number) => {
      quota.wait(30_000);
      quota.ask({ window, want: 50 });
      quota.wait(60_250);
    };
    tooEarly(2);
    restOf(2);
    tooEarly(3);
    restOf(3);
    expect(quota.stored).toMatchObject({ window: 3, limit: 100, windowMs: 60_000 }); // control: not before
    tooEarly(4);
    expect(quota.stored).toMatchObject({ window: 4, limit: 0 });
    expect(quota.ask({ window: 4, want: 1 })).toMatchObject({ window: 0, limit: 0, lost: 0 });
  });

  it('a state that has lost what a process knows says so, until it knows as much', () => {
    const quota = shared();
    expect(quota.ask({ window: 7, want: 1 })).toMatchObject({ window: 0, limit: 0, lost: 1 });
    expect(quota.ask({ want: 1 })).toMatchObject({ window: 0, limit: 0, lost: 0 }); // control: one that knows nothing
  });

  it('one window at its usual time in between, and nothing is forgotten', () => {
    const quota = learned(1);
    for (let window = 2; window <= 9; window++) {
      quota.ask({ window: window - 1, want: 80 });
      if (window % 3 !== 0) quota.ask({ window, unused: 30, limitedMs: 5000 });
      quota.wait(window % 3 === 0 ? 60_250 : 65_250);
    }
    expect(quota.stored).toMatchObject({ window: 9, limit: 100 });
  });

  it('what got through is no quota while nobody knows in how long', () => {
    const quota = shared();
    quota.ask({ limitedMs: 5000 });
    quota.ask({ window: 1, unused: -3 });
    quota.wait(5000);
    expect(quota.ask({ window: 1, want: 10 })).toMatchObject({ window: 0, limit: 0 });
  });

  it('what a process that died has taken is lost for this window, and nothing else is', () => {
    const quota = learned(2);
    quota.ask({ window: 1, want: 50 }); // and is killed
    quota.ask({ window: 1, want: 50 });
    quota.wait(60_250);
    expect(quota.ask({ window: 2, want: 50 })).toMatchObject({ limit: 100, granted: 50 });
  });

  it('with more processes than permits, each has its turn, in the order in which they came', () => {
    const quota = learned(4);
    const first = Array.from({ length: 300 }, () => quota.ask({ window: 1, want: 1 }));
    const waiting = first.filter(({ granted }) => granted === 0);
    expect(waiting).toHaveLength(200);
    expect(new Set(waiting.map(({ ticket }) => ticket)).size).toBe(200);
    quota.wait(60_250);
    const again = (ticket: number) => quota.ask({ window: 2, want: 1, ticket });
    expect(again(waiting[150]!.ticket)).toMatchObject({ granted: 0, ticket: waiting[150]!.ticket });
    for (const { ticket } of waiting.slice(0, 100)) expect(again(ticket).granted).toBe(1);
    expect(again(waiting[100]!.ticket).granted).toBe(0);
  });

  it('a turn that nobody takes is void after a quarter of the window', () => {
    const quota = learned(1);
    const granted = (count: number, window: number) =>
      Array.from({ length: count }, () => quota.ask({ window, want: 1 }).granted).filter((permits) => permits > 0)
        .length;
    expect(granted(150, 1)).toBe(100);
    quota.wait(60_250);
    expect(granted(100, 2)).toBe(50); // the others are kept for those in line
    quota.wait(20_000);
    expect(granted(100, 3)).toBe(50);
  });

  it('what is told too late about a window, or without one, changes nothing', () => {
    const quota = learned(1);
    quota.ask({ window: 1, want: 100 });
    quota.ask({ window: 1, unused: 40 });
    quota.ask({ unused: -40 });
    expect(quota.stored.out).toBe(100);
    quota.ask({ window: 2, unused: 40 }); // control: in time
    expect(quota.stored.out).toBe(60);
  });

  it('a limit that has ended before anybody asked is forgotten: the next one counts from nothing', () => {
    const quota = shared();
    quota.ask({ limitedMs: 5000, unused: -100, windowMs: 60_000 });
    quota.wait(5000);
    quota.ask({ limitedMs: 3000, unused: -40, windowMs: 60_000 });
    quota.wait(3000);
    expect(quota.ask({ window: 2, want: 9 })).toMatchObject({ window: 3, limit: 40 });
  });

  it('a newcomer who meets a limit adds what passed to what is out, and nothing is forgotten', () => {
    const quota = learned(1);
    quota.ask({ window: 1, want: 10 });
    quota.ask({ limitedMs: 59_000, unused: -3, windowMs: 60_000 });
    expect(quota.stored).toMatchObject({ window: 2, limit: 100, out: 13, closed: 1 });
  });

  it('a limit after a whole window in which nobody asked teaches nothing', () => {
    const quota = learned(1);
    quota.wait(quota.ask({ window: 1, want: 10 }).endsInMs + 60_000);
    quota.ask({ limitedMs: 30_000, unused: -3, windowMs: 60_000 });
    expect(quota.stored).toMatchObject({ out: 103, closed: 1, aligned: 0 });
    quota.wait(30_000);
    expect(quota.ask({ window: 2, want: 10 })).toMatchObject({ limit: 100, windowMs: 60_000 });
    // Control: a millisecond sooner, the window of the connector is a long one.
    const sooner = learned(1);
    sooner.wait(sooner.ask({ window: 1, want: 10 }).endsInMs + 59_999);
    sooner.ask({ limitedMs: 30_000, unused: -3, windowMs: 60_000 });
    expect(sooner.stored).toMatchObject({ out: 13, closed: 1, aligned: 1 });
  });

  it('a limit ends the window if it lasts for three quarters of it, and shifts it if it is shorter', () => {
    const quota = learned(1);
    quota.ask({ window: 1, want: 80 });
    quota.ask({ window: 2, limitedMs: 45_250 });
    expect(quota.stored).toMatchObject({ closed: 1, moved: 0 });
    const shorter = learned(1);
    shorter.ask({ window: 1, want: 80 });
    shorter.ask({ window: 2, limitedMs: 45_249 });
    expect(shorter.stored).toMatchObject({ closed: 0, moved: 1 });
  });

  it('half as many again as the quota still fit into one window, which is shifted', () => {
    const quota = learned(1);
    quota.wait(quota.ask({ window: 1, want: 100 }).waitMs);
    for (let passed = 0; passed < 50; passed++) quota.ask({ window: 2, want: 1, probed: 1 });
    expect(quota.stored.out).toBe(150);
    quota.ask({ window: 2, limitedMs: 5000 });
    expect(quota.stored).toMatchObject({ limit: 100, moved: 1 });
  });

  it('a window without a limit proves nothing: more that pass in the next one raise the quota', () => {
    const quota = learned(1);
    quota.wait(quota.ask({ window: 1, want: 100 }).endsInMs);
    quota.wait(quota.ask({ window: 2, want: 100 }).waitMs);
    for (let passed = 0; passed < 20; passed++) quota.ask({ window: 3, want: 1, probed: 1 });
    quota.wait(60_000);
    expect(quota.ask({ window: 3, want: 1 }).limit).toBe(120);
  });

  it('a place in a line that the state has lost is replaced by one at its end', () => {
    const quota = learned(1);
    quota.ask({ window: 1, want: 100 });
    expect(quota.ask({ window: 1, want: 1 })).toMatchObject({ granted: 0, ticket: 1 });
    expect(quota.ask({ window: 2, want: 1, ticket: 999 })).toMatchObject({ granted: 0, ticket: 2 });
  });

  it('a clock that is set back makes it forget, not wait', () => {
    const quota = learned(1);
    quota.ask({ window: 1, want: 10 });
    quota.wait(-30_000);
    expect(quota.ask({ window: 2, want: 10 })).toMatchObject({ limit: 0, waitMs: 0 });
  });
});

describe('whatever is asked, in whatever order (G9, G10)', () => {
  it.each(Array.from({ length: 40 }, (_, index) => index + 1))(
    'grants no more than there is, and lets nobody wait longer than the window or the limit (seed %d)',
    (seed) => {
      const random = seededRandom(seed);
      const below = (count: number) => Math.floor(random() * count);
      const maybe = (chance: number, value: number) => (random() < chance ? value : 0);
      const quota = shared();
      let granted = 0;
      let window = 0;
      for (let step = 0; step < 400; step++) {
        quota.wait(below(random() < 0.05 ? 30_000 : 200));
        const isFirst = random() < 0.1;
        const answer = quota.ask({
          window: isFirst ? 0 : window,
          want: maybe(0.8, below(80)),
          ticket: maybe(0.2, below(20)),
          limitedMs: maybe(0.1, below(10_000)),
          unused: isFirst ? -below(50) : 0,
          windowMs: 10_000 + below(1000),
        });
        if (answer.window !== window) granted = 0;
        window = answer.window;
        granted += answer.granted - answer.probe;
        const { limit, windowMs } = quota.stored;
        expect(granted).toBeLessThanOrEqual(limit);
        expect(Number.isInteger(limit) && limit >= 0).toBe(true);
        expect(Object.values(answer).every((value) => Number.isInteger(value) && value >= 0)).toBe(true);
        expect(answer.waitMs).toBeLessThanOrEqual(answer.endsInMs);
        if (limit > 0) expect(answer.endsInMs).toBeLessThanOrEqual(10_000 + windowMs + 250);
      }
    },
  );
});
