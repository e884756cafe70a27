import type { Trace } from '../trace.js';
import { callInvariants } from './calls.js';
import { gateInvariants } from './gate.js';
import type { Invariant, Violation } from './invariant.js';
import { lifetimeInvariants } from './lifetime.js';
import { livenessInvariants } from './liveness.js';
import { sessionInvariants } from './session.js';
import { sharingInvariants } from './sharing.js';
import { viewsOf } from './views.js';
import { wasteInvariants } from './waste.js';

export type { Invariant, Violation } from './invariant.js';

const invariants: readonly Invariant[] = [
  ...gateInvariants,
  ...sessionInvariants,
  ...callInvariants,
  ...lifetimeInvariants,
  ...livenessInvariants,
  ...wasteInvariants,
  ...sharingInvariants,
];

/** Holds a run against every invariant. */
export function violationsIn(trace: Trace): Violation[] {
  const views = viewsOf(trace);
  return invariants.flatMap(({ rule, title, view = 'run', check }) =>
    views(view)
      .flatMap((part) => [...check(part)])
      .map((finding) => ({ rule, title, ...finding })),
  );
}
