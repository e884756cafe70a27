import fc from 'fast-check';
import { headerForms } from './presenting.js';
import type { Process } from './world.js';

/** An expiry, in relation to the clock of the process at that moment. */
export type Expiry =
  | { readonly inMs: number; readonly as: 'date' | 'z' | 'offset' }
  | { readonly inDays: number }
  | { readonly latestAnd: number }
  | { readonly raw: unknown };

type By = { readonly process: Process; readonly who: number };
type Changing = By & { readonly origin: 'UI' | 'API' | 'MCP'; readonly via: number | null; readonly lies: boolean };

/** What is presented: the value of a key (spoiled, perhaps), or something else. */
export type Credential = {
  readonly of: 'key' | 'typo' | 'forged' | 'stranger' | 'empty' | 'junk';
  readonly key: number;
};

export type Call =
  | (Changing & { readonly kind: 'create'; name: unknown; description: unknown; expiry: Expiry; owner: boolean })
  | (Changing & { readonly kind: 'update'; key: number; name: unknown; description: unknown } & {
      readonly expiry: Expiry | null;
      readonly version: number | null;
    })
  | (Changing & { readonly kind: 'revoke'; readonly key: number })
  | (Changing & { readonly kind: 'revoke-all'; readonly user: number })
  | (Changing & { readonly kind: 'delete-user'; readonly user: number; readonly removed: boolean })
  | (By & { readonly kind: 'get'; readonly key: number })
  | (By & { readonly kind: 'list'; readonly query: ListShape })
  | (By & { readonly kind: 'audits'; readonly query: AuditShape })
  | { readonly kind: 'usable'; readonly process: Process; readonly key: number }
  | {
      readonly kind: 'present';
      readonly process: Process;
      readonly first: Credential | null;
      readonly second: Credential | null;
      readonly scheme: string;
      readonly as: (typeof headerForms)[number];
      readonly twice: boolean;
      readonly basic: boolean;
      readonly agent: string | null;
      readonly address: string | null;
      readonly told: boolean;
    };

export interface ListShape {
  readonly scope?: 'my' | 'all';
  readonly createdBy?: number;
  readonly status?: 'Active' | 'Expired' | 'Revoked';
  readonly search?: string | { readonly key: number; readonly characters: number };
  readonly sort?: string;
  readonly limit?: number;
  readonly skip?: number;
  readonly total?: boolean;
}

export interface AuditShape {
  readonly scope?: 'my' | 'all';
  readonly key?: number;
  readonly revisionType?: 'Create' | 'Update' | 'Revoke';
  readonly origin?: 'UI' | 'API' | 'MCP' | 'System';
  readonly author?: number | string;
  readonly from?: Expiry;
  readonly to?: Expiry;
  readonly limit?: number;
  readonly skip?: number;
  readonly total?: boolean;
}

export type Move = { readonly byMs: number } | { readonly toExpiryOf: number; readonly offMs: number };

export type Operation =
  | Call
  | { readonly kind: 'together'; readonly calls: readonly Call[] }
  | ({ readonly kind: 'walk'; readonly process: Process; readonly who: number; readonly of: 'keys' | 'audits' } & {
      readonly query: ListShape;
      readonly limit: number;
      readonly between: readonly Call[];
    })
  | { readonly kind: 'clock'; readonly whose: Process | 'both'; readonly move: Move }
  | { readonly kind: 'edition'; readonly edition: string }
  | { readonly kind: 'trouble'; readonly trouble: 'none' | 'users' | 'edition' }
  | { readonly kind: 'person'; readonly who: number; readonly change: (typeof personChanges)[number] }
  | { readonly kind: 'reopen'; readonly process: Process }
  | { readonly kind: 'look' };

export interface Plan {
  readonly startIso: string;
  /** Look at everything only when the plan says so: a look writes what has expired (K5). */
  readonly quiet: boolean;
  readonly operations: readonly Operation[];
}

export const personChanges = [
  'disable',
  'enable',
  'grant',
  'revoke-rights',
  'near-miss',
  'super-role',
  'super-flag',
  'rename',
  'remove',
  'restore',
] as const;

