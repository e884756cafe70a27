/**
 * The contract’s error responses in a Fastify server, of version 4.20 or newer.
 *
 * @module concordat/connector/fastify
 */

import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { type ConnectorError, type ConnectorErrorDetails, headerProblem } from '../../contract/index.js';
import { bool, checkOptions, optionsOf, type ShapeOf } from '../../internal/index.js';
import { type AdapterOptions, adapterShape, createAdapterWriter } from '../errors/adapter-writer.js';
import type { WireError } from '../errors/error-writer.js';
import { incomingSecrets } from '../errors/redact.js';
import { errorOfStatus, invalidJsonMessage, invalidPathMessage, noRoute } from '../errors/to-connector-error.js';
import { warnOfSilence } from '../errors/warn-of-silence.js';
import { breakOff, readAwayLostBody } from '../server/break-off.js';
import { watchBody } from '../server/watch-body.js';

export interface ConnectorPluginOptions extends AdapterOptions<FastifyRequest> {
  /**
   * Handles unknown routes, unless a handler for them has been set before. Use `false` if you set one later: Fastify refuses
   * a second handler.
   *
   * @default true
   */
  notFound?: boolean | undefined;
}

const schema = optionsOf({ ...adapterShape, notFound: bool.default(true) } satisfies ShapeOf<ConnectorPluginOptions>);

/**
 * Fastify plugin: sends the contract's error response for what routes throw, for Fastify's own errors (validation and
 * broken JSON: 400, bodies that are too large: 413) and for unknown routes (404), in the whole scope in which it is registered. An
 * error after the headers have been sent, such as that of a stream, goes to `onError` and ends the connection.
 *
 * @throws TypeError naming the invalid option, while the server is getting ready.
 * @example
 * await app.register(connectorPlugin, { sessionHeaders: ['x-token'], onError: logError })
 */
export const connectorPlugin: FastifyPluginCallback<ConnectorPluginOptions> = (app, options, done) => {
  try {
    install(app, options);
    done();
  } catch (error) {
    done(error as Error);
  }
};

// As fastify-plugin does: the handlers belong to the scope around the plugin and so apply to its sibling routes.
Object.assign(connectorPlugin, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'concordat-connector',
});

/** The scopes that handle a server's unknown routes, by prefix: Fastify accepts one for each. */
const notFoundScopes = new WeakMap<object, Map<string, FastifyInstance>>();

function install(app: FastifyInstance, options: ConnectorPluginOptions): void {
  // Fastify adds its own register options to the plugin's.
  const {
    prefix: _prefix,
    logLevel: _logLevel,
    logSerializers: _logSerializers,
    ...given
  } = options as ConnectorPluginOptions & Record<'prefix' | 'logLevel' | 'logSerializers', unknown>;
  const { notFound, ...own } = checkOptions(schema, given);
  const { handleError, report } = createErrorHandling(own as AdapterOptions<FastifyRequest>);
  app.setErrorHandler(handleError);
  // Fastify breaks the connection of a stream that fails in the middle, and tells no error handler.
  app.addHook('onSend', (request, reply, payload, next) => {
    const { raw } = reply;
    sending.add(reply);
    const sent = watchBody(payload, (thrown) => {
      if (!raw.headersSent || raw.destroyed) return; // Fastify's error handler gets it, or nobody reads any more
      report(thrown, request);
      breakOff(raw);
    });
    next(null, sent);
  });
  if (!notFound) return;
  const scopes = notFoundScopes.get(app.server) ?? new Map<string, FastifyInstance>();
  notFoundScopes.set(app.server, scopes);
  // A second time in the same scope is a mistake, which Fastify refuses.
  const isRepeated = scopes.get(app.prefix) === app;
  if (scopes.has(app.prefix) && !isRepeated) return;
  scopes.set(app.prefix, app);
  try {
    app.setNotFoundHandler((request, reply) => {
      handleError(noRoute(request.method, request.url.split('?', 1)[0] as string), request, reply);
    });
  } catch (error) {
    // The server's own handler stays.
    if (isRepeated) throw error;
  }
}

/**
 * For the `frameworkErrors` option of Fastify's constructor: sends the contract's error response for requests that Fastify
 * refuses before any route or plugin sees them, such as `GET /%`. A plugin cannot set that option. An exception filter of
 * NestJS can call it, too.
 *
 * @param options those of {@link connectorPlugin}, without `notFound`.
 * @throws TypeError naming the invalid option.
 * @example
 * const errors = { onError: logError }
 * const app = fastify({ frameworkErrors: connectorFrameworkErrors(errors) })
 * await app.register(connectorPlugin, errors)
 */
export function connectorFrameworkErrors(options: AdapterOptions<FastifyRequest> = {}): ConnectorFrameworkErrors {
  return createErrorHandling(options).handleError;
}

export type ConnectorFrameworkErrors = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

function createErrorHandling(options: AdapterOptions<FastifyRequest>) {
  const writer = createAdapterWriter<FastifyRequest>(options, incomingSecrets, translate);
  if (options.onError === undefined) warnOfSilence();
  const handleError: ConnectorFrameworkErrors = (thrown, request, reply) => {
    if (reply.raw.headersSent) {
      writer.report(thrown, request);
      reply.hijack();
      breakOff(reply.raw);
      return;
    }
    const error = writer.write(thrown, request, reply);
    if (sending.has(reply)) sendPastHooks(reply, error);
    else send(reply, error);
  };
  return { handleError, report: writer.report };
}

/** In place of Fastify's own messages, which quote the request. */
const messages: Record<string, string> = {
  FST_ERR_CTP_INVALID_JSON_BODY: invalidJsonMessage,
  FST_ERR_BAD_URL: invalidPathMessage,
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the path is too long.',
};

/** What Fastify or a plugin of its own (`FST_REQ_FILE_TOO_LARGE`) refuses is the caller's mistake; all else stays as it is. */
function translate(thrown: unknown): ConnectorError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { code, statusCode, validationContext, message } = thrown as FastifyError;
  const details: ConnectorErrorDetails = { cause: thrown };
  if (validationContext !== undefined) return errorOfStatus(400, message, details);
  // Broken JSON, before Fastify 5.5.
  if (thrown instanceof SyntaxError && statusCode === 400) return errorOfStatus(400, invalidJsonMessage, details);
  if (typeof code !== 'string' || !code.startsWith('FST_') || statusCode === undefined) return undefined;
  if (statusCode < 400 || statusCode > 499) return undefined;
  return errorOfStatus(statusCode, messages[code] ?? message, details);
}

/** Responses whose hooks have begun. */
const sending = new WeakSet<FastifyReply>();

/** The hook that has failed would fail again, and Fastify would then send its message. */
function sendPastHooks(reply: FastifyReply, error: WireError): void {
  prepare(reply, error);
  const { status, headers, body } = error;
  reply.hijack();
  const length = { 'content-length': Buffer.byteLength(body) };
  reply.raw.writeHead(status, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers, ...length }).end(body);
}

function send(reply: FastifyReply, error: WireError): void {
  prepare(reply, error);
  const { status, headers, body } = error;
  // A route may have set a serializer for its own data.
  reply.serializer((text) => text as string);
  reply.code(status).headers(headers).send(body);
}

function prepare(reply: FastifyReply, { status, staleHeaders }: WireError): void {
  readAwayLostBody(reply.raw, status);
  for (const name of staleHeaders) reply.removeHeader(name);
  // Fastify takes what Node then refuses to send.
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if ([value].flat().some((part) => headerProblem('x', String(part)) !== undefined)) reply.removeHeader(name);
  }
}
