import { type ConnectionState, type Lease, type LeaseRequest, memoryState } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { Time } from '../../bench/fleet/time.js';
import { LearnedQuota } from '../../src/client/rate-limit/quota/learned.js';
import { LeasedQuota } from '../../src/client/rate-limit/quota/leased.js';
import { connect } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';
import { until } from '../helpers/until.js';

const unknown: Lease = {
  ...{ window: 0, limit: 0, windowMs: 0, granted: 0, probe: 0 },
  ...{ startsInMs: 0, endsInMs: 0, waitMs: 0, ticket: 0, lost: 0 },
};
const known: Lease = { ...unknown, window: 1, limit: 20, windowMs: 1600, granted: 5, endsInMs: 1600, waitMs: 400 };

/** The quota of one process, and what it tells a state that gives these answers, the last one again and again. */
function process(...answers: (Lease | 'silence')[]) {
  const time = new Time();
  const clock = time.clock();
  const told: LeaseRequest[] = [];
  let asked = 0;
  const take = async (request: LeaseRequest) => {
    told.push(request);
    const answer = answers[Math.min(asked++, answers.length - 1)];
    return answer === 'silence' ? new Promise<never>(() => {}) : answer;
  };
  const quota = new LeasedQuota({ clock, learned: new LearnedQuota(clock), take, onAnswer: () => {} });
  const send = (count: number) => {
    for (let inFlight = 0; inFlight < count; inFlight++) quota.started(false, inFlight);
  };
  const passed = (startedAt: number, isLate = false) =>
    quota.ended({ outcome: 'passed', isLogin: false, isLate, startedAt });
  return { quota, told, send, passed, now: () => clock.monotonic(), until: (ms: number) => time.runUntil(ms) };
}

/** A process whose first question has this answer. */
async function begun(answer: Lease | 'silence', ...answers: (Lease | 'silence')[]) {
  const started = process(answer, ...answers);
  started.quota.want(5, started.now());
  await started.until(1);
  started.told.length = 0;
  return started;
}

/** One that nobody could tell a quota, that has met its first limit after four requests of 20 ms, and whose pause is over. */
async function afterLimit(...answers: (Lease | 'silence')[]) {
  const started = await begun(unknown, ...answers);
  const { quota, send, passed, until } = started;
  send(5);
  await until(21);
  for (let count = 0; count < 4; count++) passed(1);
  quota.limited(800, 1);
  await until(821);
  quota.opened();
  return started;
}

