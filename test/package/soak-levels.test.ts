// What `npm run soak` takes for level: the second quarter beside the last.
import { expect, it } from 'vitest';
import { complaintOf, levelsOf } from '../../bench/soak/levels.js';

const mebibyte = 1024 * 1024;
const usual = { sockets: 8, descriptors: 40, heapBytes: 20 * mebibyte, rssBytes: 90 * mebibyte, longestDelayMs: 30 };

/** An hour of a part; `change` says what differs, at a minute. */
const hour = (change: (minute: number) => object) =>
  Array.from({ length: 60 }, (_, minute) => ({
    minute,
    readings: { 'service-1': { ...usual, usualDelayMs: 1, ...change(minute) } },
  }));
const complaintsOf = (change: (minute: number) => object) =>
  levelsOf(hour(change))
    .filter(({ isLevel }) => !isLevel)
    .map(complaintOf);

it('what comes and goes is level (control)', () => {
  expect(levelsOf(hour(() => ({})))).toHaveLength(5);
  const noisy = (minute: number) => ({
    sockets: 4 + (minute % 7),
    descriptors: 36 + (minute % 7),
    heapBytes: (18 + 5 * (minute % 5)) * mebibyte,
    usualDelayMs: minute % 9 === 0 ? 900 : 2,
  });
  expect(complaintsOf(noisy)).toEqual([]);
});

it('what is loaded in the beginning is no leak', () => {
  expect(complaintsOf((minute) => ({ heapBytes: (minute < 5 ? 5 : 60) * mebibyte }))).toEqual([]);
});

it.each([
  ['descriptors', 'of each of three kills a minute', (minute: number) => ({ descriptors: 40 + 3 * minute })],
  ['sockets', 'one a minute', (minute: number) => ({ sockets: 8 + minute })],
  ['heap', '10 KiB a second', (minute: number) => ({ heapBytes: (20 + 0.6 * minute) * mebibyte })],
  ['memory', '3 MiB a minute', (minute: number) => ({ rssBytes: (90 + 4 * minute) * mebibyte })],
  ['delay', 'twice as much every five minutes', (minute: number) => ({ usualDelayMs: 2 ** (minute / 5) })],
])('%s that rise are found, and the part is named: %s', (measure, _what, change) => {
  expect(complaintsOf(change)).toEqual([expect.stringMatching(`^service-1: ${measure} rose from `)]);
});
