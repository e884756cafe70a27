/** A request that can be ended from outside. */
export interface Active {
  abort(): void;
  /** Where it stands in the list; kept by {@link ActiveRequests}. */
  place: number;
}

/**
 * The requests in flight of one transport. A list in which the last one fills the gap of one that leaves: a `Set` throws away a
 * table every few requests, and in the old generation such a table keeps alive all that ever followed it, until a full collection.
 */
export class ActiveRequests {
  readonly #all: Active[] = [];

  add(request: Active): void {
    request.place = this.#all.push(request) - 1;
  }

  delete({ place }: Active): void {
    const last = this.#all.pop() as Active;
    if (last.place === place) return;
    this.#all[place] = last;
    last.place = place;
  }

  abort(): void {
    for (const request of [...this.#all]) request.abort();
  }
}
