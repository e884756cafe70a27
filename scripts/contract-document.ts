import { type ErrorKind, errorPayloadSchema, errorTable, sessionParameterSchema } from 'concordat';
import { z } from 'zod';

const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const responseRef = (name: string) => ({ $ref: `#/components/responses/${name}` });
const json = (schema: object, example: unknown) => ({ 'application/json': { schema, example } });

/** Seconds, or one of the three forms of an HTTP-date (RFC 9110, 5.6.7), whose days have two places. */
const waitPattern = [
  '^[0-9]+$',
  '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$',
  '^[A-Z][a-z]{2,5}day, [0-9]{2}-[A-Z][a-z]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$',
  '^[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]{4}$',
].join('|');

/** The part of every connector that the contract fixes, as OpenAPI 3.1. */
export function buildContractDocument() {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Connector contract',
      version: '1.0.0',
      description:
        'What every connector has in common, whatever its own routes are: login, clean-up, and errors. The route `/resources/{id}` ' +
        'stands for those. A connector reads request bodies with `transfer-encoding: chunked`, because streamed uploads have ' +
        'no length; an upload that breaks off must not replace what is stored (D2). Rules in brackets are explained in docs/rules.md.',
      contact: { name: 'Concordat' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:4000', description: 'A connector on this machine' }],
    tags: [
      { name: 'session', description: 'Logging in and out (S1)' },
      { name: 'resources', description: "The connector's own routes" },
    ],
    paths: { '/initialize': { post: initialize }, '/cleanup': { post: cleanup }, '/resources/{id}': { get: resource } },
    components: {
      schemas: schemas(),
      headers: {
        RetryAfter: {
          description:
            'Only for a rate limit: how long to wait, in seconds, or until when, as an HTTP-date. Connector and client may agree on another name and format (W1, W4).',
          required: false,
          schema: { type: 'string', pattern: waitPattern },
          example: '30',
        },
        RateLimitPolicy: {
          description:
            'Optional, then on every response: how many requests are allowed (q) in how many seconds (w), by draft-ietf-httpapi-ratelimit-headers (W8).',
          required: false,
          schema: { type: 'string', maxLength: 1024 },
          example: '"default";q=100;w=60',
        },
        RateLimit: {
          description: 'Optional: how many requests are left (r), and in how many seconds there are more (t) (W8).',
          required: false,
          schema: { type: 'string', maxLength: 1024 },
          example: '"default";r=50;t=30',
        },
      },
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'header',
          name: 'x-session',
          description:
            'Every later request carries each entry of the response to initialize as a header; `x-session` is an example.',
        },
      },
      responses: responses(),
    },
  };
}

const quotaHeaders = {
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
  RateLimit: { $ref: '#/components/headers/RateLimit' },
};

const initialize = {
  operationId: 'initialize',
  tags: ['session'],
  summary: 'Log in',
  description:
    'Takes the parameters of the connection and returns the session (S1). A refusal of wrong parameters is final (S5).',
  security: [],
  requestBody: {
    required: true,
    content: json(schemaRef('SessionParameters'), [
      { key: 'user', value: 'alice', sensitive: false },
      { key: 'password', value: '…', sensitive: true },
    ]),
  },
  responses: {
    200: {
      description: 'The session',
      headers: quotaHeaders,
      content: json(schemaRef('Session'), [{ key: 'x-session', value: '5f0c6f0e', sensitive: true }]),
    },
    400: responseRef('bad-request'),
    401: responseRef('unauthorized'),
    403: responseRef('forbidden-or-rate-limit'),
    '5XX': responseRef('other'),
  },
};

const cleanup = {
  operationId: 'cleanup',
  tags: ['session'],
  summary: 'End the session',
  description: 'Offered by connectors that have something to end (S1).',
  security: [{ session: [] }],
  responses: {
    204: { description: 'The session has ended; a 204 has no body' },
    401: responseRef('unauthorized'),
    403: responseRef('forbidden-or-rate-limit'),
    '5XX': responseRef('other'),
  },
};

const resource = {
  operationId: 'readResource',
  tags: ['resources'],
  summary: "One of the connector's own routes",
  description: 'Every route but initialize takes the session and returns errors like this one.',
  security: [{ session: [] }],
  parameters: [
    { name: 'id', in: 'path', required: true, description: 'Names the resource', schema: { type: 'string' } },
  ],
  responses: {
    200: {
      description: "The connector's own response",
      headers: quotaHeaders,
      content: { 'application/json': { schema: {}, example: { id: '7' } } },
    },
    400: responseRef('bad-request'),
    401: responseRef('unauthorized'),
    403: responseRef('forbidden-or-rate-limit'),
    404: responseRef('not-found'),
    '5XX': responseRef('other'),
  },
};

/** From the schemas that the code itself reads and writes with. */
function schemas() {
  return {
    Error: { description: 'The body of every error (E1)', ...toJsonSchema(errorPayloadSchema, 'output') },
    SessionParameters: {
      description: 'Parameters to log in with; an object of names and values is accepted, too',
      oneOf: [
        toJsonSchema(z.array(sessionParameterSchema), 'input'),
        toJsonSchema(z.record(z.string(), z.string()), 'input'),
      ],
    },
    Session: {
      description: 'The session: each entry is sent as a header of every later request (S1, S2)',
      ...toJsonSchema(z.array(sessionParameterSchema), 'output'),
    },
  };
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io });
  return rest;
}

const reactions = {
  report: 'The service reports it and does not send the request again.',
  'initialize-and-resend': 'The service logs in and sends the request again.',
  'wait-and-resend': 'The service waits as long as the header says and sends the request again.',
  'retry-if-idempotent':
    'After 500, 502, 503 and 504 the service retries idempotent requests; it reports everything else.',
} as const;

/** One response for each status of the error table (E2). Denial and limit share theirs: only the header differs. */
function responses() {
  return {
    ...Object.fromEntries(
      (Object.keys(errorTable) as ErrorKind[])
        .filter((kind) => errorTable[kind].status !== 403)
        .map((kind) => [kind, { description: describe(kind), content: json(schemaRef('Error'), body(kind)) }]),
    ),
    'forbidden-or-rate-limit': {
      description: `With the wait header: ${describe('rate-limit')} Without it: ${describe('forbidden')} Nothing else tells them apart (W2).`,
      headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
      content: {
        'application/json': {
          schema: schemaRef('Error'),
          examples: {
            forbidden: { summary: 'A denial', value: body('forbidden') },
            'rate-limit': { summary: 'A limit', value: body('rate-limit') },
          },
        },
      },
    },
  };
}

const describe = (kind: ErrorKind) => `${errorTable[kind].message} ${reactions[errorTable[kind].reaction]}`;
const body = (kind: ErrorKind) => ({ errors: { code: errorTable[kind].code, message: errorTable[kind].message } });
