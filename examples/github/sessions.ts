/**
 * The sessions that initialize has handed out. The service only ever holds a random id; what belongs to it, the GitHub
 * token first of all, stays in this process and is forgotten when the session ends.
 */
export class Sessions<Value> {
  readonly #ttlMs: number;
  readonly #entries = new Map<string, { value: Value; endsAt: number }>();

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** @returns the id of a new session. */
  open(value: Value): string {
    const now = performance.now();
    for (const [id, { endsAt }] of this.#entries) if (endsAt <= now) this.#entries.delete(id);
    const id = crypto.randomUUID();
    this.#entries.set(id, { value, endsAt: now + this.#ttlMs });
    return id;
  }

  get(id: string): Value | undefined {
    const entry = this.#entries.get(id);
    return entry !== undefined && entry.endsAt > performance.now() ? entry.value : undefined;
  }

  close(id: string): void {
    this.#entries.delete(id);
  }
}
