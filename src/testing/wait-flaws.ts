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

/** The header lines of a rate-limit response. */
export function limitHeaders({ header, format, waitMs, now }: LimitHeader): [name: string, value: string][] {
  switch (format) {
    case 'missing':
      return [];
    case 'empty':
      return [[header, '']];
    case 'invalid':
      return [[header, 'in a while']];
    case 'negative':
      return [[header, '-3']];
    case 'fraction':
      return [[header, '1.5']];
    case 'duplicated':
      return [
        [header, formatWait(waitMs)],
        [header, '0'],
      ];
    case 'past':
      return [[header, new Date(now - 3_600_000).toUTCString()]];
    case 'huge':
      return [[header, '9'.repeat(400)]];
    default:
      return [[header, formatWait(waitMs, { format, now })]];
  }
}
