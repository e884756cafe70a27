import { formatWait, type WaitFormat, waitFormats } from '../contract/index.js';

/**
 * Wrong or unusual wait headers (rules W4 to W7):
 *
 * - `missing`: no header, which makes the 403 an access denial (W2)
 * - `empty`, `invalid`, `negative`, `fraction`: not a valid wait; the client uses its fallback (W6)
 * - `duplicated`: twice, the second time with `0`; the longest valid wait counts (W4)
 * - `past`: an HTTP-date an hour ago, a wait of zero (W5)
 * - `huge`: more digits than a double holds, longer than any client waits (W7)
 */
export const waitFlaws = ['missing', 'empty', 'invalid', 'negative', 'fraction', 'duplicated', 'past', 'huge'] as const;
export type WaitFlaw = (typeof waitFlaws)[number];

/** Every format of rule W4, and every flaw. */
export const limitFormats: readonly LimitFormat[] = [...waitFormats, ...waitFlaws];
export type LimitFormat = WaitFormat | WaitFlaw;

export interface LimitHeader {
  header: string;
  format: LimitFormat;
  waitMs: number;
  /** Epoch milliseconds. */
  now: number;
}

/** What the header says; one value for each time that it is sent. */
const flawed: Record<WaitFlaw, (limit: LimitHeader) => string[]> = {
  missing: () => [],
  empty: () => [''],
  invalid: () => ['in a while'],
  negative: () => ['-3'],
  fraction: () => ['1.5'],
  duplicated: ({ waitMs }) => [formatWait(waitMs), '0'],
  past: ({ now }) => [new Date(now - 3_600_000).toUTCString()],
  huge: () => ['9'.repeat(400)],
};

export function limitHeaders(limit: LimitHeader): [name: string, value: string][] {
  const { header, format, waitMs, now } = limit;
  const isFlaw = (name: LimitFormat): name is WaitFlaw => Object.hasOwn(flawed, name);
  const values = isFlaw(format) ? flawed[format](limit) : [formatWait(waitMs, { format, now })];
  return values.map((value) => [header, value]);
}
