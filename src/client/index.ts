/**
 * The service’s side of a connector call.
 *
 * @module concordat/client
 */

export type { Clock, Timer } from '../internal/index.js';
export type {
  ClientChannelMessage,
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
  ClientEventListener,
  ClientEventName,
  ClientEvents,
  Quota,
} from './events.js';
export type { ConnectorResponse, DataSchema } from './http/read-success.js';
export type { BodyOption, RequestBody } from './http/request-body.js';
export type { Query, QueryValue } from './http/request-target.js';
export type { ConnectorClientOptions, InitializeOptions, RateLimitOptions } from './options.js';
export type { RemainingOptions } from './rate-limit/remaining.js';
export type { ClientSnapshot } from './rate-limit/snapshot.js';
export type { RetryOptions } from './retry.js';
export type { InitializeFunction, InitializeRequest } from './session/initialize-function.js';
export { type ConnectionState, memoryState, type SharedPause, type SharedSession } from './session/state.js';
