import { randomBytes } from 'node:crypto';
import {
  type ApiKeys,
  createFailureThrottle,
  type EditionOption,
  type FailureThrottle,
  hasApiKeys,
  type UserDirectory,
} from '../api-keys/index.js';
import {
  type Clock,
  checkOptions,
  duration,
  functionOf,
  nameOrFunction,
  option,
  optionsOf,
  quiet,
  readBy,
  type ShapeOf,
  systemClock,
  withMethods,
} from '../internal/index.js';
import { createPasswordChecks } from './authentication/check-password.js';
import type { AdminContext, AuthenticationFailure } from './context.js';
import { socketAddress } from './http/request.js';
import { allowedHostsOption, type McpTool, mcpToolsOption } from './mcp/index.js';
import { type AdminSection, sectionsOption } from './sections.js';
import type { ManagedUserDirectory } from './users.js';

export interface AdminOptions {
  /** The result of `openApiKeys`. Close it after the administration. */
  readonly apiKeys: ApiKeys;
  /** Your users. With `list` and `remove`, Super Admins can manage them. */
  readonly users: UserDirectory | ManagedUserDirectory;
  /**
   * The edition's name, or a function that is called at every request (rule K12). Pass the function that you gave to
   * `openApiKeys`, and a request calls it once.
   */
  readonly edition: EditionOption;
  /** The path of the administration, such as `/admin`. @default '' */
  readonly basePath?: string | undefined;
  /**
   * Signs sessions; at least 32 bytes. A random one signs everybody out at a restart, and cannot be shared by
   * processes.
   * @default random
   */
  readonly sessionSecret?: Uint8Array | string | undefined;
  /** Your own tools at the MCP endpoint. @default [] */
  readonly mcpTools?: readonly McpTool[] | undefined;
  /** Your own pages in the administration UI, each with an entry at the top of its menu. @default [] */
  readonly sections?: readonly AdminSection[] | undefined;
  /**
   * Host names, with or without a port, at which browsers and clients reach the MCP endpoint, besides `localhost`,
   * `127.0.0.1` and `[::1]`. Any other `Host` or `Origin` is refused, against DNS rebinding.
   * @default []
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Ends an MCP session after this long without a request or an open stream. @default 1800000 */
  readonly mcpSessionIdleMs?: number | undefined;
  /** @default the system clock */
  readonly clock?: (Pick<Clock, 'now'> & Partial<Clock>) | undefined;
  /**
   * Slows down sources that present wrong keys or passwords (rule K14). It never delays a valid key.
   * @default ten failures are free, then 1 s, doubling to 1 min
   */
  readonly throttle?: FailureThrottle | undefined;
  /**
   * The source of a request: failures slow down their source, and password checks take turns by source (rule K14).
   * Behind a proxy every request has the proxy's address: read the client's from a header that your proxy sets, and
   * only then.
   * @default the address of the request's socket
   */
  readonly clientAddress?: ((request: Request, env: unknown) => string) | undefined;
  /** Called for every refused authentication, with the reason and the key's public id (rule K9). */
  readonly onAuthenticationFailure?: ((failure: AuthenticationFailure) => void) | undefined;
  /**
   * Called for unexpected failures, for which the client got a plain 500; and once, when `x-forwarded-for` arrives
   * although `clientAddress` is not set.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const leastSecretBytes = 32;

const schema = optionsOf({
  apiKeys: option<ApiKeys>(
    (value) => typeof (value as ApiKeys)?.verify === 'function',
    'must be what `openApiKeys` returned',
  ),
  users: withMethods<AdminOptions['users']>('findById', 'findByUsername'),
  edition: nameOrFunction<AdminOptions['edition']>('an edition'),
  basePath: readBy(readBasePath).default(''),
  sessionSecret: readBy(readSecret).default(() => randomBytes(leastSecretBytes)),
  mcpTools: mcpToolsOption.optional(),
  allowedHosts: allowedHostsOption.optional(),
  mcpSessionIdleMs: duration({ least: 1 }).optional(),
  sections: sectionsOption.optional(),
  clock: withMethods<NonNullable<AdminOptions['clock']>>('now').optional(),
  throttle: withMethods<FailureThrottle>('failed', 'retryAfterMs').optional(),
  clientAddress: functionOf<NonNullable<AdminOptions['clientAddress']>>().optional(),
  onAuthenticationFailure: functionOf<NonNullable<AdminOptions['onAuthenticationFailure']>>().optional(),
  onError: functionOf<NonNullable<AdminOptions['onError']>>().optional(),
} satisfies ShapeOf<AdminOptions>);

/** @throws TypeError naming the options that are wrong */
export function readOptions(options: AdminOptions): AdminContext {
  const { apiKeys, users, edition, basePath, sessionSecret, ...rest } = checkOptions(schema, options);
  const onError = quiet(rest.onError);
  const clock = readClock(rest.clock);
  return {
    apiKeys,
    users,
    edition: (lookups) => lookups.findEdition(edition),
    isAvailable: async (lookups) =>
      hasApiKeys(await lookups.findEdition(edition)) && (await apiKeys.isAvailable(lookups)),
    basePath,
    clock,
    sessionSecret,
    // The objects as given: a section may be an instance of a class.
    sections: [...(options.sections ?? [])],
    throttle: rest.throttle ?? createFailureThrottle({ clock, freeFailures: 10 }),
    clientAddress: rest.clientAddress ?? withProxyWarning(onError),
    passwords: createPasswordChecks(clock),
    authenticationFailed: quiet(rest.onAuthenticationFailure, onError),
    onError,
  };
}

function readBasePath(basePath: unknown): string {
  if (basePath === '' || basePath === '/') return '';
  if (
    typeof basePath !== 'string' ||
    !/^(?:\/[A-Za-z0-9._~-]+)+\/?$/.test(basePath) ||
    /\/\.{1,2}(?:\/|$)/.test(basePath)
  ) {
    throw new TypeError('must be a path such as `/admin`');
  }
  return basePath.replace(/\/$/, '');
}

function readSecret(secret: unknown): Uint8Array {
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret;
  if (bytes instanceof Uint8Array && bytes.length >= leastSecretBytes) return bytes;
  throw new TypeError(`must have at least ${leastSecretBytes} bytes`);
}

/**
 * The socket's address. Reports the first request that seems to come through a proxy: then all clients have one
 * address.
 */
function withProxyWarning(onError: (error: unknown) => void): AdminContext['clientAddress'] {
  let reported = false;
  return (request, env) => {
    if (!reported && request.headers.has('x-forwarded-for')) {
      reported = true;
      const message =
        'A request has `x-forwarded-for`, but `clientAddress` is not set. Behind a proxy, set it: without it all clients count as one source. Without a proxy, ignore this: anybody can send the header.';
      onError(new Error(message));
    }
    return socketAddress(request, env);
  };
}

/** A host's clock may have only `now`; waits are then measured with it, so that there is one time. */
function readClock(clock: AdminOptions['clock']): Clock {
  if (clock === undefined) return systemClock;
  return {
    now: () => clock.now(),
    monotonic: () => (clock.monotonic === undefined ? clock.now() : clock.monotonic()),
    setTimer: (delayMs, callback) =>
      clock.setTimer === undefined ? systemClock.setTimer(delayMs, callback) : clock.setTimer(delayMs, callback),
  };
}
