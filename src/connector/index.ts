/**
 * For connector authors: routes, sessions, error responses, and the translation of the end system’s failures.
 *
 * @module concordat/connector
 */

export type { Clock, DataSchema, SafeParseSchema, StandardSchema, Timer } from '../internal/index.js';
// A whole connector: login, session, routes.
export type {
  CleanupHandler,
  Connector,
  ConnectorEnv,
  ConnectorOptions,
} from './app/connector-options.js';
export { createConnector } from './app/create-connector.js';
export type { InitializeOptions, SessionHeaders } from './app/initialize.js';
export type { VerifySession } from './app/session-guard.js';
// The system behind the connector: its failures as contract errors.
export { definePreset } from './end-system/define-preset.js';
export { type EndSystemFetchOptions, endSystemFetch } from './end-system/end-system-fetch.js';
export type { EndSystemFailure, EndSystemRequest } from './end-system/failure.js';
export type {
  BodyCondition,
  BodyPath,
  CountReading,
  HeaderReading,
  Match,
  Preset,
  PresetRule,
  QuotaSource,
  WaitBucket,
  WaitSource,
  WaitUnit,
} from './end-system/preset.js';
export type { PresetName } from './end-system/presets/index.js';
export { readResponse } from './end-system/read-response.js';
export { type ErrorListener, type LoggedRequest, logError } from './errors/log-error.js';
// Error responses as standard `Response`s, for any fetch server.
export type { ErrorFormatOptions, RateLimitHeaderOptions } from './errors/options.js';
export {
  badRequest,
  type ErrorResponseOptions,
  errorResponse,
  forbidden,
  notFound,
  type RateLimitedOptions,
  rateLimited,
  unauthorized,
} from './errors/responses.js';
export { toConnectorError } from './errors/to-connector-error.js';
export type { Translate } from './errors/translated.js';
// Announced quotas.
export {
  type AnnouncedPolicy,
  announceQuota,
  type ConnectorRateLimitOptions,
  type SetHeaders,
} from './request/announce.js';
// Reading requests, streaming responses, serving.
export { limitBody } from './request/body-limit.js';
export { readJson, readQuery } from './request/read-json.js';
export { type StreamRecordsOptions, streamRecords } from './request/stream-records.js';
export type { FetchHandler } from './server/node-listener.js';
export type { RunningServer, TlsOptions } from './server/node-server.js';
export { type ServeOptions, serve } from './server/serve.js';
