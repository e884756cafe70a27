import type { Clock, ConnectionState } from 'concordat/client';
import type { Connector } from './connector.js';
import type { Time } from './time.js';

export interface WorkerOptions {
  readonly time: Time;
  readonly clock: Clock;
  readonly connector: Connector;
  readonly state: ConnectionState;
  /** How many callers it has; each makes one call after the other. */
  readonly callers: number;
  readonly latencyMs: () => number;
  readonly until: number;
}

/** A process of the fleet. */
export interface Worker {
  readonly longestWaitMs: number;
  start(): void;
  finish(): void;
}
