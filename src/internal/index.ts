export { type Clock, sleep, systemClock, type Timer } from './clock.js';
export { describeValue, parseJson } from './json.js';
export { redactValues } from './redact.js';
export { singleFlight } from './single-flight.js';
