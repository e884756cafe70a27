import type { LeaseRequest } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { lease } from '../../src/client/rate-limit/quota/lease.js';
import type { SharedWindow } from '../../src/client/rate-limit/quota/shared-window.js';
import { seededRandom } from '../simulation/seeded-random.js';

const nothing: LeaseRequest = {
  ...{ window: 0, want: 0, ticket: 0, returned: 0, probed: 0, limitedMs: 0 },
  ...{ learned: 0, learnedMs: 0, announced: 0, announcedMs: 0 },
};

/** A shared quota on a clock of its own. */
function shared() {
  let stored: SharedWindow | undefined;
  let now = 1000;
  return {
    get window() {
      return stored as SharedWindow;
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

/** Four processes have met their first limit: 25 requests passed in each, and 60 seconds are left of the minute. */
function learned(count = 4) {
  const quota = shared();
  for (let process = 0; process < count; process++) {
    quota.ask({ limitedMs: 60_000, learned: 100 / count, learnedMs: 60_000 });
  }
  quota.wait(60_000);
  return quota;
}

describe('permits of a shared quota (G10)', () => {
  it('are not needed before the first limit', () => {
    const quota = shared();
    expect(quota.ask({ want: 50 })).toMatchObject({ limit: 0, granted: 0 });
    expect(quota.window.window).toBe(0);
  });

  it('are as many as all processes together got through before the first limit', () => {
    const quota = learned();
    const answers = Array.from({ length: 4 }, () => quota.ask({ window: 1, want: 50 }));
    expect(answers.map(({ granted }) => granted)).toEqual([25, 25, 25, 25]);
  });

  it('are shared out by what is asked for, and the rest goes to those who come again', () => {
    const quota = learned();
    expect(quota.ask({ window: 1, want: 5 })).toMatchObject({ granted: 5 });
    const [, hungry] = [quota.ask({ window: 1, want: 1 }), quota.ask({ window: 1, want: 90 })];
    expect(hungry.granted).toBe(25);
    expect(hungry.waitMs).toBeLessThan(60_000);
    quota.wait(hungry.waitMs);
    expect(quota.ask({ window: 2, want: 90 }).granted).toBe(35); // half of what is left
  });

  it('one process probes, whoever takes the last permit', () => {
    const quota = learned(2);
    expect(quota.ask({ window: 1, want: 90 })).toMatchObject({ granted: 50, probe: 0 });
    expect(quota.ask({ window: 1, want: 90 })).toMatchObject({ granted: 50, probe: 1 });
    expect(quota.ask({ window: 1, want: 90 })).toMatchObject({ granted: 0, probe: 0 });
  });

  it('a probe that passes is followed by the next, and the next window is larger by them', () => {
    const quota = learned(1);
    quota.ask({ window: 1, want: 100 });
    for (let passed = 0; passed < 5; passed++) {
      expect(quota.ask({ window: 2, want: 1, probed: 1 })).toMatchObject({ probe: 1 });
    }
    quota.ask({ window: 2, returned: 1, limitedMs: 59_000 });
    quota.wait(59_000);
    expect(quota.ask({ window: 2, want: 200 }).limit).toBe(105);
  });

  it('what was refused or not used makes the next window smaller', () => {
    const quota = learned(1);
    quota.ask({ window: 1, want: 100 });
    quota.ask({ window: 2, returned: 41, limitedMs: 59_000 }); // 101 with the probe
    quota.wait(59_000);
    expect(quota.ask({ window: 2, want: 100 }).limit).toBe(60);
    expect(quota.ask({ window: 2, returned: 5 }).limit).toBe(60); // a report that comes late teaches nothing
  });

  it('a window that taught almost nothing halves the quota, because late requests may have met the next one', () => {
    const quota = learned(1);
    quota.ask({ window: 1, want: 100 });
    quota.wait(55_000);
    quota.ask({ window: 2, returned: 101, limitedMs: 5000 });
    quota.wait(5000);
    expect(quota.ask({ window: 2, want: 100 })).toMatchObject({ limit: 50, granted: 50 });
  });

  it('what a process that died has taken is lost for this window, and nothing else is', () => {
    const quota = learned(2);
    quota.ask({ window: 1, want: 50 }); // and is killed
    quota.ask({ window: 1, want: 50 });
    quota.wait(60_000);
    expect(quota.ask({ window: 2, want: 50 })).toMatchObject({ limit: 100, granted: 50 });
  });

  it('with more processes than permits, each has its turn, in the order in which they came', () => {
    const quota = learned(4);
    const first = Array.from({ length: 300 }, (_, process) => ({ process, ...quota.ask({ window: 1, want: 1 }) }));
    expect(first.filter(({ granted }) => granted > 0).length).toBeLessThanOrEqual(100);
    const waiting = first.filter(({ granted, probe }) => granted + probe === 0);
    expect(new Set(waiting.map(({ ticket }) => ticket)).size).toBe(waiting.length);
    quota.wait(60_000);
    const [, , third] = waiting;
    const late = quota.ask({ window: 2, want: 1, ticket: waiting.at(-1)!.ticket });
    expect(late).toMatchObject({ granted: 0, ticket: waiting.at(-1)!.ticket });
    expect(quota.ask({ window: 2, want: 1, ticket: third!.ticket }).granted).toBe(1);
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
    'grants no more than there is, and lets nobody wait for ever (seed %d)',
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
          learned: isFirst ? below(50) : 0,
          learnedMs: 10_000 + below(1000),
        });
        if (answer.window !== window) granted = 0;
        window = answer.window;
        granted += answer.granted;
        const { limit, windowMs, slices, slides, tail, head } = quota.window;
        if (slides === 0) expect(granted).toBeLessThanOrEqual(Math.max(limit, quota.window.out));
        expect(Number.isInteger(limit) && limit >= 0).toBe(true);
        expect(slices.length).toBeLessThan(150);
        expect(Object.values(answer).every((value) => Number.isFinite(value) && value >= 0)).toBe(true);
        if (limit > 0)
          expect(answer.waitMs).toBeLessThanOrEqual(10_000 + (2 + (20 + tail - head) / limit) * windowMs * 1.1);
      }
    },
  );
});
