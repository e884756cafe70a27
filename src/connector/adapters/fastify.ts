/**
 * The contract’s error answers in a Fastify 5 server.
 *
 * @module concordat/connector/fastify
 */

import type { FastifyError, FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { type ConnectorErrorDetails, NotFoundError } from '../../contract/index.js';
import { type AdapterOptions, createAdapterWriter } from '../adapter-options.js';
import type { ErrorAnswer } from '../error-answer.js';
import { parameterSecrets } from '../redact.js';
import { errorOfStatus, invalidJsonMessage } from '../to-connector-error.js';

export type ConnectorPluginOptions = AdapterOptions<FastifyRequest>;

/**
 * Fastify 5 plugin: answers as the contract says what routes throw, Fastify's own refusals (validation and broken JSON: 400,
 * bodies that are too large: 413) and unknown routes (404), in the whole scope in which it is registered. An error after
 * the headers went out ends the connection.
 *
 * @throws TypeError naming the option that is wrong, when the server gets ready.
 * @example
 * await app.register(connectorPlugin, { sessionHeaders: ['x-token'] })
 */
export const connectorPlugin: FastifyPluginCallback<ConnectorPluginOptions> = (app, options, done) => {
  try {
    install(app, options);
    done();
  } catch (error) {
    done(error as Error);
  }
};

// What fastify-plugin does: the handlers belong to the scope around the plugin, so that they reach its sibling routes.
Object.assign(connectorPlugin, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'concordat-connector',
});

function install(app: FastifyInstance, options: ConnectorPluginOptions): void {
  // Fastify's own register options come along with the plugin's.
  const {
    prefix: _prefix,
    logLevel: _logLevel,
    logSerializers: _logSerializers,
    ...own
  } = options as never as Record<string, unknown>;
  const writer = createAdapterWriter<FastifyRequest>(own, translate);
  const answer = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
    if (reply.raw.headersSent) {
      writer.report(thrown, request);
      reply.hijack();
      reply.raw.destroy();
      return;
    }
    const read = (name: string) => request.headers[name.toLowerCase()];
    send(reply, writer.write(thrown, request, read, bodySecrets(request)));
  };
  app.setErrorHandler(answer);
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]?.slice(0, 200);
    answer(new NotFoundError(`There is no route for ${request.method} ${path}.`), request, reply);
  });
}

/** What Fastify itself refuses is the caller's mistake; everything else stays what it is. */
function translate(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const { code, statusCode, validationContext, message } = thrown as FastifyError;
  const details: ConnectorErrorDetails = { cause: thrown };
  if (validationContext !== undefined) return errorOfStatus(400, message, details);
  if (typeof code !== 'string' || !code.startsWith('FST_ERR_') || statusCode === undefined) return thrown;
  if (statusCode < 400 || statusCode > 499) return thrown;
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY') return errorOfStatus(400, invalidJsonMessage, details);
  return errorOfStatus(statusCode, message, details);
}

function bodySecrets(request: FastifyRequest): string[] {
  return Array.isArray(request.body) ? parameterSecrets(request.body) : [];
}

function send(reply: FastifyReply, { status, headers, body, staleHeaders }: ErrorAnswer): void {
  for (const name of staleHeaders) reply.removeHeader(name);
  reply.code(status).headers(headers).send(body);
}
