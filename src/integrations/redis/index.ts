/**
 * Shares one login and one pause between all processes of a connection.
 *
 * @module concordat/redis
 */

export { type RedisState, type RedisStateOptions, redisState } from './redis-state.js';
