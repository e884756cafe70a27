export { abortable } from './abortable.js';
export { type Clock, sleep, systemClock, type Timer } from './clock.js';
export { describeValue, parseJson } from './json.js';
export { createRedact, headerParts, type Redact, redactNothing } from './redact.js';
export { singleFlight } from './single-flight.js';
export { sourceKey } from './source-key.js';
