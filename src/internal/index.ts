export { abortable } from './abortable.js';
export { type Clock, sleep, systemClock, type Timer } from './clock.js';
export { describeValue, isNestedDeeper, parseJson } from './json.js';
export { notify } from './notify.js';
export {
  anyObject,
  bool,
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
  text,
  texts,
  timeLimit,
  withMethods,
} from './options.js';
export { createRedact, headerParts, isSecret, type Redact, showsSecret } from './redact.js';
export { singleFlight } from './single-flight.js';
export { sourceKey } from './source-key.js';
