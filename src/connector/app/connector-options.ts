import type { Context, Hono } from 'hono';
import * as z from 'zod';
import { count, functionOf, option, optionsOf, routePath, type ShapeOf } from '../../internal/index.js';
import type { ErrorListener } from '../errors/log-error.js';
import type { ErrorFormatOptions } from '../errors/options.js';
import { errorFormatShape, rateLimitShape, zodObject } from '../errors/options.js';
import type { Translate } from '../errors/translated.js';
import type { ConnectorRateLimitOptions } from '../request/announce.js';
import { type InitializeOptions, initializeSchema } from './initialize.js';
import type { VerifySession } from './session-guard.js';

/**
 * The context of a connector's routes. Its middleware also sees requests without a session: logins, open paths and refused
 * requests. There `c.get('session')` is `undefined`.
 */
export interface ConnectorEnv<Session extends z.core.$ZodObject = z.ZodObject> {
  Variables: { session: z.output<Session> };
}

/** A Hono app: `.get`, `.post`, `.route`, `.use` and all the rest are Hono's. */
export type Connector<Session extends z.core.$ZodObject = z.ZodObject> = Hono<ConnectorEnv<Session>>;

export type CleanupHandler<Session extends z.core.$ZodObject = z.ZodObject> = (context: {
  session: z.output<Session>;
  signal: AbortSignal;
  /** The context of the request, for `c.req.param()`. */
  c: Context;
}) => unknown;

export interface ConnectorOptions<Parameters extends z.core.$ZodType, Session extends z.core.$ZodObject>
  extends ErrorFormatOptions {
  initialize: InitializeOptions<Parameters>;
  /** @default { header: 'Retry-After', format: 'seconds' }, and no quota is announced */
  rateLimit?: ConnectorRateLimitOptions | undefined;
  /**
   * The session: the headers that initialize hands out and every later request brings back. Header names are
   * case-insensitive; the key in `c.get('session')` has the schema's spelling.
   */
  session: Session;
  /** `false` is a 401. Without this option, only the end system's own 401 ends a session. */
  verify?: VerifySession<Session> | undefined;
  /** Ends a session when the service closes its connection: `POST /cleanup`, a 204. */
  cleanup?: CleanupHandler<Session> | { path?: string | undefined; handler: CleanupHandler<Session> } | undefined;
  /**
   * The largest request body, in bytes; a larger one is a 413. `limitBody` sets another limit for a route. @default 1048576 (1 MiB)
   */
  maxBodyBytes?: number | undefined;
  /**
   * Paths that need no session, such as `['/health']`: exactly these, as in the connector's own routes, wherever it is
   * mounted (including the path of `basePath`). Responses there are not changed (rule D7). @default none
   */
  openPaths?: readonly string[] | undefined;
  /**
   * Translates failures that are not HTTP, such as those of a database, a driver or an SDK: it gets anything thrown that is
   * not a `ConnectorError`. Returning `undefined` leaves it a 500 without details (rule E4). @default none
   */
  translate?: Translate<Context> | undefined;
  /**
   * Gets every error as it was thrown: the place for the connector's log, such as `logError`. What it throws itself is
   * ignored. For a request that the service has cancelled it gets an `AbortError` whose cause is what was thrown.
   *
   * @default none: nothing logs errors, and a warning at the start says so, once per process (rule E4)
   */
  onError?: ErrorListener<Context> | undefined;
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
    .union(
      [
        cleanupHandler.transform((handler) => ({ path: '/cleanup', handler })),
        optionsOf({ path: routePath.default('/cleanup'), handler: cleanupHandler }),
      ],
      { error: 'must be a function, or an object with `path` and `handler`' },
    )
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
} satisfies ShapeOf<ConnectorOptions<z.ZodType, z.ZodObject>>).refine(
  ({ cleanup, initialize }) => cleanup?.path !== initialize.path,
  { message: 'must not be the path of initialize', path: ['cleanup', 'path'] },
);
