export {
  bodyAlreadyReadError,
  Chunks,
  cancelBody,
  charsetOf,
  charsetOfXml,
  decodeLeniently,
  decoderOf,
  decodeWith,
  isBodyAlreadyRead,
  isNestedDeeper,
  isObject,
  isResponse,
  isUtf8,
  parseJson,
  readLimited,
  telling,
} from './body.js';
export { type Clock, completeClock, dayMs, latestDateMs, setTimeLimit, systemClock, type Timer } from './clock.js';
export { defineError, isErrorOf } from './error-class.js';
export { decodePercent, readEscape, xmlEscape } from './escapes.js';
export { isIsoDate, parseIsoTime } from './iso-time.js';
export { countUpTo, seededRandom } from './numbers.js';
export {
  anyObject,
  bool,
  checkNames,
  checkOptions,
  count,
  duration,
  functionOf,
  nameOrFunction,
  notAnOption,
  oneOf,
  option,
  optionsOf,
  readBy,
  routePath,
  type ShapeOf,
  statusFrom,
  text,
  texts,
  timeLimit,
  withMethods,
} from './options.js';
export { quiet } from './quiet.js';
export {
  createRedact,
  credentialHeaders,
  hasSecretName,
  headerParts,
  isSecret,
  isSecretField,
  mostSecrets,
  querySecrets,
  type Redact,
  redactedMark,
  showsSecret,
} from './redact.js';
export { isSafeMethod, readRequestLine } from './request-line.js';
export {
  checkSchema,
  type DataSchema,
  type SafeParseSchema,
  type StandardSchema,
  schemaError,
  type Validated,
  validate,
  withoutValues,
} from './schema.js';
export { sourceKey } from './source-key.js';
export {
  asShown,
  checkText,
  describeIssues,
  describeValue,
  foldForSearch,
  type Issue,
  normalize,
  printable,
  printableJson,
  toJson,
  withoutTrailingSlashes,
} from './text.js';
export { abortable, follow, singleFlight, sleep, within } from './waits.js';