describe('a process with a leased quota (G10)', () => {
  it('asks once before its first request, and goes by itself where no quota is known', async () => {
    const { quota, now, told, send, passed, until } = process(unknown, known);
    expect(quota.mayStart(0, now())).toBe(false);
    quota.want(50, now());
    quota.want(50, now());
    await until(1);
    send(3);
    quota.want(50, now());
    await until(21);
    passed(1);
    quota.want(50, now());
    expect(told).toMatchObject([{ window: 0, want: 50, unused: 0, limitedMs: 0, windowMs: 0 }]);
    expect(quota.mayStart(2, now())).toBe(true);
  });

  it('begins with permits where others have learned the quota', async () => {
    const { quota, now, send } = await begun(known);
    expect(quota.known).toMatchObject({ limit: 20, windowMs: 1600 });
    send(4);
    expect(quota.mayStart(4, now())).toBe(true);
    send(1);
    expect(quota.mayStart(5, now())).toBe(false);
  });

  it('goes by itself where the state does not answer its first question within two seconds (G9)', async () => {
    const { quota, now, until } = await begun('silence');
    expect(quota.roomInMs(now())).toBeCloseTo(1999, 3);
    await until(1999);
    quota.advance(now());
    expect(quota.mayStart(0, now())).toBe(false); // control
    await until(2001);
    quota.advance(now());
    expect(quota.mayStart(0, now())).toBe(true);
  });

  it('tells what it got through at the first limit, once nothing is in flight, and asks for permits after it', async () => {
    const { quota, now, told, until } = await afterLimit({ ...unknown, window: 1 }, known);
    expect(told).toMatchObject([{ window: 0, want: 0, unused: -4, limitedMs: 800, windowMs: 821 }]);
    expect(quota.mayStart(0, now())).toBe(false); // it needs a permit
    quota.want(2, now());
    quota.want(2, now()); // once
    await until(822);
    expect(told.slice(1)).toMatchObject([{ window: 1, want: 5, unused: 0, limitedMs: 0 }]);
    expect(quota.mayStart(0, now())).toBe(true);
    expect(quota.known).toMatchObject({ limit: 20, windowMs: 1600 });
  });

  it('starts one request for each permit, and one more for each that the connector has not counted', async () => {
    const { quota, now, send, until } = await afterLimit({ ...unknown, window: 1 }, known);
    quota.want(9, now());
    await until(822);
    send(5);
    expect(quota.mayStart(5, now())).toBe(false);
    quota.ended({ outcome: 'unknown', isLogin: false, isLate: false, startedAt: 822 });
    expect(quota.mayStart(4, now())).toBe(true);
  });

  it('tells at a limit what did not pass', async () => {
    const { quota, now, told, send, passed, until } = await afterLimit(
      { ...unknown, window: 1 },
      { ...known, window: 2 },
    );
    quota.want(9, now());
    await until(822);
    send(3);
    await until(842);
    passed(822);
    quota.limited(500, 822);
    expect(told).toHaveLength(2); // one is still in flight
    passed(822, true);
    await until(843);
    expect(told[2]).toMatchObject({ window: 2, want: 0, unused: 3, limitedMs: 500 });
  });

  it('sends again with its permit what a limit of a moment has refused, and counts what passes after it', async () => {
    const { quota, now, told, send, passed, until } = await afterLimit({ ...unknown, window: 1 }, known);
    quota.want(9, now());
    await until(822);
    send(5);
    await until(842);
    quota.limited(1, 822);
    await until(843);
    quota.opened();
    expect(quota.mayStart(4, now())).toBe(true);
    for (let count = 0; count < 4; count++) passed(822, true);
    send(1);
    expect(quota.mayStart(1, now())).toBe(false);
    await until(863);
    quota.limited(500, 843);
    await until(864);
    expect(told[2]).toMatchObject({ window: 1, want: 0, unused: 1 });
  });

  it('leases nothing where responses take a good part of the window', async () => {
    const { quota, now, told, send, passed, until } = await begun(unknown, known);
    send(30);
    await until(701);
    for (let count = 0; count < 29; count++) passed(1);
    quota.limited(800, 1);
    await until(1501);
    quota.opened();
    quota.want(9, now());
    expect(told).toEqual([]);
    expect(quota.mayStart(0, now())).toBe(true);
  });

  it('leases on though a busy machine makes a whole window slow, or many requests stand in line', async () => {
    const { quota, now, told, send, passed, until } = await begun(known);
    const window = async (startedAt: number, ...endAt: number[]) => {
      send(endAt.length + 1);
      for (const ms of endAt) {
        await until(ms);
        passed(startedAt);
      }
      quota.limited(startedAt + 1600 - now(), startedAt);
      await until(startedAt + 1600);
      quota.opened();
      quota.want(9, now());
      await until(startedAt + 1601);
    };
    await window(1, 21, 301, 301, 301); // in line behind one of 20 ms
    expect(told.at(-1)?.want).toBeGreaterThan(0);
    await window(1602, 2002, 2002, 2002, 2002); // all of them slow
    expect(told.at(-1)?.want).toBeGreaterThan(0);
    told.length = 0;
    await window(3203, 3603, 3603, 3603, 3603); // once more: that is how long responses take
    expect(told.filter(({ want }) => want > 0)).toEqual([]);
  });

  it('gives up an answer that takes an eighth of the window, and goes on by itself (G9)', async () => {
    const { quota, now, told, until } = await afterLimit({ ...unknown, window: 1 }, 'silence');
    quota.want(9, now());
    expect(quota.roomInMs(now())).toBeCloseTo(103, 3); // of 820 ms
    await until(821 + 104);
    quota.advance(now());
    expect(quota.mayStart(0, now())).toBe(true);
    quota.want(9, now());
    expect(told).toHaveLength(2);
  });

  it('waits for the time to ask again, and for the end of the window only while a probe is in flight', async () => {
    const { quota, now, send } = await begun(known);
    send(5);
    expect(quota.roomInMs(now())).toBeLessThanOrEqual(400);
    const probing = await begun({ ...known, granted: 1, probe: 1, waitMs: 0 });
    probing.send(1);
    expect(probing.quota.roomInMs(probing.now())).toBeGreaterThan(1500);
  });

  it('keeps no permit through a pause that ends in the second half of the window', async () => {
    const afterPause = async (pauseMs: number) => {
      const { quota, now, send, until } = await begun(known);
      send(5);
      await until(21);
      quota.limited(pauseMs, 1);
      await until(21 + pauseMs);
      quota.opened();
      return quota.mayStart(4, now());
    };
    expect(await afterPause(1000)).toBe(false);
    expect(await afterPause(500)).toBe(true); // control
  });

  it('does not tell a limit to a state that has been away for less than five seconds', async () => {
    const { quota, told, send, passed, until } = await begun('silence', { ...unknown, window: 1 });
    await until(2001);
    quota.advance(2001);
    send(5);
    await until(6900);
    for (let count = 0; count < 4; count++) passed(6890);
    quota.limited(800, 6890);
    await until(6901);
    expect(told).toEqual([]);
  });

  it('knows a quota with a lease, and none without', async () => {
    expect((await begun(known)).quota.isKnown).toBe(true);
    expect((await begun(unknown)).quota.isKnown).toBe(false);
  });

  it('goes by what it has learned itself while a state that never answered is away', async () => {
    const { quota, now, send, passed, until } = await begun('silence');
    await until(2001);
    quota.advance(now());
    send(5);
    await until(2021);
    for (let count = 0; count < 4; count++) passed(2001);
    quota.limited(800, 2001);
    await until(2821);
    quota.opened();
    let started = 0;
    for (; started < 20 && quota.mayStart(started, now()); started++) quota.started(false, started);
    expect(started).toBe(5);
  });

  it('tells its first limit to a state that was away before it', async () => {
    const { quota, told, send, passed, until } = await begun('silence', { ...unknown, window: 1 });
    await until(2001);
    quota.advance(2001);
    await until(8000);
    send(5);
    await until(8020);
    for (let count = 0; count < 4; count++) passed(8000);
    quota.limited(800, 8000);
    await until(8021);
    expect(told).toMatchObject([{ window: 0, want: 0, unused: -4, limitedMs: 800 }]);
  });

  const numbers = Object.keys(known) as (keyof Lease)[];
  const wrong = [Number.NaN, Number.POSITIVE_INFINITY, -1, '5', undefined];
  it.each(numbers.flatMap((name) => wrong.map((value) => [name, value] as const)))(
    'takes a state for away that answers with %s: %s (G9)',
    async (name, value) => {
      const answer = { ...known, granted: 0, [name]: value } as Lease;
      const { quota, now, until } = await afterLimit({ ...unknown, window: 1 }, answer);
      quota.want(9, now());
      expect(quota.mayStart(0, now())).toBe(false); // control: it waits for the answer
      await until(822);
      expect(quota.mayStart(0, now())).toBe(true);
    },
  );
});

it('a quota that a state shares in fractions is restored by the next client (G9)', async () => {
  const connector = await scriptedConnector();
  const state: ConnectionState = { ...memoryState(), take: async () => ({ ...known, limit: 2.5 }) };
  const client = connect(connector, { state });
  // Enough calls that some ask for permits.
  await Promise.all(Array.from({ length: 8 }, () => client.get('/items')));
  await until(() => client.status.quota !== undefined);
  const snapshot = client.snapshot();
  expect(snapshot.quotas).toMatchObject([{ limit: 2 }]);
  expect(connect(connector, { snapshot }).snapshot()).toEqual(snapshot);
});
