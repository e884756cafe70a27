import type { Quota } from '../../events.js';

/** What is left of a window. */
export interface Remaining {
  readonly left: number;
  readonly resetMs: number;
}

/** What one response says about the quota. */
export interface Announcement {
  /** All of them apply; empty if the response names no quota. */
  readonly policies: readonly Quota[];
  /** The smallest remainder that the response names. */
  readonly remaining: Remaining | undefined;
}
