/**
 * The contract’s error responses in an Express server, of version 4.18 or newer.
 *
 * @module concordat/connector/express
 */

import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { BadRequestError } from '../../contract/index.js';
import { type AdapterOptions, createAdapterWriter } from '../errors/adapter-writer.js';
import type { WireError } from '../errors/error-writer.js';
import { incomingSecrets } from '../errors/redact.js';
import { invalidPathMessage, noRoute } from '../errors/to-connector-error.js';
import { warnOfSilence } from '../errors/warn-of-silence.js';
import { breakOff, readAwayLostBody } from '../server/break-off.js';

export type ConnectorErrorHandlerOptions = AdapterOptions<Request>;

/**
 * Express error handler that sends the contract's error response: for what routes throw, for paths that cannot be decoded
 * and broken JSON (400), and for bodies too large for `express.json()` (413). Add it last. An error after the headers have been sent
 * ends the connection. Express 4 does not see that an `async` route has failed; there, pass the error to `next` yourself.
 *
 * @throws TypeError naming the invalid option.
 * @example
 * app.use(connectorNotFound())
 * app.use(connectorErrorHandler({ sessionHeaders: ['x-token'], onError: logError }))
 */
export function connectorErrorHandler(options: ConnectorErrorHandlerOptions = {}): ErrorRequestHandler {
  const writer = createAdapterWriter(options, incomingSecrets, translate);
  if (options.onError === undefined) warnOfSilence();
  // Four parameters make it an error handler for Express.
  return (thrown, request, response, _next) => {
    if (response.headersSent) {
      writer.report(thrown, request);
      breakOff(response);
      return;
    }
    send(response, writer.write(thrown, request, response));
  };
}

/**
 * Middleware that passes a 404 to the error handler for requests that no route has handled.
 *
 * @example
 * app.use(connectorNotFound())
 */
export function connectorNotFound(): RequestHandler {
  return (request, _response, next) => {
    next(noRoute(request.method, request.path));
  };
}

/** Express does not mark its own error for such a path as one for the caller. */
function translate(thrown: unknown): BadRequestError | undefined {
  if (!(thrown instanceof URIError) || (thrown as { status?: unknown }).status !== 400) return undefined;
  return new BadRequestError(invalidPathMessage, { cause: thrown });
}

function send(response: Response, { status, headers, body, staleHeaders }: WireError): void {
  readAwayLostBody(response, status);
  for (const name of staleHeaders) response.removeHeader(name);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  response.statusMessage = '';
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}
