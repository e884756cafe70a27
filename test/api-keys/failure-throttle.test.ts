import { createFailureThrottle } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './helpers/clock.js';

describe('slowing down failures (K14)', () => {
  const setUp = (options: Parameters<typeof createFailureThrottle>[0] = {}) => {
    const clock = new ManualClock('2027-03-10T12:00:00.000Z');
    const throttle = createFailureThrottle({ clock, ...options });
    const fail = (source: string, times: number) => {
      for (let index = 0; index < times; index++) throttle.failed(source);
    };
    return { clock, throttle, fail };
  };

  it('lets five failures pass, then waits a second, doubling up to a minute', () => {
    const { throttle, fail } = setUp();
    const waits = [];
    for (let failure = 1; failure <= 13; failure++) {
      fail('192.0.2.1', 1);
      waits.push(throttle.retryAfterMs('192.0.2.1'));
    }
    expect(waits).toEqual([0, 0, 0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('opens again when the wait is over, to the millisecond', () => {
    const { clock, throttle, fail } = setUp();
    fail('192.0.2.1', 6);
    clock.advance(999);
    expect(throttle.retryAfterMs('192.0.2.1')).toBe(1);
    clock.advance(1);
    expect(throttle.retryAfterMs('192.0.2.1')).toBe(0);
    fail('192.0.2.1', 1);
    expect(throttle.retryAfterMs('192.0.2.1')).toBe(2000);
  });

  it('counts each source for itself', () => {
    const { throttle, fail } = setUp();
    fail('192.0.2.1', 20);
    expect(throttle.retryAfterMs('192.0.2.2')).toBe(0);
    expect(throttle.retryAfterMs('192.0.2.1')).toBeGreaterThan(0);
  });

  it('begins a wait anew when a clock that has only the time of day is set back', () => {
    const { clock, throttle, fail } = setUp();
    fail('192.0.2.1', 7);
    clock.advance(-3_600_000);
    expect(throttle.retryAfterMs('192.0.2.1')).toBe(2000);
    clock.advance(1999);
    expect(throttle.retryAfterMs('192.0.2.1')).toBe(1);
    clock.advance(1);
    expect(throttle.retryAfterMs('192.0.2.1')).toBe(0);
    fail('192.0.2.1', 1);
    expect(throttle.retryAfterMs('192.0.2.1')).toBe(4000);
  });

  it('forgets a source that has been quiet', () => {
    const { clock, throttle, fail } = setUp({ forgetAfterMs: 60_000 });
    fail('192.0.2.1', 6);
    clock.advance(59_999);
    fail('192.0.2.1', 1);
    expect(throttle.retryAfterMs('192.0.2.1')).toBe(2000);
    clock.advance(60_000);
    fail('192.0.2.1', 1);
    expect(throttle.retryAfterMs('192.0.2.1')).toBe(0);
  });

  it('takes an IPv6 /64 for one source, and a mapped IPv4 address for that address', () => {
    const { throttle, fail } = setUp();
    fail('2001:db8:0:1::1', 3);
    fail('2001:0DB8::0001:ffff:0:0:2', 3);
    expect(throttle.retryAfterMs('2001:db8:0:1:aaaa:bbbb:cccc:dddd')).toBe(1000);
    expect(throttle.retryAfterMs('2001:db8:0:2::1')).toBe(0);
    fail('::ffff:192.0.2.1', 6);
    expect(throttle.retryAfterMs('192.0.2.1')).toBe(1000);
    expect(throttle.retryAfterMs('192.0.2.2')).toBe(0);
    fail('fe80::1%eth0', 6);
    expect(throttle.retryAfterMs('fe80::2')).toBe(1000);
    fail('::1', 6);
    expect(throttle.retryAfterMs('::1')).toBe(1000);
  });

  it('keeps a bounded number of sources, the latest', () => {
    const { throttle, fail } = setUp({ maxSources: 100 });
    for (let index = 0; index < 1000; index++) fail(`source ${index}`, 6);
    expect(throttle.retryAfterMs('source 899')).toBe(0);
    expect(throttle.retryAfterMs('source 900')).toBe(1000);
    expect(throttle.retryAfterMs('source 999')).toBe(1000);
  });

  it('keeps a source that goes on failing, however long ago it began', () => {
    const { throttle, fail } = setUp({ maxSources: 3 });
    for (const source of ['a', 'b', 'c']) fail(source, 6);
    fail('a', 1);
    fail('d', 6);
    expect(throttle.retryAfterMs('a')).toBe(2000);
    expect(throttle.retryAfterMs('b')).toBe(0);
  });

  it('never waits longer than the longest wait, after however many failures', () => {
    const { throttle, fail } = setUp({ freeFailures: 0, maxWaitMs: 5000 });
    fail('x', 5000);
    expect(throttle.retryAfterMs('x')).toBe(5000);
  });

  it.each([
    ['freeFailures', { freeFailures: -1 }],
    ['firstWaitMs', { firstWaitMs: 0 }],
    ['maxWaitMs', { maxWaitMs: 10 }],
    ['forgetAfterMs', { forgetAfterMs: Number.NaN }],
    ['maxSources', { maxSources: 0 }],
    ['maxSources', { maxSources: '5' as unknown as number }],
  ])('names a wrong `%s`', (name, options) => {
    expect(() => createFailureThrottle(options)).toThrow(`\`${name}\``);
  });

  it('takes waits that are all the same', () => {
    const same = { firstWaitMs: 1000, maxWaitMs: 1000, forgetAfterMs: 1000 };
    expect(() => createFailureThrottle(same)).not.toThrow();
    expect(() => createFailureThrottle({ ...same, maxWaitMs: 999 })).toThrow('`maxWaitMs`');
    expect(() => createFailureThrottle({ ...same, forgetAfterMs: 999 })).toThrow('`forgetAfterMs`');
  });
});
