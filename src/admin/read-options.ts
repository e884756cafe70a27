import { randomBytes } from 'node:crypto';
import {
  type ApiKeys,
  createFailureThrottle,
  type FailureThrottle,
  hasApiKeys,
  RequestLookups,
} from '../api-keys/index.js';
import {
  bool,
  checkOptions,
  completeClock,
  duration,
  functionOf,
  nameOrFunction,
  oneOf,
  option,
  optionsOf,
  quiet,
  readBy,
  type ShapeOf,
  timeLimit,
  withMethods,
} from '../internal/index.js';
import { createPasswordChecks } from './authentication/check-password.js';
import { brandingOption } from './branding.js';
import type { AdminContext, HostSignIn } from './context.js';
import { socketAddress } from './http/request.js';
import { allowedHostsOption } from './mcp/allowed-hosts.js';
import { mcpToolsOption } from './mcp/host-tools.js';
import type { AdminOptions } from './options.js';
import { ownNames, sectionsOption } from './sections.js';
import { textsOption } from './ui/texts/texts-option.js';

const leastSecretBytes = 32;
const ownPaths: readonly string[] = [...ownNames.map((name) => `/${name}`), '/api/v1', '/api/v1/api-keys'];

const schema = optionsOf({
  apiKeys: option<ApiKeys>(
    (value) => typeof (value as ApiKeys)?.verify === 'function',
    'must be what `openApiKeys` returned',
  ),
  users: withMethods<AdminOptions['users']>('findById', 'findByUsername'),
  edition: nameOrFunction<AdminOptions['edition']>('an edition'),
  lookUpTimeoutMs: timeLimit.optional(),
  basePath: readBy(readBasePath).default(''),
  publicUrl: readBy(readPublicUrl).optional(),
  authenticate: functionOf<NonNullable<AdminOptions['authenticate']>>().optional(),
  signInUrl: option<NonNullable<AdminOptions['signInUrl']>>(
    (value) => typeof value === 'function' || isAddress(value),
    'must be the address of a page, or a function that returns it',
  ).optional(),
  signOutUrl: option<string>(isAddress, 'must be the address of a page', true).optional(),
  verifyPassword: functionOf<NonNullable<AdminOptions['verifyPassword']>>().optional(),
  sessionSecret: readBy(readSecret).default(() => randomBytes(leastSecretBytes)),
  texts: textsOption.optional(),
  branding: brandingOption.prefault({}),
  mcpKeyTools: oneOf(['none', 'read-only', 'all']).default('read-only'),
  mcpTools: mcpToolsOption.optional(),
  allowedHosts: allowedHostsOption.optional(),
  mcpStateless: bool.optional(),
  mcpSessionIdleMs: duration({ least: 1 }).optional(),
  sections: sectionsOption.optional(),
  clock: withMethods<NonNullable<AdminOptions['clock']>>('now').optional(),
  throttle: withMethods<FailureThrottle>('failed', 'retryAfterMs').optional(),
  clientAddress: functionOf<NonNullable<AdminOptions['clientAddress']>>().optional(),
  onAuthenticationFailure: functionOf<NonNullable<AdminOptions['onAuthenticationFailure']>>().optional(),
  onAccess: functionOf<NonNullable<AdminOptions['onAccess']>>().optional(),
  onError: functionOf<NonNullable<AdminOptions['onError']>>().optional(),
} satisfies ShapeOf<AdminOptions>);

/** @throws TypeError naming the options that are wrong */
export function readOptions(options: AdminOptions): AdminContext {
  const { apiKeys, users, edition, basePath, sessionSecret, ...rest } = checkOptions(schema, options);
  const [first] = basePath.slice(1).split('/');
  if (options.sections?.some(({ name }) => name === first)) {
    throw new TypeError(`\`basePath\` must not begin with the name of a section: \`${first}\`.`);
  }
  const { clientAddress = socketAddress } = rest;
  const onError = quiet(rest.onError);
  const onAccess = quiet(rest.onAccess, onError);
  const clock = completeClock(rest.clock);
  return {
    apiKeys,
    users,
    edition: (lookups) => lookups.findEdition(edition),
    isAvailable: async (lookups) =>
      (await apiKeys.isAvailable(lookups)) && hasApiKeys(await lookups.findEdition(edition)),
    basePath,
    publicUrl: rest.publicUrl,
    clock,
    newLookups: () => new RequestLookups({ timeoutMs: rest.lookUpTimeoutMs, clock }),
    hostSignIn: readHostSignIn(rest),
    verifyPassword: rest.verifyPassword,
    sessionSecret,
    branding: rest.branding,
    mcpKeyTools: rest.mcpKeyTools,
    texts: rest.texts ?? {},
    // The objects as given: a section may be an instance of a class.
    sections: [...(options.sections ?? [])],
    throttle: rest.throttle ?? createFailureThrottle({ clock, freeFailures: 10 }),
    clientAddress: (request, env) => clientAddress(request, env) ?? '',
    passwords: createPasswordChecks(clock),
    authenticationFailed: quiet(rest.onAuthenticationFailure, onError),
    accessed: ({ user, apiKeyId, address }, what) =>
      onAccess({ userId: user.id, ...(apiKeyId !== undefined && { apiKeyId }), ...what }, address),
    onError,
  };
}

function readHostSignIn({
  authenticate,
  signInUrl,
  signOutUrl,
}: Pick<AdminOptions, 'authenticate' | 'signInUrl' | 'signOutUrl'>): HostSignIn | undefined {
  if (authenticate !== undefined) {
    const urlFor = (returnTo: string) => (typeof signInUrl === 'function' ? signInUrl(returnTo) : signInUrl);
    return { authenticate, urlFor, signOutUrl };
  }
  if (signInUrl === undefined && signOutUrl === undefined) return undefined;
  throw new TypeError('`authenticate` is needed with `signInUrl` and `signOutUrl`.');
}

/** A path, or a whole address; never `javascript:`. */
function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^(?:\/|https?:\/\/)/.test(value);
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
  const path = basePath.replace(/\/$/, '');
  if (ownPaths.includes(path)) {
    throw new TypeError(`must be another path: the administration uses \`${path}\` itself`);
  }
  return path;
}

function readPublicUrl(value: unknown): URL {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new TypeError('must be an origin such as `https://example.com`');
  }
  return url;
}

function readSecret(secret: unknown): Uint8Array {
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret;
  if (bytes instanceof Uint8Array && bytes.length >= leastSecretBytes) return bytes;
  throw new TypeError(`must have at least ${leastSecretBytes} bytes`);
}
