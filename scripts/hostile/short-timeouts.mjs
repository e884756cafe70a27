// Loaded before a server's own modules: gives every server of node:http the time-outs of this measurement, unless it has
// its own. With Node's (a minute for the headers, five for a request) it would take a quarter of an hour.
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

const timeouts = { headersTimeout: 3000, requestTimeout: 6000, connectionsCheckingInterval: 1000 };
const { createServer } = http;
http.createServer = (options, listener) =>
  typeof options === 'function' ? createServer(timeouts, options) : createServer({ ...timeouts, ...options }, listener);
syncBuiltinESMExports();
