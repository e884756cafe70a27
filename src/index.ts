/**
 * What both sides of a connector call share: the errors, their body, and the wait header.
 *
 * @module concordat
 */

export {
  type AnyConnectorError,
  BadRequestError,
  type CallResponse,
  ConnectorError,
  type ConnectorErrorDetails,
  type ConnectorErrorOptions,
  type ErrorKind,
  type ErrorOfKind,
  type ErrorPayload,
  type ErrorTableEntry,
  errorPayloadSchema,
  errorTable,
  ForbiddenError,
  formatWait,
  isConnectorError,
  NotFoundError,
  type ParseWaitOptions,
  parseErrorPayload,
  parseWait,
  RateLimitError,
  type Reaction,
  type SessionParameter,
  sessionParameterSchema,
  UnauthorizedError,
  type Wait,
  type WaitFormat,
  waitFormats,
} from './contract/index.js';
