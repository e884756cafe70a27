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
  /** As `openApiKeys` opened them. The host closes them, after this. */
  readonly apiKeys: ApiKeys;
  /** The host's users; with `list` and `remove` the Super Admin can manage them. */
  readonly users: UserDirectory | ManagedUserDirectory;
  /** The edition, or a function that is asked at every request (rule K12). */
  readonly edition: EditionOption;
  /** Where the administration lives, such as `/admin`. @default '' */
  readonly basePath?: string | undefined;
  /** At least 32 bytes. Without it a restart signs everybody out, and several processes cannot share sessions. @default random */
  readonly sessionSecret?: Uint8Array | string | undefined;
  /** Tools of the host's own at the MCP endpoint. @default [] */
  readonly mcpTools?: readonly McpTool[] | undefined;
  /** Pages of the host's own in the administration UI, with an entry each at the top of its menu. @default [] */
  readonly sections?: readonly AdminSection[] | undefined;
  /**
   * Host names, with or without a port, under which browsers and clients reach the MCP endpoint, beside those of this
   * machine (`localhost`, `127.0.0.1`, `[::1]`): any other `Host` or `Origin` is refused, against DNS rebinding. @default []
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** An MCP session without a request or an open stream for so long is ended. @default 1800000 */
  readonly mcpSessionIdleMs?: number | undefined;
  /** @default the machine's */
  readonly clock?: (Pick<Clock, 'now'> & Partial<Clock>) | undefined;
  /**
   * Slows down sources that fail: with wrong keys, and in front of password checks (rule K14). A good key never meets it.
   * @default ten failures are free, then 1 s, doubling to 1 min
   */
  readonly throttle?: FailureThrottle | undefined;
  /**
   * Who sent a request: failures slow down their source, and password checks take turns by source (rule K14). Behind a proxy
   * every request comes from the proxy's address: take the client's from a header that your proxy sets, and only then.
   * @default the address of the request's socket
   */
  readonly clientAddress?: ((request: Request, env: unknown) => string) | undefined;
  /** Told of every refused authentication: the reason, and the key's public id (rule K9). */
  readonly onAuthenticationFailure?: ((failure: AuthenticationFailure) => void) | undefined;
  /**
   * Told of what failed unexpectedly, while the client got a plain 500; and once, when `x-forwarded-for` arrives although
   * `clientAddress` is not set.
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
  const onError = quiet(rest.onError, () => {});
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
    // Not the checked copies: a section may be an instance of a class.
    sections: [...(options.sections ?? [])],
    throttle: rest.throttle ?? createFailureThrottle({ clock, freeFailures: 10 }),
    clientAddress: rest.clientAddress ?? tellOfProxy(onError),
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

/** The socket's address; the first request that seems to come through a proxy is told, as that is then everybody's address. */
function tellOfProxy(onError: (error: unknown) => void): AdminContext['clientAddress'] {
  let told = false;
  return (request, env) => {
    if (!told && request.headers.has('x-forwarded-for')) {
      told = true;
      const message =
        'A request came with `x-forwarded-for`, and `clientAddress` is not set. Behind a proxy, all clients then count as one source: set it. Without a proxy, take no notice: anybody can send this header.';
      onError(new Error(message));
    }
    return socketAddress(request, env);
  };
}

/** A host's clock may only tell the time of day: waits are then measured with that, so that there is one time. */
function readClock(clock: AdminOptions['clock']): Clock {
  if (clock === undefined) return systemClock;
  return {
    now: () => clock.now(),
    monotonic: () => (clock.monotonic === undefined ? clock.now() : clock.monotonic()),
    setTimer: (delayMs, callback) =>
      clock.setTimer === undefined ? systemClock.setTimer(delayMs, callback) : clock.setTimer(delayMs, callback),
  };
}

/** A host's hook that fails must not turn an answer into another one. */
function quiet<Arguments extends unknown[]>(
  hook: ((...rest: Arguments) => unknown) | undefined,
  report: (error: unknown) => void,
): (...rest: Arguments) => void {
  return (...rest) => {
    try {
      const result = hook?.(...rest);
      if (result instanceof Promise) result.catch(report);
    } catch (error) {
      report(error);
    }
  };
}
