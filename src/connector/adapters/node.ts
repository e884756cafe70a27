export type { FetchHandler } from '../fetch-handler.js';
export { type NodeHandlerOptions, type NodeListener, toNodeHandler } from '../node-listener.js';
