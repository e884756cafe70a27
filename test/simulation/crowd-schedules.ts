import * as fc from 'fast-check';
import type {
  CallPlan,
  ClientPlan,
  Command,
  ConnectorPlan,
  FleetPlan,
  LeasePlan,
  Quota,
  Schedule,
} from './schedule.js';

/** Themes whose schedules are crowds in front of a quota that stays to the end: each is as long as ten or twenty others. */
export const crowdThemes = [
  'crowds',
  'fleet',
  'leases',
  'reject',
  'scopes',
  'sessions-used-up',
  'snapshots',
  'announced',
] as const;
export type CrowdTheme = (typeof crowdThemes)[number];

const ms = (max: number, min = 0) => fc.integer({ min, max });

/** Many calls, a quota, and nothing else. */
export interface SteadyPlan {
  random: number;
  jitterMs: number;
  concurrency: number;
  quota: Quota | undefined;
  latenciesMs: number[];
  calls: number;
}

/** What a theme makes of it. */
export interface Changes {
  client?: Partial<ClientPlan>;
  connector?: Partial<ConnectorPlan>;
  calls?: (call: CallPlan, index: number) => CallPlan;
  commands?: Command[];
  fleet?: FleetPlan;
}

export function toSteadySchedule(plan: SteadyPlan, changes: Changes = {}): Schedule {
  const { random, jitterMs, concurrency, quota, latenciesMs, calls } = plan;
  const { calls: change = (call) => call, commands = [], fleet } = changes;
  return {
    random,
    client: {
      transport: 'dispatcher',
      concurrency,
      pacing: 'auto',
      retries: 0,
      jitterMs,
      timeoutMs: 5000,
      fallbackWaitMs: 1000,
      maxWaitMs: 60_000,
      loginTimeoutMs: 4000,
      loginCooldownMs: 1000,
      freshSessionGraceMs: 500,
      cleanup: false,
      ...changes.client,
    },
    connector: {
      quota,
      limitsLogins: false,
      limitsFirst: false,
      session: { refusedForMs: 0, single: false },
      logins: [],
      faults: [],
      waits: ['exact'],
      latenciesMs,
      queuesMs: [0],
      ...changes.connector,
    },
    calls: Array.from({ length: calls }, (_, index) => change({ atMs: 0, method: 'POST', body: 'json' }, index)),
    commands,
    ...(fleet && { fleet }),
  };
}

/** Windows of every kind; mostly a handful, so that answers are often slower than what they say. */
const quota: fc.Arbitrary<Quota> = fc.record({
  type: fc.constantFrom('fixed', 'sliding', 'begun'),
  limit: fc.oneof({ arbitrary: ms(5, 1), weight: 3 }, { arbitrary: fc.constantFrom(8, 12, 20, 40), weight: 1 }),
  windowMs: fc.constantFrom(1000, 2000, 5000),
});

/** Every tenth answer takes long, and is overtaken by many. */
const latenciesMs = fc
  .tuple(fc.array(ms(250, 50), { minLength: 9, maxLength: 9 }), ms(4000, 800))
  .map(([usual, slow]) => [...usual, slow]);

const upstreamMs: fc.Arbitrary<number[]> = fc.oneof(
  fc.constant<number[]>([0]),
  fc.array(ms(120, 1), { minLength: 1, maxLength: 3 }),
  fc.tuple(ms(60, 1), ms(60, 1), ms(900, 200)).map((all) => [...all]),
);

const commonPlan = {
  random: fc.nat(),
  jitterMs: fc.constantFrom(0, 100),
  concurrency: fc.constantFrom(64, 8, 1),
  quota,
  latenciesMs,
  upstreamMs,
};

type CommonPlan = SteadyPlan & { upstreamMs: number[] };

/** No time of the client is shorter than the slowest answer, and the quota holds to the end. */
function toCrowd({ upstreamMs, ...plan }: CommonPlan, changes: Changes = {}): Schedule {
  return toSteadySchedule(plan, {
    ...changes,
    client: { timeoutMs: 30_000, loginTimeoutMs: 30_000, maxWaitMs: 600_000, ...changes.client },
    connector: { upstreamMs, troubledExchanges: 40 * plan.calls, ...changes.connector },
  });
}

/** Who makes many calls makes them all at once, or one after the other. */
const crowds = fc
  .record({ ...commonPlan, calls: ms(200, 60), spreadMs: fc.constantFrom(0, 0, 0, 20_000) })
  .map(({ spreadMs, ...plan }) =>
    toCrowd(plan, {
      calls: (call, index) => ({ ...call, atMs: Math.floor((index * spreadMs) / plan.calls) }),
    }),
  );

/** Some time, or soon after a burst has begun. */
const moment = fc.oneof(
  fc.record({ atMs: ms(240_000), after: fc.constant(undefined) }),
  fc.record({ atMs: ms(600), after: ms(4) }),
);

function toMs(
  { atMs, after }: { atMs: number; after: number | undefined },
  bursts: readonly { atMs: number }[],
): number {
  return after === undefined ? atMs : atMs + bursts[after % bursts.length]!.atMs;
}

