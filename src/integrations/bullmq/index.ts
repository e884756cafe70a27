/**
 * BullMQ jobs that wait out a rate limit without holding a worker.
 *
 * @module concordat/bullmq
 */

export { type DelayOptions, delayWhenLimited } from './delay-when-limited.js';
export type { LimitableQueue } from './queue-limit.js';
