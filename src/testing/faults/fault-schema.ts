import * as z from 'zod';
import { headerNameOption } from '../../contract/index.js';
import {
  bool,
  checkOptions,
  count,
  duration,
  isBodyless,
  oneOf,
  option,
  optionsOf,
  type ShapeOf,
  statusFrom,
  text,
  texts,
} from '../../internal/index.js';
import type { Delay, Fault } from '../fault-types.js';
import { limitFormats } from '../wait-flaws.js';

type ShapesOf<Kinds extends { kind: string }> = {
  [Kind in Kinds['kind']]: ShapeOf<Omit<Extract<Kinds, { kind: Kind }>, 'kind'>>;
};

/** Any format of rule W4, or a flaw. */
export const limitFormat = oneOf(limitFormats);

export const delayOption = option<Delay>(
  (value) => typeof value === 'function' || duration().safeParse(value).success,
  'must be a number of milliseconds, zero or more, or a function that returns one',
);

/** @throws TypeError naming the option when its function returns no delay. */
export function drawDelay(delay: Delay | undefined, random: () => number, name: string): number {
  return typeof delay === 'function' ? checkOptions(duration(), delay(random), `${name}()`) : (delay ?? 0);
}

const headers = texts.refine(areHeaders, 'must be names and values that headers can carry');

function areHeaders(values: Readonly<Record<string, string>>): boolean {
  try {
    return Boolean(new Headers(values));
  } catch {
    return false;
  }
}

const delayed = { delayMs: delayOption.optional() };
const bodyStatus = { ...delayed, status: statusFrom(200).optional() };
const withBody = {
  ...delayed,
  status: statusFrom(200)
    .refine((status) => !isBodyless(status), 'must be the status of a response with a body')
    .optional(),
};
const mayProcess = { ...delayed, processed: bool.optional() };

const shapes = {
  status: {
    ...delayed,
    status: statusFrom(400),
    code: text.optional(),
    message: text.refine((value) => value.trim() !== '', 'must not be empty').optional(),
    detail: text.optional(),
    headers: headers.optional(),
  },
  limit: {
    ...delayed,
    waitMs: duration().optional(),
    header: headerNameOption.optional(),
    format: limitFormat.optional(),
    status: statusFrom(400).optional(),
  },
  expired: delayed,
  reset: mayProcess,
  closed: mayProcess,
  'cut-head': delayed,
  refused: delayed,
  hang: {},
  truncated: withBody,
  'never-ending': withBody,
  html: bodyStatus,
  slow: { delayMs: delayOption },
  gzip: delayed,
  huge: { ...bodyStatus, bytes: count(1).optional() },
  body: { ...bodyStatus, body: text, headers: headers.optional() },
} satisfies ShapesOf<Fault>;

/** A fault, with `more` options in the same object. */
export function faultSchema<More extends z.ZodRawShape>(more: More) {
  const kinds = Object.entries(shapes).map(([kind, shape]) => optionsOf({ kind: z.literal(kind), ...shape, ...more }));
  const schema = z.discriminatedUnion('kind', kinds as [(typeof kinds)[number]], {
    error: ({ code }) =>
      code === 'invalid_union' ? `must be one of ${Object.keys(shapes).join(', ')}` : 'must be an object with `kind`',
  });
  return schema as unknown as z.ZodType<Fault & z.output<z.ZodObject<More>>>;
}

const anyFault = faultSchema({});

/** @throws TypeError naming the option that is wrong. */
export function checkFault(value: unknown, name: string): Fault {
  return checkOptions(anyFault, value, name);
}
