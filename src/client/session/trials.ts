/** Ends a trial: says whether the session was accepted. Only the first call counts. */
export type Trial = (passed: boolean) => void;

/** Sessions that were refused while they were fresh, and are tried once more by one call for all (rule S4). */
export class Trials {
  readonly #outcomes = new Map<number, Promise<boolean>>();

  begin(generation: number): Trial {
    let settle: Trial = () => {};
    const outcome = new Promise<boolean>((resolve) => (settle = resolve));
    this.#outcomes.set(generation, outcome);
    return (passed) => {
      if (this.#outcomes.get(generation) === outcome) this.#outcomes.delete(generation);
      settle(passed);
    };
  }

  /** What comes of the trial that is under way, if there is one. */
  outcome(generation: number): Promise<boolean> | undefined {
    return this.#outcomes.get(generation);
  }
}
