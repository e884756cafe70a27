/**
 * Shares one login, one pause and one quota between all processes of a connection.
 *
 * @module concordat/redis
 */

export type { RedisStateOptions } from './options.js';
export { type RedisState, redisState } from './redis-state.js';
