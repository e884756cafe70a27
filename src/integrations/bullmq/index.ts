/**
 * Jobs of BullMQ that wait for a rate limit without holding a worker.
 *
 * @module concordat/bullmq
 */

export { delayWhenLimited } from './delay-when-limited.js';
