export interface Remaining {
  /** Which of the connector's quotas it belongs to. */
  readonly name: string;
  readonly left: number;
  readonly resetMs: number;
}

/** What is left of a window, according to the latest responses. Responses may overtake each other. */
export interface KnownRemaining {
  readonly left: number;
  /** On the monotonic clock. */
  readonly resetsAt: number;
}

/**
 * Takes in one more response. Within a window the smallest number counts: a larger one comes from an older response,
 * unless it is larger than requests in flight can explain.
 */
export function updateRemaining(
  known: KnownRemaining | undefined,
  latest: Omit<Remaining, 'name'>,
  inFlight: number,
  now: number,
): KnownRemaining {
  const update = { left: latest.left, resetsAt: now + latest.resetMs };
  if (known === undefined || now >= known.resetsAt || latest.left > known.left + inFlight + 1) return update;
  return latest.left < known.left ? update : known;
}
