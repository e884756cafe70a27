/**
 * A simulated connector with rate limits, expiring sessions and faults, and a clock that your test controls.
 *
 * @module concordat/testing
 */

export type { Clock, Timer } from '../internal/index.js';
export { type VirtualClock, type VirtualClockOptions, virtualClock } from './clock/virtual-clock.js';
export type { Delay, Fault, FaultRule, RouteContext, RouteHandler, Selection, Step } from './fault-types.js';
export { AccountingError } from './faults/plan.js';
export type { ImportedRecording, RecordedBody, RecordedExchange, RecordedRequest, Recording } from './recording.js';
export { simulateConnector } from './simulate-connector.js';
export type {
  GivenItem,
  Item,
  JournalEntry,
  ListeningConnector,
  Refusal,
  SimulateConnectorOptions,
  SimulatedConnector,
  SimulatedRateLimit,
  SimulatedResource,
  SimulatedSession,
  StoredItem,
} from './types.js';
export { type LimitFormat, limitFormats, type WaitFlaw, waitFlaws } from './wait-flaws.js';
