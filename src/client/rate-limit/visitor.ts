import type { Emit } from '../events.js';
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
