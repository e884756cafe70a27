// A whole connector: login, session, routes, server.
export type { FetchHandler, RunningServer } from './adapters/node.js';
export {
  type CleanupHandler,
  type Connector,
  type ConnectorEnv,
  type ConnectorOptions,
  createConnector,
} from './create-connector.js';
// Error answers as standard responses, for any server that speaks fetch.
export type { ErrorAnswerOptions } from './error-answer.js';
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
export { type ServeOptions, serve } from './serve.js';
export type { VerifySession } from './session-guard.js';
export { toConnectorError } from './to-connector-error.js';
