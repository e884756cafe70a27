/**
 * A fetch handler as a listener for `node:http`, and a graceful end for any server of Node.
 *
 * @module concordat/connector/node
 */

export { type CloseServer, gracefulClose } from '../server/close-server.js';
export {
  type FetchHandler,
  type NodeHandlerOptions,
  type NodeListener,
  toNodeHandler,
} from '../server/node-listener.js';
