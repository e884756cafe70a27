import type { Reading } from '../reading.js';

/** How each part that is never killed was, so many minutes after the start. */
export interface Sample {
  readonly minute: number;
  readonly readings: Readonly<Record<string, Reading>>;
}

export interface Level {
  readonly part: string;
  readonly measure: string;
  readonly unit: string;
  /** In the second and in the last quarter of the time. */
  readonly before: number;
  readonly after: number;
  readonly isLevel: boolean;
}

interface Measure {
  readonly name: string;
  readonly unit: string;
  of(reading: Reading): number;
  /** What of a quarter counts: the least of what comes and goes, the middle of what a busy machine disturbs. */
  readonly share: number;
  /** The most in the last quarter. */
  most(before: number): number;
}

const mebibytes = (bytes: number) => bytes / 1024 / 1024;

/** As many connections come and go with the work; what is left at rest is counted to the last one. */
const inUse = 16;

const measures: readonly Measure[] = [
  {
    name: 'heap',
    unit: 'MiB',
    of: (reading) => mebibytes(reading.heapBytes),
    share: 0,
    most: (heap) => 1.2 * heap + 6,
  },
  {
    name: 'memory',
    unit: 'MiB',
    of: (reading) => mebibytes(reading.rssBytes),
    share: 0,
    most: (rss) => 1.4 * rss + 48,
  },
  { name: 'sockets', unit: '', of: (reading) => reading.sockets, share: 0, most: (sockets) => sockets + inUse },
  { name: 'descriptors', unit: '', of: (reading) => reading.descriptors, share: 0, most: (open) => open + inUse },
  { name: 'delay', unit: 'ms', of: (reading) => reading.usualDelayMs, share: 0.5, most: (delay) => 5 * delay + 50 },
];

/** The second quarter beside the last: by then everything is compiled and cached, and what still grows leaks. */
export function levelsOf(samples: readonly Sample[]): Level[] {
  const quarter = Math.floor(samples.length / 4);
  const second = samples.slice(quarter, 2 * quarter);
  const last = samples.slice(-quarter);
  return Object.keys(samples[0]?.readings ?? {}).flatMap((part) =>
    measures.map(({ name, unit, of, share, most }) => {
      const valueIn = (quarter: readonly Sample[]) => {
        const values = quarter.map(({ readings }) => of(readings[part]!)).sort((one, other) => one - other);
        return values[Math.floor(share * values.length)] ?? Number.NaN;
      };
      const [before, after] = [valueIn(second), valueIn(last)];
      return { part, measure: name, unit, before, after, isLevel: after <= most(before) };
    }),
  );
}

export function complaintOf({ part, measure, unit, before, after }: Level): string {
  const text = (value: number) => `${value.toFixed(unit === '' ? 0 : 1)} ${unit}`.trim();
  return `${part}: ${measure} rose from ${text(before)} in the second quarter to ${text(after)} in the last`;
}
