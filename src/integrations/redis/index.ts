/**
 * One login and one pause for all processes of a connection.
 *
 * @module concordat/redis
 */

export { type RedisState, type RedisStateOptions, redisState } from './redis-state.js';
