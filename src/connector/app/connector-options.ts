import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { count, functionOf, option, optionsOf, routePath, type ShapeOf } from '../../internal/index.js';
import type { ErrorFormatOptions } from '../errors/options.js';
import { errorFormatShape, rateLimitShape, zodObject } from '../errors/options.js';
import type { Translate } from '../errors/translate.js';
import type { ConnectorRateLimitOptions } from '../request/announce-policy.js';
import { type InitializeOptions, initializeSchema } from './initialize.js';
import type { VerifySession } from './session-guard.js';

/**
 * What every route of a connector finds in its context. Its middleware sees requests without a session, too: logins, open
 * paths, and those that are refused. `c.get('session')` is `undefined` there.
 */
export interface ConnectorEnv<Session extends z.ZodObject = z.ZodObject> {
  Variables: { session: z.output<Session> };
}

/** A Hono app: `.get`, `.post`, `.route`, `.use` and all the rest are Hono's. */
export type Connector<Session extends z.ZodObject = z.ZodObject> = Hono<ConnectorEnv<Session>>;

export type CleanupHandler<Session extends z.ZodObject = z.ZodObject> = (context: {
  session: z.output<Session>;
  signal: AbortSignal;
  /** The request itself, with the parameters of its path. */
  c: Context;
}) => void | Promise<void>;

export interface ConnectorOptions<Parameters extends z.ZodType, Session extends z.ZodObject>
  extends ErrorFormatOptions {
  initialize: InitializeOptions<Parameters>;
  /** @default { header: 'Retry-After', format: 'seconds' }, and no quota is announced */
  rateLimit?: ConnectorRateLimitOptions | undefined;
  /**
   * The request headers that initialize hands out and every later request brings back. Names are read whatever their
   * case; the schema's own spelling is the key in `c.get('session')`.
   */
  session: Session;
  /** `false` is answered with 401. Without it the end system's own 401 says that a session is dead. */
  verify?: VerifySession<Session> | undefined;
  /** Ends a session when the service closes its connection: answers `POST /cleanup` with 204. */
  cleanup?: CleanupHandler<Session> | { path?: string | undefined; handler: CleanupHandler<Session> } | undefined;
  /**
   * The largest request body; more is answered with 413. `limitBody` gives a route another one. @default 1048576 (1 MiB)
   */
  maxBodyBytes?: number | undefined;
  /**
   * Paths that need no session, such as `['/health']`: exactly these, as the connector's own routes have them, wherever it is
   * put (with the base path of a `basePath`). What a route answers there goes out as it is (rule D7). @default none
   */
  openPaths?: readonly string[] | undefined;
  /**
   * What a failure that is not HTTP means to the service, such as one of a database, a driver or an SDK: gets what was
   * thrown and is no `ConnectorError`. `undefined` leaves it a 500 that tells nothing (rule E4). @default none
   */
  translate?: Translate<Context> | undefined;
  /**
   * Gets every error that is answered, as it was thrown: the place for the connector's log. What it throws itself is
   * ignored. A request that the service has given up is an `AbortError`, its cause what was thrown.
   */
  onError?: ((error: unknown, c: Context) => void | Promise<void>) | undefined;
}

const openPath = option<string>(
  (value) => typeof value === 'string' && /^\/[^\s?#:*{]*$/.test(value),
  'must be a path that starts with "/" and has neither parameters nor "*"',
  true,
);

const cleanupHandler = functionOf<CleanupHandler<z.ZodObject>>();

export const connectorSchema = optionsOf({
  initialize: initializeSchema,
  session: zodObject,
  verify: functionOf<VerifySession>().optional(),
  cleanup: z
    .union([cleanupHandler, optionsOf({ path: routePath.default('/cleanup'), handler: cleanupHandler })], {
      error: 'must be a function, or an object with `path` and `handler`',
    })
    .optional(),
  onError: functionOf<NonNullable<ConnectorOptions<z.ZodType, z.ZodObject>['onError']>>().optional(),
  maxBodyBytes: count(1).default(1024 * 1024),
  openPaths: z.array(openPath, 'must be an array of paths').default([]),
  translate: functionOf<Translate<Context>>().optional(),
  ...errorFormatShape,
  rateLimit: optionsOf({
    ...rateLimitShape,
    policy: z.custom<ConnectorRateLimitOptions['policy']>().optional(),
  } satisfies ShapeOf<ConnectorRateLimitOptions>).prefault({}),
} satisfies ShapeOf<ConnectorOptions<z.ZodType, z.ZodObject>>);

/** @throws TypeError when both have one path. */
export function readCleanup(
  option: z.output<typeof connectorSchema>['cleanup'],
  initializePath: string,
): { path: string; handler: CleanupHandler<z.ZodObject> } | undefined {
  if (option === undefined) return undefined;
  const cleanup = typeof option === 'function' ? { path: '/cleanup', handler: option } : option;
  if (cleanup.path === initializePath) throw new TypeError('`cleanup.path` must not be the path of initialize.');
  return cleanup;
}
