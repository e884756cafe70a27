/**
 * A simulated connector that limits, expires and fails on command, and a clock that a test moves.
 *
 * @module concordat/testing
 */

export type { Clock, Timer } from '../internal/index.js';
export { type VirtualClock, virtualClock } from './clock/virtual-clock.js';
export { AccountingError } from './faults/plan.js';
export { simulateConnector } from './simulate-connector.js';
export type {
  Fault,
  FaultRule,
  Item,
  JournalEntry,
  ListeningConnector,
  Refusal,
  RouteContext,
  RouteHandler,
  Selection,
  SimulateConnectorOptions,
  SimulatedConnector,
  SimulatedRateLimit,
  SimulatedResource,
  SimulatedSession,
  Step,
  StoredItem,
} from './types.js';
export { type LimitFormat, limitFormats, type WaitFlaw, waitFlaws } from './wait-flaws.js';
