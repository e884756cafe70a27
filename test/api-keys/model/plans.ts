import fc from 'fast-check';
import { badDescriptions, goodDescriptions, names, searches, times } from './awkward-values.js';
import {
  type AuditShape,
  type Call,
  type Credential,
  type Expiry,
  type ListShape,
  type Operation,
  ownerOfKey,
  type Plan,
  personChanges,
} from './operations.js';
import { headerForms } from './presenting.js';
import type { Process } from './world.js';

const second = 1000;
const hour = 3600 * second;
const day = 24 * hour;

const weighted = <T>(...choices: (readonly [number, fc.Arbitrary<T>])[]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const one = <const T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const record = (values: Record<string, fc.Arbitrary<unknown>>) => fc.record(values) as fc.Arbitrary<never>;
const shape = <T>(values: { [K in keyof T]-?: fc.Arbitrary<NonNullable<T[K]>> }) =>
  fc.record(values, { requiredKeys: [] }) as unknown as fc.Arbitrary<T>;

const process_ = one<Process>(0, 1);
const known = fc.nat(4);
const who = weighted([14, known], [1, one(5)]);
const whose = weighted([5, one(ownerOfKey)], [3, known], [1, who]);
const key = fc.nat(30);
const changing = {
  process: process_,
  who,
  origin: one('UI', 'API', 'MCP'),
  via: fc.option(fc.nat(5), { freq: 2 }),
  lies: fc.boolean(),
};

const plainName = fc.nat(40).map((n) => `key ${n}`);
const name = weighted<unknown>([5, plainName], [4, one(...names)]);
const description = weighted<unknown>([9, one(...goodDescriptions)], [1, one(...badDescriptions)]);
const form = one('date', 'z', 'offset');
const goodExpiry: fc.Arbitrary<Expiry> = weighted<Expiry>(
  [6, fc.record({ inMs: one(1, second, hour, day, 30 * day, 300 * day), as: form })],
  [2, fc.record({ inDays: one(0, 1, 90, 364) })],
  [1, fc.record({ latestAnd: one(0, -1) })],
);
const expiry = weighted<Expiry>(
  [8, goodExpiry],
  [1, fc.record({ inMs: one(0, -1, -day, 367 * day), as: form })],
  [1, fc.record({ inDays: one(365, 366, 367, -1) })],
  [1, fc.record({ latestAnd: one(1) })],
  [1, fc.record({ raw: one(...times) })],
);
const credential: fc.Arbitrary<Credential> = record({
  of: weighted<unknown>([12, one('key')], [3, one('typo', 'forged', 'stranger', 'empty', 'junk')]),
  key,
});

const page = {
  limit: weighted([6, fc.integer({ min: 1, max: 5 })], [1, one(0, 201, 1.5, 200)]),
  skip: weighted([6, fc.nat(4)], [1, one(-1, 1000)]),
  total: fc.boolean(),
};
const fields = ['name', 'createdBy', 'createdOn', 'expiresOn', 'lastAccessed'];
const filters = {
  scope: one('my', 'all', 'all'),
  createdBy: who,
  status: one('Active', 'Expired', 'Revoked'),
  search: weighted<string | { key: number; characters: number }>(
    [3, one(...searches)],
    [1, fc.record({ key, characters: one(1, 3, 4, 7, 12, 15, 64) })],
  ),
  sort: one(...fields, ...fields.map((field) => `-${field}`)),
} as const;
const listShape = shape<ListShape>({ ...filters, ...page });
const auditShape = shape<AuditShape>({
  scope: one('my', 'all'),
  key,
  revisionType: one('Create', 'Update', 'Revoke'),
  origin: one('UI', 'API', 'MCP', 'System'),
  author: weighted<number | string>([1, who], [1, one('ada', 'mia', 'nobody')]),
  from: expiry,
  to: expiry,
  ...page,
});

const call = (kind: Call['kind'], rest: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Call> =>
  record({ kind: one(kind), ...rest });
const create = call('create', { ...changing, name, description, expiry, owner: fc.boolean() });
const goodCreate = call('create', {
  ...changing,
  who: known,
  name: plainName,
  description: one(...goodDescriptions),
  expiry: goodExpiry,
  owner: one(false),
});
const update = call('update', {
  ...changing,
  who: whose,
  key,
  name: fc.option(name, { nil: undefined, freq: 2 }),
  description: fc.option(description, { nil: undefined, freq: 2 }),
  expiry: fc.option(expiry, { freq: 2 }),
  version: fc.option(one(0, 0, 0, -1, 1), { freq: 2 }),
});
const revoke = call('revoke', { ...changing, who: whose, key });
const ofUser = weighted(
  [1, call('revoke-all', { ...changing, user: who })],
  [1, call('delete-user', { ...changing, user: who, removed: fc.boolean() })],
);
const use = call('present', {
  process: process_,
  first: fc.option(credential, { freq: 4 }),
  second: fc.option(credential, { freq: 2 }),
  scheme: one('ApiKey', 'apikey', 'APIKEY'),
  as: one(...headerForms),
  twice: weighted([9, one(false)], [1, one(true)]),
  basic: fc.boolean(),
  agent: one(null, 'curl/8', 'job/1'),
  address: one(null, '192.0.2.1', '2001:db8::1'),
  told: fc.boolean(),
});
const read = weighted(
  [1, call('get', { process: process_, who: whose, key })],
  [2, call('list', { process: process_, who, query: listShape })],
  [2, call('audits', { process: process_, who, query: auditShape })],
  [1, call('usable', { process: process_, key })],
);
const change = weighted([5, create], [4, update], [3, revoke], [2, ofUser]);
const together: fc.Arbitrary<Operation> = record({
  kind: one('together'),
  calls: fc.array(weighted([3, change], [1, use], [1, read]), { minLength: 2, maxLength: 3 }),
});
/** The same change of one key, or the same name, from everywhere at once. */
const rivals: fc.Arbitrary<Operation> = weighted([1, create], [2, update], [2, revoke], [1, ofUser]).chain((rival) =>
  fc.array(record({ process: process_, who: whose }), { minLength: 1, maxLength: 2 }).map(
    (others): Operation => ({
      kind: 'together',
      calls: [rival, ...others.map((other: object) => ({ ...rival, ...other }))],
    }),
  ),
);
const walk: fc.Arbitrary<Operation> = record({
  kind: one('walk'),
  process: process_,
  who: known,
  of: weighted<unknown>([3, one('keys')], [1, one('audits')]),
  query: shape<Omit<ListShape, 'limit' | 'skip' | 'total'>>(filters),
  limit: fc.integer({ min: 1, max: 3 }),
  between: fc.array(weighted([3, change], [1, use]), { maxLength: 4 }),
});
const clock: fc.Arbitrary<Operation> = record({
  kind: one('clock'),
  whose: one<Process | 'both'>(0, 1, 'both', 'both', 'both'),
  move: weighted<unknown>(
    [3, fc.record({ byMs: one(1, second, hour, day, 31 * day, 366 * day, -1, -hour, -day, -400 * day) })],
    [2, fc.record({ toExpiryOf: key, offMs: one(-1, 0, 1) })],
  ),
});
const editions = one('Professional', 'Professional', 'Ultimate', 'Basic', 'professional');
const surroundings: fc.Arbitrary<Operation> = weighted<Operation>(
  [2, record({ kind: one('edition'), edition: editions })],
  [1, record({ kind: one('trouble'), trouble: one('none', 'none', 'none', 'users', 'edition') })],
  [4, record({ kind: one('person'), who, change: one(...personChanges, 'restore', 'restore', 'enable', 'disable') })],
  [2, record({ kind: one('reopen'), process: process_ })],
  [1, one({ kind: 'look' } as const)],
);

const operation: fc.Arbitrary<Operation> = weighted<Operation>(
  ...([
    [5, create],
    [5, update],
    [3, revoke],
    [1, ofUser],
    [6, use],
    [4, read],
    [2, together],
    [2, rivals],
  ] as const),
  ...([
    [2, walk],
    [4, clock],
    [5, surroundings],
  ] as const),
);

const starts = ['2026-11-24T10:05:00.000Z', '2027-02-28T23:59:59.999Z', '2028-02-29T00:00:00.000Z'] as const;

/** Random plans, which fast-check shrinks; half of their operations are of the given kinds, if there are any. */
export function plansAbout(kinds: readonly Operation['kind'][]): fc.Arbitrary<Plan> {
  const chosen = operation.filter(({ kind }) => kinds.includes(kind));
  return fc
    .record({
      startIso: one(...starts, '2027-12-31T23:59:59.000Z', '2027-03-01T00:00:00.000Z'),
      quiet: fc.boolean(),
      first: fc.array(goodCreate, { maxLength: 6, size: 'max' }),
      rest: fc.array(kinds.length === 0 ? operation : weighted([1, operation], [1, chosen]), {
        minLength: 1,
        maxLength: 40,
        size: 'max',
      }),
    })
    .map(({ first, rest, ...plan }) => ({ ...plan, operations: [...first, ...rest] }));
}
