/**
 * A fetch handler as a listener for `node:http`.
 *
 * @module concordat/connector/node
 */

export type { FetchHandler } from '../fetch-handler.js';
export { type NodeHandlerOptions, type NodeListener, toNodeHandler } from '../node-listener.js';
