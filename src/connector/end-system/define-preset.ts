import * as z from 'zod';
import { errorTable, headerNameOption as header, waitFormats } from '../../contract/index.js';
import {
  anyObject,
  bool,
  checkOptions,
  duration,
  functionOf,
  oneOf,
  option,
  optionsOf,
  type ShapeOf,
  statusFrom,
  text,
} from '../../internal/index.js';
import type {
  BodyCondition,
  BodyPath,
  CountReading,
  Match,
  Preset,
  PresetRule,
  QuotaSource,
  WaitBucket,
  WaitSource,
} from './preset.js';
import { presets } from './presets/index.js';

const path = option<BodyPath>(isPath, 'must be a path into the body');
const paths = option<readonly BodyPath[]>(
  (all) => Array.isArray(all) && all.every(isPath),
  'must hold paths into the body',
);
const match = option<Match>(
  (value) => value === true || typeof value === 'string' || value instanceof RegExp,
  'must be true, a text or a pattern',
);
const statuses = option<readonly number[]>(
  (all) => z.array(statusFrom(100)).safeParse(all).success,
  'must be an array of HTTP statuses',
);

/** For a place that may lead to what is wanted, and for one where it must not be. */
const conditionOf = <Wanted extends z.ZodType>(matches: Wanted) =>
  optionsOf({ path, matches } satisfies ShapeOf<BodyCondition>);
const condition = conditionOf(z.union([match, z.literal(false)], { error: 'must be a boolean, a text or a pattern' }));

// With these flags a pattern keeps its position, and would skip every second response.
const pattern = option<RegExp>(
  (pattern) => pattern instanceof RegExp && !/[gy]/.test(pattern.flags),
  'must be a pattern without the flags g and y',
).optional();
const readingShape = {
  unit: oneOf([...waitFormats, 'guess']),
  pattern,
  marginMs: duration().optional(),
};
const reading = optionsOf({ header, ...readingShape });
const count = z.union([header, optionsOf({ header, pattern } satisfies ShapeOf<CountReading>)], {
  error: 'must be the name of a header, or a header and a pattern',
});
const bucket = optionsOf({
  cost: path,
  available: path,
  restorePerSecond: path,
} satisfies ShapeOf<WaitBucket>);

const oneSource = 'must have one of `header`, `body` and `bucket`, or be a function';
const source = z.union(
  [
    functionOf<Extract<WaitSource, (...args: never) => unknown>>(),
    optionsOf({
      header: header.optional(),
      body: path.optional(),
      bucket: bucket.optional(),
      ...readingShape,
      unit: readingShape.unit.optional(),
    }).superRefine((given, context) => {
      const sources = [given.header, given.body, given.bucket].filter((place) => place !== undefined);
      if (sources.length !== 1) context.addIssue({ code: 'custom', message: oneSource });
      else if ((given.bucket === undefined) === (given.unit === undefined)) {
        const message = given.unit === undefined ? 'is missing' : 'has no meaning for a bucket';
        context.addIssue({ code: 'custom', message, path: ['unit'] });
      }
    }),
  ],
  { error: oneSource },
);

const list = <Item extends z.ZodType>(item: Item) => z.array(item, { error: 'must be an array' });

const rule = optionsOf({
  when: optionsOf({
    status: statuses.optional(),
    headers: z.record(z.string(), match).optional(),
    body: z.union([condition, list(condition)], { error: 'must be a condition, or several' }).optional(),
  } satisfies ShapeOf<PresetRule['when']>),
  is: oneOf(Object.keys(errorTable)),
  status: statusFrom(400).optional(),
  code: text.optional(),
  wait: list(source).optional(),
  fallbackWaitMs: duration().optional(),
  leastWaitMs: duration().optional(),
} satisfies ShapeOf<PresetRule>).refine(({ is, status }) => status === undefined || is === 'other', {
  message: 'is only for what `is` other',
  path: ['status'],
});

const schema = optionsOf({
  name: option<string>((name) => typeof name === 'string' && name !== '', 'must be a non-empty string'),
  extends: z.custom<Preset['extends']>().optional(),
  body: oneOf(['json', 'soap']).optional(),
  rules: list(rule).optional(),
  code: list(z.union([path, conditionOf(match)], { error: 'must be a path into the body' })).optional(),
  message: paths.optional(),
  clean: functionOf<NonNullable<Preset['clean']>>().optional(),
  detail: bool.optional(),
  quota: list(
    optionsOf({
      when: z.record(z.string(), match).optional(),
      remaining: count,
      limit: count.optional(),
      reset: reading.optional(),
      window: z.union([duration(), reading], { error: 'must be a number of milliseconds, or a header' }).optional(),
    } satisfies ShapeOf<QuotaSource>),
  ).optional(),
} satisfies ShapeOf<Partial<Preset>>);

/**
 * Checks a preset for {@link endSystemFetch}, and joins it with the one that it extends. Only `name` is required.
 *
 * @throws TypeError naming what is wrong, such as `rules[2].when.status`.
 * @example
 * const ledger = definePreset({
 *   name: 'ledger',
 *   code: ['fault.id'],
 *   message: ['fault.text'],
 *   rules: [
 *     {
 *       when: { status: [403], body: { path: 'fault.id', matches: 'QUOTA' } },
 *       is: 'rate-limit',
 *       wait: [{ header: 'x-quota-reset', unit: 'epoch-seconds' }],
 *     },
 *   ],
 * })
 */
export function definePreset(preset: Pick<Preset, 'name'> & Partial<Preset>): Preset {
  checkOptions(anyObject(), preset, 'preset');
  checkOptions(schema, preset);
  const { extends: parent, rules = [], ...rest } = preset;
  const own = { ...rest, rules };
  if (parent === undefined) return Object.freeze(own);
  const base = choosePreset(parent, 'extends');
  return Object.freeze({
    name: own.name,
    body: own.body ?? base.body,
    rules: [...own.rules, ...base.rules],
    code: [...(own.code ?? []), ...(base.code ?? [])],
    message: [...(own.message ?? []), ...(base.message ?? [])],
    clean: own.clean ?? base.clean,
    detail: own.detail ?? base.detail,
    quota: [...(own.quota ?? []), ...(base.quota ?? [])],
  });
}

/** @throws TypeError naming the option; for a name that there is not, it lists those there are. */
export function choosePreset(preset: unknown, option: string): Preset {
  if (typeof preset === 'object' && preset !== null) return definePreset(preset as Preset);
  if (Object.hasOwn(presets, preset as PropertyKey)) return presets[preset as keyof typeof presets];
  throw new TypeError(`\`${option}\` must be one of ${Object.keys(presets).join(', ')}, or made by \`definePreset\`.`);
}

function isPath(path: unknown): boolean {
  return (typeof path === 'string' && path !== '') || (Array.isArray(path) && path.length > 0);
}
