/**
 * A fetch handler as a listener for `node:http`.
 *
 * @module concordat/connector/node
 */

export {
  type FetchHandler,
  type NodeHandlerOptions,
  type NodeListener,
  toNodeHandler,
} from '../server/node-listener.js';