/** Bursts by some of the clients, with long silence between them in which sessions end. */
const fleet = fc
  .record({
    ...commonPlan,
    quota: fc.option(quota, { nil: undefined, freq: 2 }),
    calls: ms(40, 6),
    fleet: fc.record({ size: ms(4, 2), clocks: fc.constantFrom<FleetPlan['clocks'][]>('one', 'each') }),
    bursts: fc.array(fc.record({ atMs: ms(240_000), clients: fc.array(ms(3), { minLength: 1, maxLength: 4 }) }), {
      minLength: 1,
      maxLength: 5,
    }),
    ttlMs: fc.option(ms(90_000, 15_000), { nil: undefined, freq: 2 }),
    single: fc.boolean(),
    expires: fc.array(moment, { maxLength: 3 }),
    closes: fc.option(fc.record({ moment, client: ms(3) }), { nil: undefined, freq: 2 }),
  })
  .map(({ bursts, ttlMs, single, expires, closes, ...plan }) =>
    toCrowd(plan, {
      fleet: plan.fleet,
      connector: { session: { ttlMs, refusedForMs: 0, single } },
      calls(call, index) {
        const { atMs, clients } = bursts[index % bursts.length]!;
        return {
          ...call,
          atMs,
          client: clients[Math.floor(index / bursts.length) % clients.length]! % plan.fleet.size,
        };
      },
      commands: [
        ...expires.map((when): Command => ({ atMs: toMs(when, bursts), type: 'expire' })),
        ...(closes === undefined
          ? []
          : [{ atMs: toMs(closes.moment, bursts), type: 'close' as const, client: closes.client }]),
      ],
    }),
  );

/** Crowds of clients with a gate each, as processes have, and a state that leases permits: sometimes slow, rarely of no use. */
const leases = fc
  .record({
    ...commonPlan,
    calls: ms(80, 10),
    size: ms(4, 2),
    spreadMs: fc.constantFrom(0, 0, 20_000),
    leases: fc.record({
      answersMs: fc.oneof(
        fc.constant<number[]>([1]),
        fc.array(ms(50, 1), { minLength: 1, maxLength: 3 }),
        fc.tuple(ms(50, 1), ms(50, 1), ms(2000, 200)).map((all) => [...all]),
      ),
      fates: fc.oneof(
        fc.constant<LeasePlan['fates']>(['answered']),
        fc.array(fc.constantFrom<LeasePlan['fates'][number][]>('answered', 'away', 'silent', 'forgetful', 'nonsense'), {
          minLength: 2,
          maxLength: 8,
        }),
      ),
    }),
  })
  .map(({ size, spreadMs, ...plan }) =>
    toCrowd(plan, {
      fleet: { size, clocks: 'each', leases: plan.leases },
      calls: (call, index) => ({ ...call, atMs: Math.floor((index * spreadMs) / plan.calls), client: index % size }),
    }),
  );

const reject = fc
  .record({ ...commonPlan, calls: ms(40, 5) })
  .map((plan) => toCrowd(plan, { client: { onLimit: 'reject' } }));

const scopes = fc
  .record({ ...commonPlan, calls: ms(90, 20), scopes: ms(3, 2) })
  .map((plan) => toCrowd(plan, { client: { scopes: plan.scopes } }));

/** Sessions that end after a few requests, with or without a quota; some of one state for several clients. */
const usedUp = fc
  .record({
    ...commonPlan,
    quota: fc.option(quota, { nil: undefined, freq: 1 }),
    calls: ms(80, 10),
    maxRequests: ms(12, 1),
    scopes: fc.constantFrom(1, 1, 3),
    size: fc.constantFrom(1, 1, 3),
  })
  .map(({ maxRequests, scopes: count, size, ...plan }) =>
    toCrowd(plan, {
      client: { scopes: count, freshSessionGraceMs: 3000 },
      connector: { session: { maxRequests, refusedForMs: 0, single: false } },
      calls: (call, index) => ({ ...call, client: index % size }),
      ...(size > 1 && { fleet: { size, clocks: 'one' } }),
    }),
  );

const snapshots = fc
  .record({
    ...commonPlan,
    calls: ms(60, 10),
    scopes: fc.constantFrom(1, 1, 2),
    commands: fc.array(
      fc.oneof(
        fc.record({ atMs: ms(20_000), type: fc.constant('snapshot' as const) }),
        fc.record({
          atMs: ms(20_000),
          type: fc.constant('restart' as const),
          snapshot: fc.constantFrom<('before' | 'after' | 'kept')[]>('before', 'after', 'kept'),
        }),
      ),
      { minLength: 1, maxLength: 5 },
    ),
  })
  .map(({ commands, scopes: count, ...plan }) =>
    toCrowd(plan, { client: { snapshots: true, scopes: count }, commands }),
  );

const announced = fc
  .record({
    ...commonPlan,
    calls: ms(80, 20),
    announces: fc.constantFrom<NonNullable<ConnectorPlan['announces']>[]>('right', 'high', 'low', 'empty', 'nonsense'),
  })
  .map(({ announces, ...plan }) => toCrowd(plan, { connector: { announces } }));

export const crowdSchedules: { readonly [theme in CrowdTheme]: fc.Arbitrary<Schedule> } = {
  crowds,
  fleet,
  leases,
  reject,
  scopes,
  'sessions-used-up': usedUp,
  snapshots,
  announced,
};
