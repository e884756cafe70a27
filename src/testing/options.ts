import { systemClock } from '../internal/index.js';
import { checkCount, checkDuration, checkHeaderName, checkKeys, checkObject, checkOneOf, checkPath } from './check.js';
import { checkFormat } from './check-fault.js';
import type { SimulateConnectorOptions, SimulatedRateLimit, SimulatedSession } from './types.js';

const dayMs = 86_400_000;

/** The options with every default filled in. */
export type Settings = ReturnType<typeof checkOptions>;

const optionNames = [
  'rateLimit',
  'session',
  'credentials',
  'initializePath',
  'cleanupPath',
  'basePath',
  'routes',
  'resources',
  'faults',
  'onEntry',
  'clock',
];

/** Fills in the defaults once, at creation. @throws TypeError naming the option that is wrong. */
export function checkOptions(options: SimulateConnectorOptions) {
  checkKeys(checkObject(options, 'options'), optionNames, 'options');
  const { initializePath = '/initialize', cleanupPath = '/cleanup', basePath = '', credentials, onEntry } = options;
  checkPath(initializePath, 'initializePath');
  checkPath(cleanupPath, 'cleanupPath');
  if (basePath !== '') checkPath(basePath, 'basePath');
  if (credentials !== undefined) checkCredentials(credentials);
  if (onEntry !== undefined && typeof onEntry !== 'function') throw new TypeError('`onEntry` must be a function.');
  return {
    rateLimit: options.rateLimit === undefined ? undefined : checkRateLimit(options.rateLimit),
    session: options.session === false ? undefined : checkSession(options.session ?? {}),
    credentials,
    initializePath,
    cleanupPath,
    basePath: basePath.replace(/\/+$/, ''),
    onEntry,
    clock: options.clock ?? systemClock,
  };
}

function checkCredentials(credentials: unknown): void {
  for (const [key, value] of Object.entries(checkObject(credentials, 'credentials'))) {
    if (typeof value !== 'string') throw new TypeError(`\`credentials\`: the value of "${key}" must be text.`);
  }
}

function checkRateLimit(rateLimit: SimulatedRateLimit): Required<SimulatedRateLimit> {
  checkKeys(
    checkObject(rateLimit, 'rateLimit'),
    ['limit', 'windowMs', 'header', 'format', 'window', 'scope', 'announce'],
    'rateLimit',
  );
  const { limit, windowMs, header = 'Retry-After', format = 'seconds', window = 'fixed', scope = 'global' } = rateLimit;
  const { announce = false } = rateLimit;
  checkCount(limit, 1, 'rateLimit.limit');
  checkDuration(windowMs, 'rateLimit.windowMs', 1);
  checkHeaderName(header, 'rateLimit.header');
  checkFormat(format, 'rateLimit.format');
  checkOneOf(window, ['fixed', 'sliding'], 'rateLimit.window');
  checkOneOf(scope, ['global', 'session'], 'rateLimit.scope');
  if (announce !== false) checkAnnounce(announce, windowMs);
  return { limit, windowMs, header, format, window, scope, announce };
}

function checkAnnounce(announce: unknown, windowMs: number): void {
  checkOneOf(announce, ['policy', 'both'], 'rateLimit.announce');
  if (windowMs <= dayMs) return;
  throw new TypeError('`rateLimit.announce` needs a `windowMs` of a day at most: nobody reads a longer one (rule W8).');
}

function checkSession(session: SimulatedSession): SimulatedSession & { header: string } {
  checkKeys(
    checkObject(session, 'session'),
    ['header', 'ttlMs', 'maxRequests', 'refuseFreshMs', 'refuseFreshRequests'],
    'session',
  );
  const { header = 'x-session', ttlMs, maxRequests, refuseFreshMs, refuseFreshRequests } = session;
  checkHeaderName(header, 'session.header');
  if (ttlMs !== undefined) checkDuration(ttlMs, 'session.ttlMs', 1);
  if (maxRequests !== undefined) checkCount(maxRequests, 1, 'session.maxRequests');
  if (refuseFreshMs !== undefined) checkDuration(refuseFreshMs, 'session.refuseFreshMs');
  if (refuseFreshRequests !== undefined) checkCount(refuseFreshRequests, 0, 'session.refuseFreshRequests');
  return { ...session, header };
}
