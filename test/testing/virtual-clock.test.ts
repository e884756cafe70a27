import { randomBytes, scrypt } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { lookup } from 'node:dns/promises';
import { open, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { virtualClock } from 'concordat/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { requestsUnderWay } from '../../src/testing/clock/requests-under-way.js';

const hourMs = 3_600_000;

describe('advance', () => {
  it('fires a timer when it is due, and not a millisecond before', async () => {
    const clock = virtualClock();
    let fired = 0;
    clock.setTimer(hourMs, () => fired++);
    await clock.advance(hourMs - 1);
    expect(fired).toBe(0);
    await clock.advance(1);
    expect(fired).toBe(1);
    await clock.advance(hourMs);
    expect(fired).toBe(1);
  });

  it('fires in the order of time, then of setting, with the clock at the moment of each', async () => {
    const clock = virtualClock(1000);
    const seen: string[] = [];
    const note = (name: string) => () => seen.push(`${name} ${clock.monotonic()} ${clock.now()}`);
    clock.setTimer(20, note('c'));
    clock.setTimer(10, note('a'));
    clock.setTimer(10, note('b'));
    await clock.advance(50);
    expect(seen).toEqual(['a 10 1010', 'b 10 1010', 'c 20 1020']);
    expect([clock.monotonic(), clock.now()]).toEqual([50, 1050]);
  });

  it('lets promises run between timers, and fires what they set within the time', async () => {
    const clock = virtualClock();
    const seen: number[] = [];
    const sleep = (ms: number) => new Promise<void>((resolve) => clock.setTimer(ms, resolve));
    const work = (async () => {
      for (let round = 0; round < 3; round++) {
        await sleep(100);
        for (let step = 0; step < 50; step++) await Promise.resolve();
        seen.push(clock.monotonic());
      }
    })();
    await clock.advance(250);
    expect(seen).toEqual([100, 200]);
    await clock.advance(50);
    await work;
    expect(seen).toEqual([100, 200, 300]);
  });

  it('waits for each of many requests in turn, whose server takes its time', async () => {
    const server = createServer(async (_request, response) => {
      await sleep(100);
      response.end('late');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const clock = virtualClock();
    let isLate = false;
    const work = (async () => {
      const timer = clock.setTimer(hourMs, () => {
        isLate = true;
      });
      for (let round = 0; round < 10; round++) await (await fetch(url)).text();
      timer.cancel();
    })();
    await clock.runUntil(work);
    expect([isLate, clock.monotonic()]).toEqual([false, 0]);
  });

  it('gives requests to a server of this process their turn before the next timer', async () => {
    const server = createServer((_request, response) => response.end('late'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const clock = virtualClock();
    for (let round = 0; round < 20; round++) {
      let answer: string | undefined;
      clock.setTimer(10, async () => {
        const timeout = clock.setTimer(30_000, () => {
          answer = 'timed out';
        });
        const text = await (await fetch(url)).text();
        timeout.cancel();
        answer ??= text;
      });
      await clock.advance(60_000);
      expect(answer).toBe('late');
    }
  });

  it('carries out overlapping calls one after the other', async () => {
    const clock = virtualClock();
    const seen: number[] = [];
    clock.setTimer(15, () => seen.push(clock.monotonic()));
    await Promise.all([clock.advance(10), clock.advance(10)]);
    expect(seen).toEqual([15]);
    expect(clock.monotonic()).toBe(20);
  });

  it('rejects with what a timer throws, and can go on', async () => {
    const clock = virtualClock();
    clock.setTimer(5, () => {
      throw new Error('thrown by the timer');
    });
    await expect(clock.advance(10)).rejects.toThrow('thrown by the timer');
    await clock.advance(10);
    expect(clock.monotonic()).toBe(15);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s milliseconds', async (milliseconds) => {
    await expect(virtualClock().advance(milliseconds)).rejects.toThrow(/`milliseconds` must be a number/);
  });
});

describe('timers', () => {
  it('a cancelled timer never fires; cancelling again does nothing', async () => {
    const clock = virtualClock();
    let fired = 0;
    const timer = clock.setTimer(5, () => fired++);
    const control = clock.setTimer(5, () => fired++);
    timer.cancel();
    timer.cancel();
    await clock.advance(10);
    control.cancel();
    expect(fired).toBe(1);
  });

  it('says how many are set, how many hold the process, and when the next one is due', async () => {
    const clock = virtualClock();
    expect([clock.pending, clock.held, clock.nextInMs]).toEqual([0, 0, undefined]);
    clock.setTimer(40, () => {});
    clock.setTimer(30, () => {}).hold(false);
    expect([clock.pending, clock.held, clock.nextInMs]).toEqual([2, 1, 30]);
    await clock.advance(35);
    expect([clock.pending, clock.held, clock.nextInMs]).toEqual([1, 1, 5]);
  });

  it('takes any finite delay, however long, and counts a negative one as none (W7)', async () => {
    const clock = virtualClock();
    let fired = 0;
    clock.setTimer(2 ** 40, () => fired++);
    clock.setTimer(-5, () => fired++);
    await clock.advance(0);
    expect(fired).toBe(1);
    await clock.advance(2 ** 40);
    expect(fired).toBe(2);
    expect(() => clock.setTimer(Number.POSITIVE_INFINITY, () => {})).toThrow(/`delayMs`/);
    expect(() => clock.setTimer(Number.NaN, () => {})).toThrow(/`delayMs`/);
  });

  it('the calendar jumps without time passing (G2)', async () => {
    const clock = virtualClock({ startMs: 0 });
    let fired = 0;
    clock.setTimer(1000, () => fired++);
    clock.jumpCalendar(hourMs);
    await clock.advance(999);
    expect([fired, clock.now(), clock.monotonic()]).toEqual([0, hourMs + 999, 999]);
    await clock.advance(1);
    expect(fired).toBe(1);
    expect(() => clock.jumpCalendar(Number.NaN)).toThrow('`milliseconds` must be finite, got NaN');
  });
});

describe('runAll', () => {
  it('fires every timer and those that they set, at their own times', async () => {
    const clock = virtualClock();
    const seen: number[] = [];
    clock.setTimer(hourMs, () => {
      seen.push(clock.monotonic());
      clock.setTimer(24 * hourMs, () => seen.push(clock.monotonic()));
    });
    await clock.runAll();
    expect(seen).toEqual([hourMs, 25 * hourMs]);
    expect(clock.pending).toBe(0);
  });

  it('does nothing when no timer is set', async () => {
    const clock = virtualClock();
    await clock.runAll();
    expect(clock.monotonic()).toBe(0);
  });
});

describe('runUntil', () => {
  it('rejects what is no promise', async () => {
    const running = virtualClock().runUntil((async () => {}) as unknown as Promise<void>);
    await expect(running).rejects.toThrow(new TypeError('`promise` must be a promise, not function.'));
  });

  it('stops as soon as the promise has settled, and answers as it does', async () => {
    const clock = virtualClock();
    clock.setTimer(2 * hourMs, () => expect.unreachable('too late'));
    const work = new Promise<string>((resolve) => clock.setTimer(hourMs, () => resolve('done')));
    expect(await clock.runUntil(work)).toBe('done');
    expect(clock.monotonic()).toBe(hourMs);
    await expect(clock.runUntil(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  });

  it('handles a rejection that comes before its turn', async () => {
    const clock = virtualClock();
    const slow = new Promise<void>((resolve) => clock.setTimer(5000, resolve));
    const failing = new Promise((_resolve, reject) => clock.setTimer(1, () => reject(new Error('early'))));
    // An unhandled rejection fails the run.
    const [, second] = await Promise.allSettled([clock.runUntil(slow), clock.runUntil(failing)]);
    expect(second).toMatchObject({ status: 'rejected', reason: new Error('early') });
  });

  it('says so when nothing is left that could settle it', async () => {
    const running = virtualClock().runUntil(new Promise(() => {}));
    await expect(running).rejects.toThrow(/still pending, and no timer .* `setTimeout` of more than half a second/);
  });
});

it('runUntil waits for what it cannot see, such as cryptography, where no timer is set', async () => {
  const work = promisify(scrypt)('a', 'b', 64);
  expect(await virtualClock().runUntil(work)).toBeInstanceOf(Buffer);
});

describe('real time', () => {
  const slow = createServer((_request, response) => void setTimeout(() => response.end('late'), 20));

  it.each<[string, () => Promise<unknown>]>([
    ['a timer', () => sleep(20)],
    [
      'several timers, one after the other',
      () =>
        sleep(5)
          .then(() => sleep(5))
          .then(() => sleep(5)),
    ],
    ['zlib', () => promisify(gzip)(randomBytes(1_000_000))],
    ['zlib that fails', () => promisify(gunzip)('nonsense').catch(() => {})],
    [
      'a CompressionStream',
      () => {
        const bytes = new Blob([randomBytes(1_000_000)]).stream();
        return new Response(bytes.pipeThrough(new CompressionStream('gzip'))).arrayBuffer();
      },
    ],
    ['WebCrypto', () => crypto.subtle.digest('SHA-256', new Uint8Array(20_000_000))],
    ['WebCrypto that fails', () => crypto.subtle.digest('nonsense', new Uint8Array(1)).catch(() => {})],
    ['a look-up of a name', () => lookup('localhost')],
    // Not `readFile`: that of Node 26 tells nobody that it has begun.
    ['a file', () => stat(import.meta.filename)],
    [
      'a server with a timer of its own',
      async () => {
        await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
        const response = await fetch(`http://127.0.0.1:${(slow.address() as AddressInfo).port}`);
        await response.text();
        slow.close();
      },
    ],
  ])('that %s takes passes before the next timer', async (_what, work) => {
    const clock = virtualClock();
    clock.setTimer(hourMs, () => {});
    await clock.runUntil(work());
    expect(clock.monotonic()).toBe(0);
  });

  it.each([1, 5, 19])('passes even if a timer that began earlier ends meanwhile, after %d ms', async (ms) => {
    const earlier = sleep(ms);
    const clock = virtualClock();
    clock.setTimer(hourMs, () => {});
    const work = sleep(20);
    const busyUntil = performance.now() + 3; // the first of them ends before the clock has a turn
    while (performance.now() < busyUntil);
    await clock.runUntil(work);
    expect(clock.monotonic()).toBe(0);
    await earlier;
  });

  it('that the end of a file takes passes, although no thread is free for it', async () => {
    const file = await open(import.meta.filename);
    await sleep(20);
    const clock = virtualClock();
    clock.setTimer(hourMs, () => {});
    await clock.advance(1);
    const close = () => {
      for (let threads = 0; threads < 4; threads++) scrypt('a', 'b', 64, { N: 2 ** 13 }, () => {});
      return file.close();
    };
    await clock.runUntil(close());
    expect(clock.monotonic()).toBe(1);
  });

  it('holds up the clock once, and not for ever, if it does not end', async () => {
    const clock = virtualClock();
    const never = setTimeout(() => {}, hourMs);
    onTestFinished(() => clearTimeout(never));
    const seen: number[] = [];
    for (const ms of [100, 200, 300]) clock.setTimer(ms, () => seen.push(ms));
    await clock.advance(hourMs);
    expect(seen).toEqual([100, 200, 300]);
  });
});

it('an interval of real time that keeps setting timers holds up the clock for a few seconds at most', async () => {
  // A copy of the module counts its waits of a millisecond: how long they take depends on the machine.
  const realTimeout = vi.spyOn(globalThis, 'setTimeout');
  const { createSettle } = await import(
    '../../src/testing/clock/settle.js?counted' as '../../src/testing/clock/settle.js'
  );
  let timers = 0;
  const settle = createSettle(() => timers);
  const interval = setInterval(() => timers++, 50);
  onTestFinished(() => clearInterval(interval));
  onTestFinished(() => realTimeout.mockRestore());
  await settle();
  const naps = realTimeout.mock.calls.filter(([, ms]) => ms === 1).length;
  expect(naps).toBeGreaterThan(1000); // control
  expect(naps).toBeLessThan(4000);
});

it.each<[string, unknown]>([
  ['startMs', Number.NaN],
  ['startMs', { startMs: Number.NaN }],
  ['seed', { seed: -1 }],
  ['start', { start: 0 }],
])('names `%s`, which is wrong: %j', (name, options) => {
  expect(() => virtualClock(options as never)).toThrow(new RegExp(`\`${name}\``));
});

it('waits once for what broke off on the wire without a report, not at every timer', async () => {
  const clock = virtualClock();
  const request = {};
  channel('undici:client:sendHeaders').publish({ request });
  onTestFinished(() => channel('undici:request:error').publish({ request }));
  expect(requestsUnderWay().onTheWire).toBe(true);
  await clock.advance(1);
  expect(requestsUnderWay()).toMatchObject({ any: true, onTheWire: false });
});
