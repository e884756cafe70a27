/**
 * Writing a connector: routes, sessions, error answers, and the translation of the end system’s own failures.
 *
 * @module concordat/connector
 */

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
export {
  type BodyCondition,
  type BodyPath,
  definePreset,
  type EndSystemFailure,
  type EndSystemFetchOptions,
  type EndSystemRequest,
  endSystemFetch,
  type HeaderReading,
  type Match,
  type Preset,
  type PresetName,
  type PresetRule,
  type QuotaSource,
  type WaitBucket,
  type WaitSource,
  type WaitUnit,
} from './end-system/index.js';
// Error answers as standard responses, for any server that speaks fetch.
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
export type { Translate } from './errors/translate.js';
// What an end system tells about its quota, handed on.
export type { AnnouncedPolicy, ConnectorRateLimitOptions } from './request/announce-policy.js';
export { announceQuota, type SetHeaders } from './request/announce-quota.js';
// A whole connector: login, session, routes, server.
export { limitBody } from './request/body-limit.js';
export { readJson, readQuery } from './request/read-json.js';
export { type StreamRecordsOptions, streamRecords } from './request/stream-records.js';
export { type ServeOptions, serve } from './server/serve.js';
export type { FetchHandler, RunningServer, TlsOptions } from './server/types.js';
