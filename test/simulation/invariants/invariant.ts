import type { Trace } from '../trace.js';
import type { View } from './views.js';

/** Something that must hold in every run, whatever happens in it. */
export interface Invariant {
  /** The rule of docs/rules.md that it watches; `close` for what the client's `close()` promises, `pacing` for boundary probing. */
  readonly rule: string;
  /** What always holds, as a sentence. */
  readonly title: string;
  /** What of a run it is to be given, where there are several clients or gates. @default 'run' */
  readonly view?: View;
  /** @returns what was seen instead; nothing where it holds. */
  check(trace: Trace): Iterable<Finding>;
}

export interface Finding {
  at: number;
  seen: string;
  /** Where one invariant watches over several rules: which of them was broken. */
  rule?: string;
}

/** A broken rule. */
export interface Violation {
  rule: string;
  title: string;
  at: number;
  seen: string;
}

/** Times are sums of fractions, and the client's clock runs while it works: less than this is no difference. */
export const tolerance = 1e-4;
