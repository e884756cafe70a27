/**
 * What a client does not do yet. Each is switched on with the change of the client that brings it: from then on the invariants that ask
 * for it hold.
 */
export interface Later {
  /**
   * Whether the headers `RateLimit-Policy` and `RateLimit` are read. Where they are, announcements that are right have to save every
   * refusal; where they are not, they change nothing.
   */
  readonly readsAnnouncements: boolean;
  /**
   * Whether a gate is open to who comes at the very moment in which its pause ends, whichever of the two timers fires first. Where it is
   * not, a call that is made at its `resumeAt` may be turned away once more, with a `resumeAt` that is over.
   */
  readonly opensOnTime: boolean;
  /** Whether a client that is closing tells the others of its state of a limit that its last requests meet. */
  readonly tellsWhenClosing: boolean;
}

export const later: Later = { readsAnnouncements: true, opensOnTime: true, tellsWhenClosing: true };
