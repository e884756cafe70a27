import * as z from 'zod';
import { defaultMaxDetailBytes, headerNameOption, type WaitFormat, waitFormatOption } from '../contract/index.js';
import {
  anyObject,
  bool,
  checkOptions as check,
  count,
  duration,
  functionOf,
  oneOf,
  option,
  optionsOf,
  type ShapeOf,
  text,
  withoutTrailingSlashes,
} from '../internal/index.js';
import { type ProbeRequest, type Probes, probesSchema, requestSchema } from './probes.js';
import type { CaseResult } from './result.js';

/** What a connector offers. Only the features that you declare are checked. */
export const features = ['session', 'validation', 'access', 'cleanup', 'rate-limit'] as const;
export type Feature = (typeof features)[number];

/** The ids of cases that fail for now, each with the reason. */
export type KnownFailures = Readonly<Record<string, string>> | readonly { id: string; reason: string }[];

/** What a config file says about a connector. */
export interface ConformanceConfig {
  /** The connector's URL, which may have a path. @default 'http://connector.invalid' when there is a `fetch` */
  baseUrl?: string | undefined;
  probes?: Probes | undefined;
  /** What `concordat record` sends besides the probes; the cases do not use it. */
  record?: readonly ProbeRequest[] | undefined;
  /**
   * The connector's OpenAPI document (3.0 to 3.2). Requests that it does not allow are derived from it and sent, those of
   * `GET` only unless `allowWrites`.
   */
  openapi?:
    | {
        /** The document, or the path at which the connector serves it as JSON. */
        document: string | object;
        /** The most requests to send. @default 100 */
        requests?: number | undefined;
        /** Which requests to take where there are more; the same seed takes the same ones. @default 1 */
        seed?: number | undefined;
      }
    | undefined;
  /** @default 'session', and the features that the probes are for */
  features?: readonly Feature[] | undefined;
  /** These still run, and are reported once they pass. */
  knownFailures?: KnownFailures | undefined;
  /** How the connector writes a wait (rules W1, W4). */
  rateLimit?:
    | {
        /** @default 'Retry-After' */
        header?: string | undefined;
        /** @default 'auto': seconds or an HTTP-date */
        format?: WaitFormat | undefined;
      }
    | undefined;
  /** Whether to send requests that may write: any method but GET, HEAD and OPTIONS. Logins and cleanups are always sent. @default false */
  allowWrites?: boolean | undefined;
  /** The timeout of one request, in milliseconds. @default 10000 */
  timeoutMs?: number | undefined;
  /** The longest rate limit to wait out, in milliseconds; a longer one leaves the cases after it unjudged. @default 10000 */
  maxWaitMs?: number | undefined;
  /** The most bytes of `detail` (rule E5). @default 8192 */
  maxDetailBytes?: number | undefined;
}

export interface ConformanceOptions extends ConformanceConfig {
  /** Replaces the network, for example by a connector's own `fetch`. @default the global fetch */
  fetch?: ((request: Request) => Response | Promise<Response>) | undefined;
  /** Called with the result of each case. */
  onResult?: ((result: CaseResult) => void) | undefined;
}

export type Settings = Readonly<ReturnType<typeof checkOptions>>;

const reason = z.string().trim().min(1, 'must say why');

const schema = optionsOf({
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as "http://127.0.0.1:4000"' })
    .refine((url) => !/[?#]|^[^/]*\/\/[^/]*@/.test(url), 'must have no user, query or fragment')
    .optional(),
  fetch: functionOf<NonNullable<ConformanceOptions['fetch']>>().default(
    () => (request: Request) => globalThis.fetch(request),
  ),
  onResult: functionOf<NonNullable<ConformanceOptions['onResult']>>().optional(),
  probes: probesSchema,
  record: z.array(requestSchema).optional(),
  openapi: optionsOf({
    document: option<string | object>(
      (value) => (typeof value === 'string' ? /^\/[\x21-\x7e]*$/.test(value) : anyObject().safeParse(value).success),
      'must be a path of the connector such as "/openapi.json", or the document',
    ),
    requests: count(1).default(100),
    seed: count(0).default(1),
  } satisfies ShapeOf<NonNullable<ConformanceConfig['openapi']>>).optional(),
  features: z.array(oneOf(features)).optional(),
  knownFailures: z.union([z.array(optionsOf({ id: text, reason })), z.record(z.string(), reason)]).optional(),
  rateLimit: optionsOf({
    header: headerNameOption.default('Retry-After'),
    format: waitFormatOption.default('auto'),
  } satisfies ShapeOf<NonNullable<ConformanceConfig['rateLimit']>>).prefault({}),
  allowWrites: bool.default(false),
  timeoutMs: duration({ least: 1 }).default(10_000),
  maxWaitMs: duration().default(10_000),
  maxDetailBytes: count(1).default(defaultMaxDetailBytes),
} satisfies ShapeOf<ConformanceOptions>);

/** Fills in the defaults. @throws TypeError naming the options that are wrong. */
export function checkOptions(options: ConformanceOptions) {
  const { probes, baseUrl = 'http://connector.invalid', features, ...settings } = check(schema, options);
  if (options.baseUrl === undefined && options.fetch === undefined) {
    throw new TypeError('`baseUrl` or `fetch` is needed: there is no connector to check.');
  }
  return {
    ...settings,
    ...probes,
    baseUrl: withoutTrailingSlashes(baseUrl),
    features: new Set(features ?? impliedFeatures(options.probes ?? {})),
    knownFailures: readKnownFailures(options.knownFailures),
    limit: probes.limit && { ...probes.limit, request: limitRequest(probes) },
    cleanupPath: probes.cleanup?.path ?? '/cleanup',
  };
}

const probeOf = { validation: 'invalid', access: 'forbidden', cleanup: 'cleanup', 'rate-limit': 'limit' } as const;

function impliedFeatures(probes: Probes): Feature[] {
  return features.filter((feature) => feature === 'session' || probes[probeOf[feature]] !== undefined);
}

function limitRequest({ limit, readable }: z.output<typeof probesSchema>) {
  const request = limit?.request ?? readable;
  if (request !== undefined) return request;
  throw new TypeError('`probes.limit` needs a `request` (or `probes.readable`) to reach the limit with.');
}

function readKnownFailures(known: KnownFailures = {}): ReadonlyMap<string, string> {
  if (Array.isArray(known)) return new Map(known.map(({ id, reason }: { id: string; reason: string }) => [id, reason]));
  return new Map(Object.entries(known));
}
