/**
 * BullMQ jobs that wait out a rate limit without holding a worker.
 *
 * @module concordat/bullmq
 */

export { delayWhenLimited } from './delay-when-limited.js';
