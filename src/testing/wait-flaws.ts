import { formatWait, type WaitFormat, waitFormats } from '../contract/index.js';

/**
 * Ways to write a wait header wrongly, or rightly but unusually (rules W4 to W7):
 *
 * - `missing`: no header at all, which makes the 403 an access denial (W2)
 * - `empty`, `invalid`, `negative`, `fraction`: there, but no wait; the client falls back (W6)
 * - `duplicated`: twice, the second with `0`; the longest valid wait counts (W4)
 * - `past`: an HTTP-date of an hour ago, which is a wait of zero (W5)
 * - `huge`: more digits than a double holds, longer than any client sleeps (W7)
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

/** The header lines that a limit is answered with. */
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
