import * as z from 'zod';
import { type SessionParameter, sessionParameterSchema } from '../contract/index.js';
import { count, duration, functionOf, optionsOf, readRequestLine } from '../internal/index.js';

/** A request as a probe: `'/issues'`, `'POST /issues'`, or an object. */
export type ProbeRequest =
  | string
  | {
      /** @default 'GET' */
      method?: string | undefined;
      /** Starts with "/"; a query may follow. */
      path: string;
      headers?: Record<string, string> | undefined;
      /** Sent as JSON. */
      json?: unknown;
      /** Sent as it is, as JSON if no `content-type` says otherwise. */
      body?: string | undefined;
    };

/** The parameters of initialize. Every value of a record counts as a secret. */
export type ProbeParameters = readonly SessionParameter[] | Readonly<Record<string, string>>;

/**
 * The requests that provoke each kind of response from this connector. All are optional: a case without its probe is
 * reported as skipped.
 */
export interface Probes {
  /** How to log in (rule S1). */
  initialize?:
    | {
        /** @default '/initialize' */
        path?: string | undefined;
        /** Parameters that log in. */
        parameters?: ProbeParameters | undefined;
        /** Parameters that must be refused, such as a wrong password. */
        wrongParameters?: ProbeParameters | undefined;
      }
    | undefined;
  /** A request that succeeds with a session, preferably one that only reads. */
  readable?: ProbeRequest | undefined;
  /** A resource that does not exist: 404. */
  unknown?: ProbeRequest | undefined;
  /** A route that does not exist: 404. @default 'GET /concordat-conformance/no-such-route' */
  unknownRoute?: ProbeRequest | undefined;
  /** A request whose payload or query is not valid: 400. */
  invalid?: ProbeRequest | undefined;
  /** A resource that this session may not see: 403 without the wait header. */
  forbidden?: ProbeRequest | undefined;
  /** A request that makes the end system or the connector fail: 5xx. */
  failing?: ProbeRequest | undefined;
  /** A file to download and compare. */
  file?:
    | {
        /** At most 64 MiB: the file is held in memory. */
        request: ProbeRequest;
        /** In hexadecimal. */
        sha256?: string | undefined;
        /** The size. */
        bytes?: number | undefined;
        /** The content type, without parameters. @default any but JSON, text, XML and forms */
        contentType?: string | undefined;
      }
    | undefined;
  /** How to reach the rate limit: sends `request` until the connector refuses it. */
  limit?:
    | {
        /** @default `probes.readable` */
        request?: ProbeRequest | undefined;
        /** The most requests to send. @default 200 */
        times?: number | undefined;
        /** How many requests are in flight at once. @default 8 */
        concurrency?: number | undefined;
        /** Runs first, for example to lower the limit of a test system. */
        before?: (() => unknown) | undefined;
      }
    | undefined;
  /** How to end a session: by waiting, by a request, or by a function. */
  expire?:
    | {
        waitMs?: number | undefined;
        request?: ProbeRequest | undefined;
        action?: ((session: Record<string, string>) => unknown) | undefined;
      }
    | undefined;
  /** The route that ends a session. */
  cleanup?: { /** @default '/cleanup' */ path?: string | undefined } | undefined;
}

/** A probe with its defaults filled in. */
export interface ReadyRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The most bytes to read of the response. @default 4 MiB */
  readonly maxResponseBytes?: number | undefined;
  /** How often it may be sent again because its connection closed. */
  readonly mostResends?: number | undefined;
  /** Sends the body in chunks, without a `content-length`. */
  readonly chunked?: boolean | undefined;
}

const methods = /^[A-Z]+$/;
const path = z.string().regex(/^\/[\x21-\x7e]*$/, 'must be a path that starts with "/"');
const parameters = z
  .union([z.array(sessionParameterSchema), z.record(z.string(), z.string())], {
    error: 'must be an array of { key, value, sensitive } or a record of strings',
  })
  .transform(readParameters);

const requestLine = /^(?:[A-Z]+ +)?\/[\x21-\x7e]*$/;
const notARequest = 'must be a request: "/path", "GET /path" or { method, path, headers, json, body }';

/** Fills in the defaults. */
export const requestSchema = z
  .union(
    [
      z.string().refine((text) => requestLine.test(text), notARequest),
      optionsOf({
        method: z.string().regex(methods).optional(),
        path,
        headers: z.record(z.string(), z.string()).optional(),
        json: z.unknown().optional(),
        body: z.string().optional(),
      }),
    ],
    { error: notARequest },
  )
  .transform(readRequest);

export const probesSchema = optionsOf({
  initialize: optionsOf({
    path: path.default('/initialize'),
    parameters: parameters.optional(),
    wrongParameters: parameters.optional(),
  }).prefault({}),
  readable: requestSchema.optional(),
  unknown: requestSchema.optional(),
  unknownRoute: requestSchema.prefault('/concordat-conformance/no-such-route'),
  invalid: requestSchema.optional(),
  forbidden: requestSchema.optional(),
  failing: requestSchema.optional(),
  file: optionsOf({
    request: requestSchema,
    sha256: z
      .string()
      .regex(/^[\da-f]{64}$/i, 'must have 64 hexadecimal digits')
      .optional(),
    bytes: count(0).optional(),
    contentType: z
      .string()
      .regex(/^[^\s/;]+\/[^\s/;]+$/, 'must be a content type such as "image/png"')
      .optional(),
  }).optional(),
  limit: optionsOf({
    request: requestSchema.optional(),
    times: count(1).default(200),
    concurrency: count(1).default(8),
    before: functionOf<() => unknown>().optional(),
  }).optional(),
  expire: optionsOf({
    waitMs: duration().default(0),
    request: requestSchema.optional(),
    action: functionOf<(session: Record<string, string>) => unknown>().optional(),
  })
    .refine(({ waitMs, request, action }) => waitMs > 0 || request || action, 'must have waitMs, request or action')
    .optional(),
  cleanup: optionsOf({ path: path.default('/cleanup') }).optional(),
}).prefault({});

function readRequest(probe: ProbeRequest): ReadyRequest {
  if (typeof probe === 'string') return { ...readRequestLine(probe), headers: {}, body: undefined };
  const body = probe.body ?? (probe.json === undefined ? undefined : JSON.stringify(probe.json));
  const named = Object.keys(probe.headers ?? {}).some((name) => name.toLowerCase() === 'content-type');
  const type = body === undefined || named ? {} : { 'content-type': 'application/json' };
  return { method: probe.method ?? 'GET', path: probe.path, headers: { ...type, ...probe.headers }, body };
}

/** A record cannot say which values are secret, so all of them are. */
function readParameters(parameters: ProbeParameters): SessionParameter[] {
  if (Array.isArray(parameters)) return parameters.map((entry: SessionParameter) => ({ ...entry }));
  return Object.entries(parameters).map(([key, value]) => ({ key, value: value as string, sensitive: true }));
}
