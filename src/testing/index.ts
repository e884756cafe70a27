export type { Clock, Timer } from '../internal/index.js';
export { type VirtualClock, virtualClock } from './virtual-clock.js';
