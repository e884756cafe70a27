import type { ClientEvents, Emit } from '../events.js';
import type { Permit } from './wait-queue.js';

/** What a gate sees of one client: its waiting calls and its requests in flight. */
export interface GateLane {
  readonly emit: Emit;
  /** The most requests this client has in flight. */
  readonly concurrency: number;
  inFlight: number;
  readonly waiting: number;
  /** Whether `concurrency` allows one more request. */
  readonly hasRoom: boolean;
  /** Whether a call waits that the client itself would let go. */
  readonly hasNext: boolean;
  readonly isLoginNext: boolean;
  /** Whether this client's next call goes before the other's. */
  goesBefore(other: GateLane): boolean;
  grantNext(permit: Permit): void;
  /** Calls are left waiting: makes sure that they go on even if it is for readers that wait for them (rule G9). */
  watchUnread(): void;
  /** A pause has begun or grown: rejects the calls that do not wait that long (rule W7). */
  rejectLongWaits(): void;
}

/** The clients that share a gate. */
export class Lanes extends Set<GateLane> {
  #nextOrder = 0;

  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this) sum += waiting;
    return sum;
  }

  /** The most requests in flight, summed over all clients. */
  get concurrency(): number {
    let sum = 0;
    for (const { concurrency } of this) sum += concurrency;
    return sum;
  }

  /** The client whose next call goes first, among those with room for one more request. */
  get next(): GateLane | undefined {
    let next: GateLane | undefined;
    for (const lane of this) {
      if (lane.hasNext && (next === undefined || lane.goesBefore(next))) next = lane;
    }
    return next;
  }

  /** A place in line. A call keeps its place however often it comes back. */
  takeOrder(): number {
    return this.#nextOrder++;
  }

  watchUnread(): void {
    for (const lane of this) lane.watchUnread();
  }

  rejectLongWaits(): void {
    for (const lane of this) lane.rejectLongWaits();
  }

  emit<Name extends keyof ClientEvents>(name: Name, event: ClientEvents[Name]): void {
    for (const lane of [...this]) lane.emit(name, event);
  }
}
