/**
 * The contract’s error responses in a Hono app.
 *
 * @module concordat/connector/hono
 */

import type { Context, ErrorHandler, NotFoundHandler } from 'hono';
import { type AdapterOptions, createAdapterWriter } from '../errors/adapter-writer.js';
import { toHonoResponse } from '../errors/hono-response.js';
import { headerSecrets } from '../errors/redact.js';
import { noRoute } from '../errors/to-connector-error.js';

export type ConnectorErrorsOptions = AdapterOptions<Context>;

/**
 * Creates the error handler of a Hono app with options; {@link onConnectorError} is the one without. `createConnector` needs
 * neither.
 *
 * @throws TypeError naming the invalid option.
 * @example
 * app.onError(connectorErrors({ rateLimit: { header: 'X-Wait' }, sessionHeaders: ['x-token'] }))
 */
export function connectorErrors(options: ConnectorErrorsOptions = {}): ErrorHandler {
  const writer = createAdapterWriter(options, ({ req }, names) =>
    headerSecrets((name) => req.raw.headers.get(name), names),
  );
  return (thrown, c) => toHonoResponse(c, writer.write(thrown, c));
}

/**
 * Error handler of a Hono app that sends the contract's error response.
 *
 * @example
 * app.onError(onConnectorError)
 */
export const onConnectorError: ErrorHandler = connectorErrors();

/**
 * Sends the contract's 404 for unknown routes of a Hono app.
 *
 * @example
 * app.notFound(connectorNotFound)
 */
export const connectorNotFound: NotFoundHandler = (c) => onConnectorError(noRoute(c.req.method, c.req.path), c);
