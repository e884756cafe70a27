export { isCrowd, type Theme, themes } from './arbitrary-schedule.js';
export { type Counterexample, examine, explore, formatCounterexample, formatViolations } from './explore.js';
export type { Violation } from './invariants/index.js';
export type { Subject } from './run-schedule.js';
export type { Schedule } from './schedule.js';
export { formatTrace, type Trace } from './trace.js';
