import * as z from 'zod';
import { headerNameOption } from '../contract/index.js';
import {
  anyObject,
  type Clock,
  checkOptions as check,
  count,
  dayMs,
  duration,
  functionOf,
  oneOf,
  option,
  optionsOf,
  readBy,
  routePath,
  type ShapeOf,
  systemClock,
  texts,
  withMethods,
  withoutTrailingSlashes,
} from '../internal/index.js';
import { delayOption, limitFormat } from './faults/fault-schema.js';
import { routeOption } from './faults/plan.js';
import { recordingSchema } from './recording.js';
import { copyPlain } from './routes/resource.js';
import type { SimulateConnectorOptions, SimulatedRateLimit, SimulatedSession } from './types.js';

type Resources = NonNullable<SimulateConnectorOptions['resources']>;
type Routes = NonNullable<SimulateConnectorOptions['routes']>;

const rateLimit = optionsOf({
  on: routeOption.optional(),
  limit: option<SimulatedRateLimit['limit']>(
    (value) => typeof value === 'function' || count(1).safeParse(value).success,
    'must be a whole number, 1 or more, or a function that returns one',
  ),
  windowMs: duration({ least: 1 }),
  header: headerNameOption.default('Retry-After'),
  format: limitFormat.default('seconds'),
  window: oneOf(['fixed', 'sliding']).default('fixed'),
  scope: oneOf(['global', 'session']).default('global'),
  announce: z
    .union([z.literal(false), oneOf(['policy', 'both'])], { error: "must be false, 'policy' or 'both'" })
    .default(false),
} satisfies ShapeOf<SimulatedRateLimit>).refine(({ announce, windowMs }) => announce === false || windowMs <= dayMs, {
  path: ['announce'],
  error: 'needs a `windowMs` of a day at most: nobody reads a longer one (rule W8)',
});

const session = optionsOf({
  header: headerNameOption.optional(),
  ttlMs: duration({ least: 1 }).optional(),
  maxRequests: count(1).optional(),
  refuseFreshMs: duration().optional(),
  refuseFreshRequests: count(0).optional(),
} satisfies ShapeOf<SimulatedSession>);

/** As a URL has it, percent-encoded: requests' paths are compared with it. */
const requestPath = routePath.transform((path) => new URL(`http://connector${path}`).pathname);

const schema = optionsOf({
  rateLimit: z.union([z.array(rateLimit), rateLimit.transform((one) => [one])]).default([]),
  session: z.union([z.literal(false), session], { error: 'must be an object, or false' }).optional(),
  recording: recordingSchema.optional(),
  credentials: texts.optional(),
  login: oneOf(['simulated', 'routes']).default('simulated'),
  initializePath: requestPath.optional(),
  cleanupPath: requestPath.default('/cleanup'),
  basePath: z.union([z.literal(''), requestPath], { error: 'must be a path that starts with "/"' }).default(''),
  // What they hold is checked where it is read.
  routes: z.union([functionOf<Routes>(), anyObject<Routes>()], { error: 'must be an object or a function' }).optional(),
  resources: anyObject<unknown>()
    .pipe(readBy((given) => copyPlain(given as Resources))) // what `reset()` goes back to
    .optional(),
  faults: option<NonNullable<SimulateConnectorOptions['faults']>>(
    (value) => Array.isArray(value) || typeof value === 'function',
    'must be an array of rules, or a function',
  ).default([]),
  latency: delayOption.default(0),
  seed: count(0).default(1),
  maxJournalEntries: count(0).default(Number.MAX_SAFE_INTEGER),
  onEntry: functionOf<NonNullable<SimulateConnectorOptions['onEntry']>>().optional(),
  clock: withMethods<Clock>('now', 'monotonic', 'setTimer').default(() => systemClock),
} satisfies ShapeOf<SimulateConnectorOptions>);

export type Settings = ReturnType<typeof checkOptions>;

/** Fills in the defaults once, at creation. @throws TypeError naming the options that are wrong. */
export function checkOptions(options: SimulateConnectorOptions) {
  const settings = check(schema, options);
  const { recording } = settings;
  const session = settings.session ?? (recording?.initialize === null ? false : {});
  return {
    ...settings,
    initializePath: settings.initializePath ?? recording?.initialize?.path ?? '/initialize',
    session:
      session === false
        ? undefined
        : { ...session, header: session.header ?? recording?.initialize?.session[0] ?? 'x-session' },
    basePath: withoutTrailingSlashes(settings.basePath),
  };
}
