import type { Plan } from './plan.js';

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

/** Keeps count of one synchronisation, by source issue: each is created, updated, unchanged or failed. */
export class Tally {
  readonly failures = new Map<number, string>();
  readonly #written = new Map<number, 'created' | 'updated'>();
  readonly #unknown = new Set<number>();
  #unchanged: number | undefined;
  #read = 0;
  #last: Plan | undefined;

  compared(plan: Plan, read: number): void {
    this.#unchanged ??= plan.equal;
    this.#read = read;
    this.#last = plan;
    const missing = new Set(plan.work.filter(({ type }) => type === 'create').map(({ source }) => source.number));
    // A creation whose response was lost took place after all if its issue is there now.
    for (const number of this.#unknown) if (!missing.has(number)) this.written(number, 'created');
    this.#unknown.clear();
  }

  written(number: number, how: 'created' | 'updated'): void {
    if (!this.#written.has(number)) this.#written.set(number, how);
  }

  /** Nobody knows whether this issue has been created: the next comparison tells. */
  maybeCreated(number: number): void {
    if (!this.#written.has(number)) this.#unknown.add(number);
  }

  failed(number: number, reason: string): void {
    this.failures.set(number, reason);
  }

  hasFailed(number: number): boolean {
    return this.failures.has(number);
  }

  result(): SyncResult {
    const { equal = 0, work = [], duplicates = [], orphans = [] } = this.#last ?? {};
    const created = [...this.#written.values()].filter((how) => how === 'created').length;
    return {
      equal: this.#last !== undefined && work.length + duplicates.length + orphans.length === 0,
      read: this.#read,
      created,
      updated: this.#written.size - created,
      unchanged: this.#unchanged ?? 0,
      failed: this.failures.size,
      verified: equal,
      duplicates,
      orphans,
    };
  }
}
