import type { ClientEvents, Emit } from '../events.js';
import type { Permit } from './permit.js';

/** A client that has come to the gate, with those of its calls that wait. */
export interface Visitor {
  readonly emit: Emit;
  readonly concurrency: number;
  inFlight: number;
  /** How many calls wait. */
  readonly waiting: number;
  /** Whether its `concurrency` has room for one more. */
  readonly hasRoom: boolean;
  /** Whether a call waits that it would let go. */
  readonly hasNext: boolean;
  readonly isLoginNext: boolean;
  /** Whether its next call goes before the other's. */
  goesBefore(other: Visitor): boolean;
  /** The next call goes. */
  serve(permit: Permit): void;
  /** A pause begins, or has grown: calls that do not want to wait that long leave. */
  refuse(): void;
}

/** The clients that use one gate. */
export class Visitors {
  readonly #all = new Set<Visitor>();

  get areThere(): boolean {
    return this.#all.size > 0;
  }

  /** Whether any of their calls waits. */
  get isAnyWaiting(): boolean {
    for (const visitor of this.#all) if (visitor.waiting > 0) return true;
    return false;
  }

  /** The most requests in flight, in sum. */
  get concurrency(): number {
    let sum = 0;
    for (const { concurrency } of this.#all) sum += concurrency;
    return sum;
  }

  /** Of those that have room for one more the one whose next call goes first. */
  get next(): Visitor | undefined {
    let next: Visitor | undefined;
    for (const visitor of this.#all) {
      if (visitor.hasNext && (next === undefined || visitor.goesBefore(next))) next = visitor;
    }
    return next;
  }

  add(visitor: Visitor): void {
    this.#all.add(visitor);
  }

  remove(visitor: Visitor): void {
    this.#all.delete(visitor);
  }

  refuse(): void {
    for (const visitor of this.#all) visitor.refuse();
  }

  tell<Name extends keyof ClientEvents>(name: Name, event: ClientEvents[Name]): void {
    for (const { emit } of [...this.#all]) emit(name, event);
  }
}
