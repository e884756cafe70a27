/**
 * The contract’s error answers in an Express 5 server.
 *
 * @module concordat/connector/express
 */

import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { BadRequestError, NotFoundError } from '../../contract/index.js';
import { type AdapterOptions, createAdapterWriter } from '../errors/adapter-writer.js';
import type { WireError } from '../errors/error-writer.js';
import { parameterSecrets } from '../errors/redact.js';
import { invalidPathMessage } from '../errors/to-connector-error.js';

export type ConnectorErrorHandlerOptions = AdapterOptions<Request>;

/**
 * Express 5 error handler that answers as the contract says: what routes throw, paths that cannot be decoded and broken JSON
 * (400), and bodies that are too large (413) from `express.json()`. It goes last. An error after the headers went out ends the connection.
 *
 * @throws TypeError naming the option that is wrong.
 * @example
 * app.use(connectorNotFound())
 * app.use(connectorErrorHandler({ sessionHeaders: ['x-token'] }))
 */
export function connectorErrorHandler(options: ConnectorErrorHandlerOptions = {}): ErrorRequestHandler {
  const writer = createAdapterWriter(options, translate);
  // Four parameters make it an error handler for Express.
  return (thrown, request, response, _next) => {
    if (response.headersSent) {
      writer.report(thrown, request);
      response.destroy();
      return;
    }
    const answer = writer.write(thrown, request, (name) => request.headers[name.toLowerCase()], bodySecrets(request));
    send(response, answer);
  };
}

/**
 * Middleware that answers what no route before it has answered with the contract's 404, by way of the error handler.
 *
 * @example
 * app.use(connectorNotFound())
 */
export function connectorNotFound(): RequestHandler {
  return (request, _response, next) => {
    next(new NotFoundError(`There is no route for ${request.method} ${request.path.slice(0, 200)}.`));
  };
}

/** Express's own error for such a path, which it does not mark as one to be read. */
function translate(thrown: unknown): unknown {
  if (!(thrown instanceof URIError) || (thrown as { status?: unknown }).status !== 400) return thrown;
  return new BadRequestError(invalidPathMessage, { cause: thrown });
}

/** What initialize was given, where the body is such parameters. */
function bodySecrets(request: Request): string[] {
  return Array.isArray(request.body) ? parameterSecrets(request.body) : [];
}

function send(response: Response, { status, headers, body, staleHeaders }: WireError): void {
  for (const name of staleHeaders) response.removeHeader(name);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  response.statusMessage = '';
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}
