/**
 * The service’s side of a connector call.
 *
 * @module concordat/client
 */

export type { Clock, Timer } from '../internal/index.js';
export type {
  ClientCounters,
  ClientStatus,
  ConnectorClient,
  ConnectorRequest,
  RequestOptions,
} from './client-types.js';
export { createConnectorClient } from './create-client.js';
export { InitializeError, RequestError, type RequestErrorCode } from './errors.js';
export type {
  AttemptOutcome,
  CallWrapper,
  ClientCall,
  ClientCallEvents,
  ClientChannelEvents,
  ClientChannelMessage,
  ClientEventListener,
  ClientEventName,
  ClientEvents,
} from './events.js';
export type { InitializeFunction, InitializeRequest } from './initialize.js';
export type { ConnectorClientOptions, InitializeOptions, RateLimitOptions } from './options.js';
export type { Quota } from './pacing.js';
export type { RemainingOptions } from './remaining.js';
export type { BodyOption, RequestBody } from './request-body.js';
export type { Query, QueryValue } from './request-target.js';
export type { ConnectorResponse, DataSchema } from './response.js';
export type { RetryOptions } from './retry.js';
export type { ClientSnapshot } from './snapshot.js';
export { type ConnectionState, memoryState, type SharedPause, type SharedSession } from './state.js';
