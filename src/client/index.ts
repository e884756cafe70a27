/**
 * The service’s side of a connector call.
 *
 * @module concordat/client
 */

export type { Clock, DataSchema, SafeParseSchema, StandardSchema, Timer } from '../internal/index.js';
export type {
  ClientChannelMessage,
  ClientCounters,
  ClientStatus,
  CloseOptions,
  ConnectorClient,
  ConnectorRequest,
  NextPage,
  PagesOptions,
  RequestOptions,
  StreamOptions,
  StreamResponse,
  TypedBy,
} from './client-types.js';
export { createConnectorClient } from './create-client.js';
export {
  type CallError,
  InitializeError,
  isInitializeError,
  isRequestError,
  RequestError,
  type RequestErrorCode,
} from './errors.js';
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
export type { ConnectorResponse, DataByType, ResponseType } from './http/read-success.js';
export type { BodyOption, RequestBody } from './http/request-body.js';
export type { HeadersOption } from './http/request-headers.js';
export type { Query, QueryValue } from './http/request-target.js';
export type { ConnectorClientOptions, InitializeOptions, RateLimitOptions, RetryOptions } from './options.js';
export type { ClientSnapshot } from './rate-limit/gates.js';
export type { RemainingOptions } from './rate-limit/limit-headers.js';
export type { Lease, LeaseRequest } from './rate-limit/quota/lease.js';
export type { InitializeFunction, InitializeRequest } from './session/initialize.js';
export { type ConnectionState, memoryState, type SharedPause, type SharedSession } from './session/state.js';
