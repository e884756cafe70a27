export { type Clock, sleep, systemClock, type Timer } from './clock.js';
export { describeValue, parseJson } from './json.js';
export { singleFlight } from './single-flight.js';