const names = [
  ...['nightly export', 'Nightly export', ' nightly export ', '\u00a0nightly export\u3000', 'end\n', '\ufefffront'],
  ...[
    'caf\u00e9',
    'cafe\u0301',
    'CAF\u00c9',
    '\u212a',
    'K',
    '\u212b',
    '\u00c5',
    'A\u030a',
    '\uff2b',
    '\uac00',
    '\u1100\u1161',
  ],
  ...['x'.repeat(100), 'x'.repeat(101), ` ${'y'.repeat(100)} `, '😀'.repeat(100), '😀'.repeat(101)],
  ...['e\u0301'.repeat(100), 'e\u0301'.repeat(101), '', '   ', 'a  b', '100%', 'under_score', 'back\\slash', '=1+1'],
  ...['a\u200bb', 'a\u00adb', 'line\nbreak', 'tab\there', 'nul\u0000', '\u202eevil', '\u3164', '\u115f', 'a\u2028b'],
  ...['\ud800', 'a\u034fb', 'עברית', "it's", 'null', '1'],
];
const descriptions = [
  ...[null, undefined, '', '  ', 'Runs on build-7', 'two\nlines', 'two\r\nlines', 'd'.repeat(500), 'd'.repeat(501)],
  ...['e\u0301'.repeat(500), '\u00e9t\u00e9 50%', 'nul\u0000', 'a\u200bb'],
];
const rawTimes: unknown[] = [
  ...['', 'tomorrow', '2027-13-01', '2027-02-29', '2027-01-01T00:00:00', '2028-01-01', 'Invalid Date', '20280101'],
  ...['2027-06-01T12:00:00.5Z', '2027-06-01T12:00Z', new Date(Number.NaN), '2027-06-01T25:00:00Z', ' 2027-06-01'],
];
const second = 1000;
const hour = 3600 * second;
const day = 24 * hour;

const process_ = fc.constantFrom<Process>(0, 1);
const who = fc.oneof({ weight: 12, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.constant(5) });
const key = fc.nat(30);
const by = { process: process_, who };
const changing = {
  ...by,
  origin: fc.constantFrom('UI', 'API', 'MCP'),
  via: fc.option(fc.nat(5), { freq: 3 }),
  lies: fc.boolean(),
};
const name = fc.oneof(
  { weight: 5, arbitrary: fc.nat(40).map((n) => `key ${n}`) },
  { weight: 4, arbitrary: fc.constantFrom<unknown>(...names) },
);
const description = fc.constantFrom<unknown>(...descriptions);
const expiry: fc.Arbitrary<Expiry> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      inMs: fc.constantFrom(1, second, hour, day, 30 * day, 300 * day),
      as: fc.constantFrom('date' as const, 'z' as const, 'offset' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      inMs: fc.constantFrom(0, -1, -day, 367 * day),
      as: fc.constantFrom('date' as const, 'z' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ inDays: fc.constantFrom(0, 1, 90, 364, 365, 366, 367, -1) }) },
  { weight: 2, arbitrary: fc.record({ latestAnd: fc.constantFrom(0, 0, 1, -1) }) },
  { weight: 1, arbitrary: fc.record({ raw: fc.constantFrom<unknown>(...rawTimes) }) },
);
const credential: fc.Arbitrary<Credential> = fc.record({
  of: fc.oneof(
    { weight: 12, arbitrary: fc.constant('key' as const) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        'typo' as const,
        'forged' as const,
        'stranger' as const,
        'empty' as const,
        'junk' as const,
      ),
    },
  ),
  key,
});
const shape = <T>(model: { [K in keyof T]-?: fc.Arbitrary<NonNullable<T[K]>> }) =>
  fc.record(model, { requiredKeys: [] }) as unknown as fc.Arbitrary<T>;
const page = {
  limit: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 5 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 201, 1.5, 200) },
  ),
  skip: fc.oneof({ weight: 5, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.constantFrom(-1, 1000) }),
  total: fc.boolean(),
};
const sorts = [
  'name',
  '-name',
  'createdBy',
  '-createdBy',
  'createdOn',
  '-createdOn',
  'expiresOn',
  '-expiresOn',
  'lastAccessed',
  '-lastAccessed',
];
const listShape = shape<ListShape>({
  scope: fc.constantFrom('my', 'all', 'all'),
  createdBy: who,
  status: fc.constantFrom('Active', 'Expired', 'Revoked'),
  search: fc.oneof(
    fc.constantFrom(
      'key',
      'KEY 1',
      'ey',
      '\u00e9',
      '\u00c9t',
      '%',
      '_',
      '\\',
      'ada',
      'B',
      'export',
      'no such',
      'x',
      ' key ',
      'e\u0301',
    ),
    fc.record({ key, characters: fc.constantFrom(1, 3, 4, 7, 15, 64) }),
  ),
  sort: fc.constantFrom(...sorts),
  ...page,
});
const auditShape = shape<AuditShape>({
  scope: fc.constantFrom('my', 'all'),
  key,
  revisionType: fc.constantFrom('Create', 'Update', 'Revoke'),
  origin: fc.constantFrom('UI', 'API', 'MCP', 'System'),
  author: fc.oneof(who, fc.constantFrom('ada', 'mia', 'nobody')),
  from: expiry,
  to: expiry,
  ...page,
});

