/**
 * Shares one login and one pause between all processes of a connection.
 *
 * @module concordat/redis
 */

export type { RedisStateOptions } from './options.js';
export { type RedisState, redisState } from './redis-state.js';
