import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { ConnectorError, NotFoundError, type SessionParameter } from '../contract/index.js';
import { checkOptions, count, functionOf, optionsOf, routePath, type ShapeOf } from '../internal/index.js';
import { type ConnectorRateLimitOptions, checkPolicy, createAnnouncer } from './announce.js';
import { createErrorWriter, type ErrorAnswer, type ErrorAnswerOptions } from './error-answer.js';
import { putBackSession, type Surroundings, surround, surroundHandlers, takeSession } from './handlers.js';
import { answerWithHono, dropStaleHeaders, rewriteReturnedError } from './hono-answer.js';
import { type InitializeOptions, initializeHandler, initializeSchema } from './initialize.js';
import { answerShape, rateLimitShape, zodObject } from './options.js';
import { parseBody } from './read-json.js';
import { headerSecrets, parameterSecrets as readParameterSecrets } from './redact.js';
import { checkSession, sessionGuard, type VerifySession } from './session-guard.js';

/** What every route of a connector finds in its context. */
export interface ConnectorEnv<Session extends z.ZodObject = z.ZodObject> {
  Variables: { session: z.output<Session> };
}

/** A Hono app: `.get`, `.post`, `.route`, `.use` and all the rest are Hono's. */
export type Connector<Session extends z.ZodObject = z.ZodObject> = Hono<ConnectorEnv<Session>>;

export type CleanupHandler<Session extends z.ZodObject = z.ZodObject> = (context: {
  session: z.output<Session>;
  signal: AbortSignal;
}) => void | Promise<void>;

export interface ConnectorOptions<Parameters extends z.ZodObject, Session extends z.ZodObject>
  extends ErrorAnswerOptions {
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
  /** The largest request body; more is answered with 413. @default 1048576 (1 MiB) */
  maxBodyBytes?: number | undefined;
  /**
   * Gets every error that is answered, as it was thrown: the place for the connector's log. What it throws itself is
   * ignored.
   */
  onError?: ((error: unknown, c: Context) => void | Promise<void>) | undefined;
}

/**
 * What the connectors that a request leads through share (rule D5): the last error answer, whichever wrote it, and the
 * session headers of all. On the context itself, because a WeakMap costs more than the rest of an answer.
 */
const errorAnswer = Symbol('errorAnswer');
const askedHeaders = Symbol('askedHeaders');
/** The length of a body that had to be read to know it: another limit cannot read it again. */
const bodyBytes = Symbol('bodyBytes');
interface Shared {
  [errorAnswer]?: ErrorAnswer;
  [askedHeaders]?: readonly string[];
  [bodyBytes]?: number;
}

const cleanupHandler = functionOf<CleanupHandler<z.ZodObject>>();

const schema = optionsOf({
  initialize: initializeSchema,
  session: zodObject,
  verify: functionOf<VerifySession>().optional(),
  cleanup: z
    .union([cleanupHandler, optionsOf({ path: routePath.default('/cleanup'), handler: cleanupHandler })], {
      error: 'must be a function, or an object with `path` and `handler`',
    })
    .optional(),
  onError: functionOf<NonNullable<ConnectorOptions<z.ZodObject, z.ZodObject>['onError']>>().optional(),
  maxBodyBytes: count(1).default(1024 * 1024),
  ...answerShape,
  rateLimit: optionsOf({
    ...rateLimitShape,
    policy: z.custom<ConnectorRateLimitOptions['policy']>().optional(),
  } satisfies ShapeOf<ConnectorRateLimitOptions>).prefault({}),
} satisfies ShapeOf<ConnectorOptions<z.ZodObject, z.ZodObject>>);

/**
 * Makes a connector: a Hono app that logs in at `POST /initialize`, asks every other route for a session, and answers all
 * that goes wrong as the contract says (rules E1-E5, W1-W2, W8, S1-S2). Unknown routes are a 404, with or without a session.
 *
 * @throws TypeError naming the option that is wrong.
 * @example
 * const connector = createConnector({
 *   initialize: {
 *     parameters: z.object({ token: z.string() }),
 *     handler: ({ parameters }) => ({ 'x-token': parameters.token }),
 *   },
 *   session: z.object({ 'x-token': z.string() }),
 * })
 * connector.get('/issues/:id', (c) => {
 *   throw new NotFoundError(`No issue ${c.req.param('id')}`, { code: 'ISSUE_NOT_FOUND' })
 * })
 */