const call = (kind: Call['kind'], rest: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ kind: fc.constant(kind), ...rest }) as unknown as fc.Arbitrary<Call>;
const create = call('create', { ...changing, name, description, expiry, owner: fc.boolean() });
const update = call('update', {
  ...changing,
  key,
  name: fc.option(name, { nil: undefined }),
  description: fc.option(description, { nil: undefined }),
  expiry: fc.option(expiry),
  version: fc.option(fc.constantFrom(0, 0, 0, -1, 1), { freq: 1 }),
});
const revoke = call('revoke', { ...changing, key });
const deletion = call('delete-user', { ...changing, user: who, removed: fc.boolean() });
const use = call('present', {
  process: process_,
  first: fc.option(credential, { freq: 3 }),
  second: fc.option(credential, { freq: 1 }),
  scheme: fc.constantFrom('ApiKey', 'apikey', 'APIKEY'),
  as: fc.constantFrom(...headerForms),
  twice: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  basic: fc.boolean(),
  agent: fc.constantFrom(null, 'curl/8', 'job/1'),
  address: fc.constantFrom(null, '192.0.2.1', '2001:db8::1'),
  told: fc.boolean(),
});
const read = fc.oneof(
  call('get', { ...by, key }),
  call('list', { ...by, query: listShape }),
  call('audits', { ...by, query: auditShape }),
  call('usable', { process: process_, key }),
);
const change = fc.oneof(
  { weight: 5, arbitrary: create },
  { weight: 4, arbitrary: update },
  { weight: 3, arbitrary: revoke },
  { weight: 1, arbitrary: call('revoke-all', { ...changing, user: who }) },
  { weight: 1, arbitrary: deletion },
);
const any = fc.oneof({ weight: 3, arbitrary: change }, { weight: 1, arbitrary: use }, { weight: 1, arbitrary: read });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: create },
  { weight: 5, arbitrary: update },
  { weight: 2, arbitrary: revoke },
  { weight: 1, arbitrary: call('revoke-all', { ...changing, user: who }) },
  { weight: 1, arbitrary: deletion },
  { weight: 6, arbitrary: use },
  { weight: 4, arbitrary: read },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('together' as const),
      calls: fc.array(any, { minLength: 2, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('walk' as const),
      ...by,
      of: fc.constantFrom('keys' as const, 'audits' as const),
      query: listShape,
      limit: fc.integer({ min: 1, max: 3 }),
      between: fc.array(fc.oneof(change, use), { maxLength: 4 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      whose: fc.constantFrom<Process | 'both'>(0, 1, 'both', 'both', 'both'),
      move: fc.oneof(
        fc.record({ byMs: fc.constantFrom(1, second, hour, day, 31 * day, 366 * day, -1, -hour, -day, -400 * day) }),
        fc.record({ toExpiryOf: key, offMs: fc.constantFrom(-1, 0, 1) }),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('edition' as const),
      edition: fc.constantFrom('Basic', 'Professional', 'Ultimate', 'professional'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('trouble' as const),
      trouble: fc.constantFrom('none' as const, 'none' as const, 'users' as const, 'edition' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('person' as const), who, change: fc.constantFrom(...personChanges) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const), process: process_ }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'look' as const }) },
);

/** Random plans, which fast-check shrinks. */
export const plans: fc.Arbitrary<Plan> = fc.record({
  startIso: fc.constantFrom(
    ...['2026-11-24T10:05:00.000Z', '2027-02-28T23:59:59.999Z', '2028-02-29T00:00:00.000Z', '2027-12-31T23:59:59.000Z'],
    '2027-03-01T00:00:00.000Z',
  ),
  quiet: fc.boolean(),
  operations: fc.array(operation, { minLength: 1, maxLength: 40, size: 'max' }),
});
