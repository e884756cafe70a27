/** Ends a recheck: says whether the session was accepted. Only the first call counts. */
export type EndRecheck = (wasAccepted: boolean) => void;

/** Sessions that were refused while fresh: one call tries each of them once more, for all calls (rule S4). */
export class Rechecks {
  readonly #outcomes = new Map<number, Promise<boolean>>();

  begin(generation: number): EndRecheck {
    let settle: EndRecheck = () => {};
    const outcome = new Promise<boolean>((resolve) => (settle = resolve));
    this.#outcomes.set(generation, outcome);
    return (wasAccepted) => {
      if (this.#outcomes.get(generation) === outcome) this.#outcomes.delete(generation);
      settle(wasAccepted);
    };
  }

  /** The outcome of the recheck in progress, if there is one. */
  outcome(generation: number): Promise<boolean> | undefined {
    return this.#outcomes.get(generation);
  }
}
