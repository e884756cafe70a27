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

  it.each([
    [
      '192.0.2.1',
      '192.0.2.1:5000',
      '[::ffff:192.0.2.1]:443',
      '::FFFF:192.0.2.1',
      '::ffff:c000:201',
      '0:0:0:0:0:ffff:c000:0201',
    ],
    ['1.2.3.4', '1.2.3.4:1', '::FFFF:102:304', '[::ffff:102:304]', '64:ff9b::1.2.3.4', '64:ff9b::102:304'],
    [
      '2001:db8::1',
      '[2001:db8::1]',
      '[2001:db8::1]:443',
      '[2001:DB8:0:0::2]:80',
      '2001:0db8:0000::ffff',
      '2001:db8::3%eth0',
    ],
    ['2001::5:6:7:8:9:a', '2001:0:5:6::1', '[2001:0:5:6:7::]:65535'],
    ['::1', '[::1]:8080', '::2'],
    ['fe80::1%eth0', '[fe80::1%25eth0]:80', 'fe80::2'],
  ])('takes %s in any form, with or without a port, for one source', (bare, ...forms) => {
    for (const form of forms) {
      const { throttle, fail } = setUp();
      fail(form, 6);
      expect(throttle.retryAfterMs(bare), form).toBe(1000);
      expect(throttle.retryAfterMs('198.51.100.1')).toBe(0);
      expect(throttle.retryAfterMs('2001:db9::1')).toBe(0);
    }
  });

  it.each([
    'unknown',
    '',
    'host:5000',
    '1.2.3:5000',
    '[1.2.3.4',
    '[]:1',
    '1:2:3',
    ':::',
    '[::1]x',
    '::1]@[::2',
    '2001:db8::1/64',
    `${'1:'.repeat(100_000)}1`,
    `[${'['.repeat(100_000)}`,
  ])('takes what is no address as it is: %#', (source) => {
    const { throttle, fail } = setUp();
    fail(source, 6);
    expect(throttle.retryAfterMs(source)).toBe(1000);
    for (const other of ['1.2.3.4', '::1', '2001:db8::1', `${source} `]) expect(throttle.retryAfterMs(other)).toBe(0);
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
