export { cleanCode, cleanMessage, maxCodeBytes, maxMessageBytes } from './clean-text.js';
export { type ErrorKind, type ErrorTableEntry, errorTable, kindOfStatus, type Reaction } from './error-table.js';
export {
  BadRequestError,
  ConnectorError,
  type ConnectorErrorDetails,
  type ConnectorErrorOptions,
  errorOfKind,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  UnauthorizedError,
  type Wait,
} from './errors.js';
export { type AnyConnectorError, type ErrorOfKind, isConnectorError } from './is-connector-error.js';
export {
  defaultMaxDetailBytes,
  type ErrorPayload,
  errorPayloadSchema,
  limitBytes,
  parseErrorPayload,
  parseProblem,
  readCode,
} from './payload.js';
export {
  type AnnouncedQuota,
  currentHeader,
  formatCurrent,
  formatPolicy,
  maxQuotaCharacters,
  parseQuota,
  policyHeader,
  type QuotaLeft,
  type QuotaPolicy,
} from './quota-headers.js';
export type { CallResponse, RequestLine } from './request-line.js';
export {
  headerNameOption,
  headerProblem,
  losesWhitespace,
  type SessionParameter,
  sessionHeaderProblem,
  sessionParameterSchema,
  sessionProblems,
  toSessionParameters,
} from './session-parameters.js';
export {
  formatWait,
  maxWaitCharacters,
  type ParseWaitOptions,
  parseWait,
  type WaitFormat,
  waitFormatOption,
  waitFormats,
} from './wait-header.js';