export function createConnector<Parameters extends z.ZodObject, Session extends z.ZodObject>(
  options: ConnectorOptions<Parameters, Session>,
): Connector<Session> {
  const settings = checkOptions(schema, options);
  const { verify, onError, exposeDetail, maxDetailBytes, maxBodyBytes } = settings;
  const { policy: _, ...rateLimit } = settings.rateLimit;
  const initialize = options.initialize as unknown as InitializeOptions;
  const initializePath = settings.initialize.path;
  const sessionNames = checkSession(options.session);
  const cleanup = settings.cleanup && readCleanup(settings.cleanup, initializePath);
  const announce = createAnnouncer(checkPolicy(options.rateLimit?.policy));
  const writeError = createErrorWriter({ rateLimit, exposeDetail, maxDetailBytes });

  const parameterSecrets = new WeakMap<Context, string[]>();
  // Requests bring values and no marks, so the marks are those of the logins: open is what none has marked as a secret.
  let secretNames: readonly string[] = sessionNames;
  const open = new Map<string, boolean>();
  const learnMarks = (parameters: readonly SessionParameter[]) => {
    for (const { key, sensitive } of parameters) {
      const name = key.toLowerCase();
      open.set(name, !sensitive && open.get(name) !== false);
    }
    secretNames = sessionNames.filter((name) => !open.get(name.toLowerCase()));
  };
  const write = (thrown: unknown, c: Context) => {
    const { headers } = c.req.raw;
    const secrets = headerSecrets((name) => headers.get(name), (c as Shared)[askedHeaders] ?? secretNames);
    return writeError(thrown, [...secrets, ...(parameterSecrets.get(c) ?? [])]);
  };
  const fail = (thrown: unknown, c: Context) => {
    const answer = write(thrown, c);
    (c as Shared)[errorAnswer] = answer;
    return announce(answerWithHono(c, answer), c);
  };
  const mark = Symbol('entered');
  const answer = (thrown: unknown, c: Context) => {
    const outer = takeSession(c, mark);
    report(onError, thrown, c);
    putBackSession(c, outer);
    return fail(thrown, c);
  };

  const limitBody = createBodyLimit(maxBodyBytes);
  const own = new Set<unknown>();
  const guard = sessionGuard(options.session, verify as VerifySession | undefined, own);
  const surroundings: Surroundings = {
    mark,
    enter(c) {
      const asked = (c as Shared)[askedHeaders];
      (c as Shared)[askedHeaders] = asked === undefined ? secretNames : [...asked, ...secretNames];
      // A plain `c.req.json()` of broken JSON is the caller's mistake too.
      c.req.json = () => parseBody(c.req) as Promise<never>;
      const limiting = limitBody(c);
      return limiting === undefined ? guard(c) : limiting.then(() => guard(c));
    },
    leave(returned, c) {
      const result = rewriteReturnedError(returned, (thrown) => write(thrown, c));
      const answered = (c as Shared)[errorAnswer];
      // Middleware that ends in `return next()` returns the context.
      if (answered) dropStaleHeaders(result === undefined || result === c ? c.res : (result as Response), answered);
      return announce(result, c);
    },
    answer,
  };
  const app = new Hono<ConnectorEnv<Session>>();
  app.onError(answer);
  app.notFound((c) => fail(new NotFoundError(`There is no route for ${c.req.method} ${shorten(c.req.path)}.`), c));
  const logIn = initializeHandler(initialize, options.session, {
    given: (c, body) => parameterSecrets.set(c, readParameterSecrets(body)),
    handedOut: learnMarks,
  });
  own.add(logIn);
  app.post(initializePath, surround(logIn, { ...surroundings, mark: Symbol('entered'), enter: limitBody }));
  surroundHandlers(app as unknown as Hono, surroundings);
  if (cleanup) {
    app.post(cleanup.path, async (c) => {
      await cleanup.handler({ session: c.get('session'), signal: c.req.raw.signal });
      return c.body(null, 204);
    });
  }
  return app;
}

function readCleanup(option: NonNullable<z.output<typeof schema>['cleanup']>, initializePath: string) {
  const cleanup = typeof option === 'function' ? { path: '/cleanup', handler: option } : option;
  if (cleanup.path === initializePath) throw new TypeError('`cleanup.path` must not be the path of initialize.');
  return cleanup;
}

/** Refuses bodies that are too large: by their declared length where there is one, else by reading them first. */
function createBodyLimit(maxBodyBytes: number): (c: Context) => Promise<undefined> | undefined {
  const check = (bytes: number): undefined => {
    if (bytes <= maxBodyBytes) return;
    throw new ConnectorError(`The request body is larger than the ${maxBodyBytes} bytes that are allowed.`, {
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
    });
  };
  const read = async (c: Context): Promise<undefined> => {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    const reader = c.req.raw.body?.getReader();
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      bytes += part.value.length;
      check(bytes);
      chunks.push(part.value);
    }
    (c as Shared)[bodyBytes] = bytes;
    if (reader) c.req.raw = new Request(c.req.raw, { body: new Blob(chunks) });
  };
  return (c) => {
    const { method, raw } = c.req;
    if (method === 'GET' || method === 'HEAD') return undefined;
    const length = raw.headers.get('content-length');
    const known = length === null || raw.headers.has('transfer-encoding') ? (c as Shared)[bodyBytes] : Number(length);
    return known === undefined ? read(c) : check(known);
  };
}

function report(onError: ((error: unknown, c: Context) => unknown) | undefined, thrown: unknown, c: Context): void {
  try {
    const result = onError?.(thrown, c);
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // A log that fails must not take the answer with it.
  }
}

function shorten(path: string): string {
  return path.length <= 200 ? path : `${path.slice(0, 200)}…`;
}
