import { describe, expect, it } from 'vitest';
import { Share } from '../../src/client/rate-limit/quota/share.js';

const whole = { limit: 100, windowMs: 64_000 };
/** A window of the state, and the 1.5 times 250 ms by which it opens late. */
const windowMs = 64_375;

/** A share of so many permits, whose window began at 0 and is over. */
function shareOf(permits: number, clock: ConstructorParameters<typeof Share>[0] = {}) {
  const share = new Share(clock);
  share.granted(1, permits);
  share.begin(whole, 0, windowMs);
  return share;
}

/** Sends as much as the share allows at this time. @returns how many that were. */
function send(share: Share, now: number): number {
  let sent = 0;
  for (; sent < 1000 && share.mayStart(0, now); sent++) {
    share.started(now);
    share.passed(now, now);
  }
  return sent;
}

describe('the share of a process while the state is away (G10)', () => {
  it('holds nobody back before the state has failed', () => {
    const share = new Share({});
    expect(share.isOn).toBe(false);
    expect(share.mayStart(1000, 0)).toBe(true);
  });

  it('allows what the state granted first, in any time of a window', () => {
    const share = shareOf(25);
    expect(send(share, windowMs)).toBe(25);
    expect(share.roomInMs(windowMs)).toBeLessThanOrEqual(windowMs);
    expect(share.mayStart(0, 1.5 * windowMs)).toBe(false);
    expect(share.mayStart(24, 2 * windowMs)).toBe(true);
    expect(share.mayStart(25, 2 * windowMs)).toBe(false);
  });

  it('counts what has passed since the last window began', () => {
    const share = new Share({});
    share.granted(1, 25);
    for (let count = 0; count < 20; count++) share.passed(1, 2);
    share.begin(whole, 0, 3);
    expect(send(share, 4)).toBe(5);
  });

  it('grows if the state, back for a moment, has granted more', () => {
    const share = shareOf(25);
    share.end(windowMs + 1);
    share.granted(2, 40);
    share.begin(whole, 0, windowMs + 2);
    expect(send(share, windowMs + 3)).toBe(40);
    share.end(windowMs + 4);
    share.granted(3, 10);
    share.begin(whole, 0, windowMs + 5);
    expect(send(share, 3 * windowMs)).toBe(40);
  });

  it.each([0, 1, 7, 100])('%d permits: probes late in a window, and each share in its turn', (permits) => {
    const share = shareOf(permits);
    const probes: number[] = [];
    for (let window = 1; window <= 200; window++) {
      expect(send(share, window * windowMs)).toBe(Math.max(1, permits));
      expect(share.mayStart(0, (window + 0.6) * windowMs)).toBe(false);
      if (!share.mayStart(0, (window + 0.7) * windowMs)) continue;
      probes.push(window);
      share.limited((window + 0.7) * windowMs, (window + 1) * windowMs);
    }
    const rest = Math.min(16, 100 / Math.max(1, permits));
    expect(probes[0]).toBeLessThanOrEqual(rest + 2);
    expect(probes.length).toBeGreaterThanOrEqual(Math.floor(200 / (rest + 1)) - 1);
    expect(probes.length).toBeLessThanOrEqual(Math.ceil(200 / rest));
  });

  it.each([
    [0, 1],
    [0.5, 3],
    [0.99, 5],
  ])('first probes when the clock’s random number says: %d', (random, first) => {
    const share = shareOf(25, { random: () => random });
    for (let window = 1; window <= first; window++) {
      send(share, window * windowMs);
      expect(share.mayStart(0, (window + 0.7) * windowMs)).toBe(window === first);
    }
  });

  it('grows by 1, 2, 4, … with probes that pass, to the whole quota', () => {
    const share = shareOf(1);
    const sent: number[] = [];
    for (let window = 1; window <= 40; window++) {
      sent.push(send(share, window * windowMs) + send(share, (window + 0.7) * windowMs));
    }
    expect(sent.at(-1)).toBeGreaterThanOrEqual(100);
    expect(sent.every((count, index) => index === 0 || count <= 2 * (sent[index - 1] as number) + 2)).toBe(true);
  });

  it('loses half of itself at most by one limit, and is never below one', () => {
    const share = shareOf(25);
    const limits = [];
    for (let window = 2; window <= 8; window++) {
      share.limited(window * windowMs, window * windowMs + 1);
      limits.push(share.known?.limit);
    }
    expect(limits).toEqual([13, 7, 4, 2, 1, 1, 1]);
    expect(send(share, 10 * windowMs)).toBe(1);
  });

  it('says when there is room: at its probe, or once the oldest request that it counts is a window old', () => {
    const share = shareOf(25);
    share.limited(2 * windowMs, 2 * windowMs); // halves it: it rests for 100 / 13 windows, to 9.69
    expect(send(share, 9 * windowMs)).toBe(13);
    expect(share.roomInMs(9 * windowMs)).toBeCloseTo((2 + 100 / 13 - 9) * windowMs, 5);
    expect(share.mayStart(1, 9.8 * windowMs)).toBe(false);
    expect(share.roomInMs(9.8 * windowMs)).toBeCloseTo(0.2 * windowMs, 5);
  });

  it('gets back at once what was in flight when the limit was met, and has passed', () => {
    const share = shareOf(25);
    const now = 2 * windowMs;
    share.limited(now, now + 100);
    for (let count = 0; count < 20; count++) share.passed(now, now + 99);
    expect(share.known?.limit).toBe(20);
    share.passed(now, now + 100);
    expect(share.known?.limit).toBe(20);
  });

  it('holds for two more windows when the state is back, and does not probe', () => {
    const share = shareOf(25);
    share.end(windowMs);
    send(share, windowMs);
    expect(share.mayStart(0, 1.99 * windowMs)).toBe(false);
    share.end(2.9 * windowMs);
    expect(share.isOn).toBe(true);
    share.end(3 * windowMs);
    expect(share.isOn).toBe(false);
  });

  it('goes on if the state fails again', () => {
    const share = shareOf(25);
    share.end(windowMs);
    share.begin(whole, 0, 2 * windowMs);
    share.end(3 * windowMs);
    expect(share.isOn).toBe(true);
    expect(share.known?.limit).toBe(25);
  });
});
