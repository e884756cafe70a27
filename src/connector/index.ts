/**
 * Writing a connector: routes, sessions, error answers, and the translation of the end system’s own failures.
 *
 * @module concordat/connector
 */

// What an end system tells about its quota, handed on.
export type { AnnouncedPolicy, ConnectorRateLimitOptions } from './announce.js';
export { announceQuota, type SetHeaders } from './announce-quota.js';
// A whole connector: login, session, routes, server.
export { limitBody } from './body-limit.js';
export type {
  CleanupHandler,
  Connector,
  ConnectorEnv,
  ConnectorOptions,
} from './connector-options.js';
export { createConnector } from './create-connector.js';
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
export type { ErrorAnswerOptions } from './error-answer.js';
export type { FetchHandler, RunningServer } from './fetch-handler.js';
export type { InitializeOptions, SessionHeaders } from './initialize.js';
export type { RateLimitHeaderOptions } from './options.js';
export { readJson, readQuery } from './read-json.js';
export {
  badRequest,
  type ErrorResponseOptions,
  errorResponse,
  forbidden,
  notFound,
  type RateLimitedOptions,
  rateLimited,
  unauthorized,
} from './responses.js';
export { type ServeOptions, serve, type TlsOptions } from './serve.js';
export type { VerifySession } from './session-guard.js';
export { type StreamRecordsOptions, streamRecords } from './stream-records.js';
export { toConnectorError } from './to-connector-error.js';
export type { Translate } from './translate.js';
