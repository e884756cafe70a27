import type { Trace } from '../trace.js';
import { callInvariants } from './calls.js';
import { gateInvariants } from './gate.js';
import type { Invariant, Violation } from './invariant.js';
import { lifetimeInvariants } from './lifetime.js';
import { sessionInvariants } from './session.js';

export type { Invariant, Violation } from './invariant.js';

export const invariants: readonly Invariant[] = [
  ...gateInvariants,
  ...sessionInvariants,
  ...callInvariants,
  ...lifetimeInvariants,
];

/** Holds a run against every invariant. */
export function violationsIn(trace: Trace): Violation[] {
  return invariants.flatMap(({ rule, title, check }) =>
    [...check(trace)].map((finding) => ({ rule, title, ...finding })),
  );
}
