import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { formatCurrent, formatPolicy, parseQuota } from '../../src/contract/index.js';
import type { FuzzTarget } from './fuzz-target.js';
import { announcedQuota } from './quota-oracle.js';
import { long, mutated, text, weighted } from './texts.js';

export interface QuotaCase {
  readonly policy: string | undefined;
  readonly current: string | undefined;
  /** An announcement of our own, to be written and read again. */
  readonly own: { readonly name: string; readonly limit: number; readonly windowMs: number };
}

const name = fc.oneof(
  fc.constantFrom('"default"', '"a"', 'burst', '"b\\"c"', '"per hour"', '"a,b;q=9"', '""'),
  fc.string({ unit: fc.constantFrom(...'abz09 _-'), maxLength: 5 }).map((characters) => `"${characters}"`),
);
const number = fc.oneof(
  fc.nat({ max: 100_000 }).map(String),
  fc.constantFrom('0', '-1', '-0', '1.5', '60.0', '86400', '86401', '999999999999999', '1000000000000000', '01'),
);
const value = weighted<string>(
  [8, number],
  [1, fc.constantFrom('"5"', 'soon', '?1', ':YQ==:', '@17', '"requests"', 'requests', '"content-bytes"')],
);
const parameter = fc
  .tuple(fc.constantFrom('q', 'w', 'r', 't', 'qu', 'pk', 'acme-note', 'Q'), value)
  .map(([key, written]) => `${key}=${written}`);
const itemOf = (keys: readonly string[]) =>
  fc
    .tuple(name, ...keys.map((key) => weighted<string>([9, number], [1, value]).map((written) => `${key}=${written}`)))
    .map((parts) => parts.join(';'));
const ordinary = (keys: readonly string[]) =>
  weighted<string>(
    [6, itemOf(keys)],
    [
      2,
      fc
        .tuple(itemOf(keys), fc.constantFrom('qu="requests"', 'qu="content-bytes"', 'pk=:YQ==:'))
        .map((p) => p.join(';')),
    ],
    [2, fc.tuple(name, fc.array(parameter, { maxLength: 4 })).map(([first, rest]) => [first, ...rest].join(';'))],
  );
const listOf = (keys: readonly string[]) =>
  fc
    .tuple(fc.array(ordinary(keys), { minLength: 1, maxLength: 20 }), fc.constantFrom(',', ', ', ' ,\t'))
    .map(([items, comma]) => items.join(comma));
const pieces = fc.oneof(fc.constantFrom('"', ';', ',', '"a";q=1;w=1,', ';q=1', '\\"', ':', '(', '1', ' '), text);
const header = (keys: readonly string[]) =>
  weighted<string | undefined>(
    [8, mutated(listOf(keys))],
    [2, ordinary(keys)],
    [2, text],
    [1, long(pieces)],
    [1, fc.constant(undefined)],
  );

export const quotaHeaders: FuzzTarget<QuotaCase, typeof parseQuota> = {
  name: 'quota-headers',
  cases: fc.record({
    policy: header(['q', 'w']),
    current: header(['r', 't']),
    own: fc.record({
      name: fc.string({ unit: fc.constantFrom(...' !"#;,=\\az'), minLength: 1, maxLength: 8 }),
      limit: fc.integer({ min: 1 }),
      windowMs: fc.integer({ min: 1, max: 86_400_000 }),
    }),
  }),
  open: async () => ({ reader: parseQuota }),
  judge(read, { policy, current, own }) {
    const result = read({ policy, current });
    const shown = `It answered ${JSON.stringify(result)}`;
    for (const { name, limit, windowMs } of result.policies) {
      if (
        !(Number.isInteger(limit) && limit >= 1 && windowMs >= 1 && windowMs <= 86_400_000) ||
        typeof name !== 'string'
      ) {
        return `${shown}, which is no policy`;
      }
    }
    for (const { left, resetMs = 0 } of result.current) {
      const isTime = Number.isInteger(resetMs) && resetMs >= 0 && resetMs <= 86_400_000;
      if (!(Number.isInteger(left) && left >= 0 && isTime)) return `${shown}, which is nothing that is left`;
    }
    if (Math.max(result.policies.length, result.current.length) > 16) return `${shown}: more than 16 items`;
    const expected = announcedQuota(policy, current);
    if (expected !== undefined && !isDeepStrictEqual(result, expected)) {
      return `${shown}; rule W8 makes it ${JSON.stringify(expected)}`;
    }
    return judgeOwn(read, own);
  },
  defects: {
    'takes quotas of other units': (read) => (given) =>
      read({ ...given, policy: given.policy?.replaceAll('qu=', 'x=') }),
    'reads the first item only': (read) => (given) => {
      const { policies, current } = read(given);
      return { policies: policies.slice(0, 1), current: current.slice(0, 1) };
    },
    'drops everything for one bad item': (read) => (given) => {
      const result = read(given);
      const items = given.policy?.split(',').length ?? 0;
      return result.policies.length < items ? { ...result, policies: [] } : result;
    },
    'takes a negative rest': (read) => (given) => read({ ...given, current: given.current?.replaceAll('r=-', 'r=') }),
    'reads a window in milliseconds': (read) => (given) => {
      const { policies, current } = read(given);
      return { policies: policies.map((policy) => ({ ...policy, windowMs: policy.windowMs / 1000 })), current };
    },
    'throws for what is no list': (read) => (given) => {
      if (given.policy?.endsWith('"')) throw new Error('a list');
      return read(given);
    },
  },
};

/** What we write, we read: never a shorter window, never more that is left. */
function judgeOwn(read: typeof parseQuota, own: QuotaCase['own']): string | undefined {
  const policy = formatPolicy(own);
  const current = formatCurrent({ name: own.name, left: own.limit, resetMs: own.windowMs });
  const [again, left] = [read({ policy }).policies[0], read({ current }).current[0]];
  const windowMs = Math.ceil(own.windowMs / 1000) * 1000;
  if (isDeepStrictEqual(again, { ...own, windowMs }) && left?.left === own.limit && left.resetMs === windowMs)
    return undefined;
  return `Our own ${policy} and ${current} are read as ${JSON.stringify([again, left])}`;
}
