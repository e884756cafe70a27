import type { Plan } from './plan.js';
import type { Outcome } from './write.js';

export interface SyncResult {
  /** Whether the last reading found every source issue equal at the target, and no mirror besides. */
  equal: boolean;
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  /** Issues that the target refused. */
  failed: number;
  /** Source issues that the last reading found equal at both ends. */
  verified: number;
  /** Target issues, by number, that mirror what another one mirrors already. */
  duplicates: number[];
  /** Target issues, by number, whose source issue is gone. */
  orphans: number[];
}

/** Keeps count of one synchronization, by source issue: each is created, updated, unchanged or failed. */
export class Tally {
  readonly #outcomes: Outcome[];
  #unsure = 0;
  #read = 0;
  #plan: Plan | undefined;
  #found: SyncResult | undefined;

  /** @param outcomes of what was written before, such as by jobs */
  constructor(outcomes: readonly Outcome[] = []) {
    this.#outcomes = [...outcomes];
  }

  /** Whether a write since the last comparison ended without anybody knowing whether it took place. */
  get isUnsure(): boolean {
    return this.#outcomes.slice(this.#unsure).some(({ state }) => state === 'unknown');
  }

  /** Why the target refused issues, by number. */
  get refused(): Map<number, string> {
    const refused = this.#outcomes.filter(({ state }) => state === 'refused');
    return new Map(refused.map(({ number, reason = '' }) => [number, reason]));
  }

  compared(plan: Plan, read: number): void {
    this.#plan = plan;
    this.#read = read;
    this.#unsure = this.#outcomes.length;
  }

  add(outcome: Outcome): void {
    this.#outcomes.push(outcome);
  }

  /** What another process found at the end. */
  found(result: SyncResult): void {
    this.#found = result;
  }

  result(): SyncResult {
    if (this.#found !== undefined) return this.#found;
    const { equal = 0, work = [], duplicates = [], orphans = [] } = this.#plan ?? {};
    const differing = new Set(work.map(({ source }) => source.number));
    const written = new Map<number, Outcome['type']>();
    for (const { number, type, state } of this.#outcomes) {
      // What nobody knew took place after all if both ends are equal now.
      const isDone = state === 'done' || (state === 'unknown' && !differing.has(number));
      if (isDone && !written.has(number)) written.set(number, type);
    }
    const { refused } = this;
    const touched = new Set([...differing, ...written.keys(), ...refused.keys()]);
    const created = [...written.values()].filter((type) => type === 'create').length;
    return {
      equal: this.#plan !== undefined && work.length + duplicates.length + orphans.length === 0,
      read: this.#read,
      created,
      updated: written.size - created,
      unchanged: this.#plan === undefined ? 0 : this.#read - touched.size,
      failed: refused.size,
      verified: equal,
      duplicates,
      orphans,
    };
  }
}
