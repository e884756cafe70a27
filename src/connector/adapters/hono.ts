/**
 * The contract’s error answers in a Hono app.
 *
 * @module concordat/connector/hono
 */

import type { Context, ErrorHandler, NotFoundHandler } from 'hono';
import { NotFoundError } from '../../contract/index.js';
import { type AdapterOptions, createAdapterWriter } from '../errors/adapter-writer.js';
import { toHonoResponse } from '../errors/hono-response.js';

export type ConnectorErrorsOptions = AdapterOptions<Context>;

/**
 * Makes the error handler of a Hono app with options of its own; {@link onConnectorError} is the one without. For a
 * whole connector there is `createConnector`, which needs neither.
 *
 * @throws TypeError naming the option that is wrong.
 * @example
 * app.onError(connectorErrors({ rateLimit: { header: 'X-Wait' }, sessionHeaders: ['x-token'] }))
 */
export function connectorErrors(options: ConnectorErrorsOptions = {}): ErrorHandler {
  const writer = createAdapterWriter(options);
  return (thrown, c) =>
    toHonoResponse(
      c,
      writer.write(thrown, c, (name) => c.req.raw.headers.get(name)),
    );
}

/**
 * Error handler of a Hono app that answers as the contract says.
 *
 * @example
 * app.onError(onConnectorError)
 */
export const onConnectorError: ErrorHandler = connectorErrors();

/**
 * Answers unknown routes of a Hono app with the contract's 404.
 *
 * @example
 * app.notFound(connectorNotFound)
 */
export const connectorNotFound: NotFoundHandler = (c) =>
  onConnectorError(new NotFoundError(`There is no route for ${c.req.method} ${c.req.path.slice(0, 200)}.`), c);
