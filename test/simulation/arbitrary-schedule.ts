import * as fc from 'fast-check';
import { type CrowdTheme, crowdSchedules, crowdThemes, toSteadySchedule } from './crowd-schedules.js';
import type {
  CallPlan,
  ClientPlan,
  Command,
  ConnectorPlan,
  Fault,
  LoginFate,
  Quota,
  Schedule,
  SessionPlan,
  WaitStyle,
} from './schedule.js';

/** What a family of schedules dwells on; everything else happens in it too, but less. */
export type Theme = SmallTheme | CrowdTheme;
type SmallTheme = (typeof smallThemes)[number];
/** Their schedules have few calls, and run in milliseconds. */
export const smallThemes = ['limits', 'sessions', 'faults', 'callers', 'pacing'] as const;
export const themes: readonly Theme[] = [...smallThemes, ...crowdThemes];

export const isCrowd = (theme: Theme): theme is CrowdTheme => crowdThemes.some((crowd) => crowd === theme);

const ms = (max: number, min = 0) => fc.integer({ min, max });

/** Several of a kind, most of them the ordinary one. */
function mostly<T>(ordinary: T, others: fc.Arbitrary<T>, weight: number) {
  return fc.oneof({ arbitrary: fc.constant(ordinary), weight }, { arbitrary: others, weight: 1 });
}

/** There once in `weight + 1` times. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>, weight: number) => mostly<T | undefined>(undefined, arbitrary, weight);

const latency = fc.oneof({ arbitrary: ms(60, 1), weight: 4 }, { arbitrary: ms(1500, 1), weight: 1 });

const waitStyle: fc.Arbitrary<WaitStyle> = mostly<WaitStyle>(
  'exact',
  fc.constantFrom(
    'zero',
    'past',
    'date',
    'dated',
    'duplicated',
    'long',
    'huge',
    'invalid',
    'empty',
    '429',
    '429-bare',
    '503',
  ),
  2,
);

const loginFate: fc.Arbitrary<LoginFate> = fc.oneof(
  fc.record({ type: fc.constantFrom('ok', 'hang', 'reset', 'lost', 'cut', 'nonsense', 'limited') }),
  fc.record({ type: fc.constant('slow'), delayMs: ms(3000, 1) }),
  fc.record({ type: fc.constant('error'), status: fc.constantFrom(500, 503) }),
  fc.record({ type: fc.constant('refused'), status: fc.constantFrom(400, 401, 403) }),
) as fc.Arbitrary<LoginFate>;

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ type: fc.constantFrom('none', 'reset', 'lost', 'cut', 'hang', 'limited') }),
  fc.record({ type: fc.constant('error'), status: fc.constantFrom(500, 502, 503, 504) }),
  fc.record({ type: fc.constant('failed'), status: fc.constant(500) }),
  fc.record({ type: fc.constant('denied'), status: fc.constantFrom(400, 403, 404) }),
  fc.record({ type: fc.constant('unauthorized'), delayMs: ms(4000, 1) }),
) as fc.Arbitrary<Fault>;

const quota: fc.Arbitrary<Quota> = fc.record({
  type: fc.constantFrom('fixed', 'sliding'),
  limit: ms(4, 1),
  windowMs: ms(6000, 300),
});

function sessionPlan(theme: Theme): fc.Arbitrary<SessionPlan> {
  const often = theme === 'sessions' ? 1 : 6;
  return fc.record({
    ttlMs: rarely(ms(6000, 500), often),
    maxRequests: rarely(ms(6, 1), often),
    refusedForMs: fc.oneof(
      { arbitrary: fc.constant(0), weight: 4 },
      { arbitrary: ms(4000, 1), weight: theme === 'sessions' ? 2 : 1 },
    ),
    single: fc.boolean(),
  });
}

function connectorPlan(theme: Theme): fc.Arbitrary<ConnectorPlan> {
  return fc.record({
    quota: theme === 'limits' ? quota : rarely(quota, 2),
    limitsLogins: fc.boolean(),
    limitsFirst: fc.boolean(),
    session: sessionPlan(theme),
    logins: fc.array(mostly<LoginFate>({ type: 'ok' }, loginFate, theme === 'sessions' ? 1 : 4), { maxLength: 4 }),
    faults: fc.array(mostly<Fault>({ type: 'none' }, fault, theme === 'faults' ? 1 : 5), { maxLength: 8 }),
    waits: fc.array(waitStyle, { minLength: 1, maxLength: 4 }),
    latenciesMs: fc.array(latency, { minLength: 1, maxLength: 4 }),
    queuesMs: fc.array(mostly(0, ms(400, 1), 3), { minLength: 1, maxLength: 3 }),
  });
}

const clientPlan: fc.Arbitrary<ClientPlan> = fc.record({
  transport: mostly<ClientPlan['transport']>('dispatcher', fc.constant('fetch'), 3),
  concurrency: fc.constantFrom(64, 1, 2, 4),
  pacing: mostly<ClientPlan['pacing']>('auto', fc.constant('off'), 2),
  retries: fc.constantFrom(0, 1, 2),
  jitterMs: fc.constantFrom(0, 100),
  timeoutMs: fc.constantFrom(5000, 1000),
  fallbackWaitMs: fc.constantFrom(1000, 400, 2500),
  maxWaitMs: fc.constantFrom(20_000, 60_000, 3000),
  maxTotalWaitMs: rarely(ms(10_000, 500), 5),
  loginTimeoutMs: fc.constantFrom(4000, 1500),
  loginCooldownMs: fc.constantFrom(3000, 1000),
  freshSessionGraceMs: fc.constantFrom(3000, 500),
  cleanup: fc.boolean(),
});

function callPlan(theme: Theme): fc.Arbitrary<CallPlan> {
  const often = theme === 'callers' ? 1 : 6;
  return fc.record({
    // Many start together: that is where the races are.
    atMs: fc.oneof(
      { arbitrary: fc.constant(0), weight: 3 },
      { arbitrary: ms(50), weight: 2 },
      { arbitrary: ms(9000), weight: 3 },
    ),
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
    body: fc.oneof(
      { arbitrary: fc.constantFrom('none', 'json'), weight: 6 },
      { arbitrary: fc.constantFrom('factory', 'stream'), weight: 1 },
    ),
    idempotent: rarely(fc.boolean(), 4),
    abortAfterMs: rarely(fc.oneof(ms(100), ms(6000)), often),
    timeoutMs: rarely(ms(2000, 20), often * 2),
    totalTimeoutMs: rarely(ms(8000, 20), often * 2),
  }) as fc.Arbitrary<CallPlan>;
}

function command(theme: Theme): fc.Arbitrary<Command> {
  const atMs = ms(9000);
  return fc.oneof(
    { arbitrary: fc.record({ atMs, type: fc.constant('expire') }), weight: theme === 'sessions' ? 4 : 2 },
    { arbitrary: fc.record({ atMs, type: fc.constant('close') }), weight: theme === 'callers' ? 2 : 1 },
    { arbitrary: fc.record({ atMs, type: fc.constant('jump'), milliseconds: ms(7_200_000, -7_200_000) }), weight: 1 },
    { arbitrary: fc.record({ atMs, type: fc.constant('quota'), limit: ms(6, 1) }), weight: 1 },
  ) as fc.Arbitrary<Command>;
}

/** Answers are fast and the quota is a handful: here it can be said how many requests a window costs. */
const steadySchedule: fc.Arbitrary<Schedule> = fc
  .record({
    random: fc.nat(),
    jitterMs: fc.constantFrom(0, 100),
    concurrency: fc.constantFrom(64, 8, 3, 1),
    quota: fc.record({ type: fc.constant('fixed'), limit: ms(5, 2), windowMs: fc.constantFrom(2000, 3000, 5000) }),
    latenciesMs: fc.array(ms(80, 1), { minLength: 1, maxLength: 3 }),
    calls: ms(24, 8),
  })
  .map((plan) => toSteadySchedule({ ...plan, quota: plan.quota as Quota }));

/** Schedules of one family, small enough that a failing one can be read. */
export function arbitrarySchedule(theme: Theme): fc.Arbitrary<Schedule> {
  if (theme === 'pacing') return steadySchedule;
  if (isCrowd(theme)) return crowdSchedules[theme];
  return fc.record({
    random: fc.nat(),
    client: clientPlan,
    connector: connectorPlan(theme),
    calls: fc
      .array(callPlan(theme), { minLength: 1, maxLength: 7 })
      .map((calls) => calls.map((call) => (call.method === 'GET' ? { ...call, body: 'none' as const } : call))),
    commands: fc.array(command(theme), { maxLength: theme === 'callers' ? 3 : 2 }),
  });
}
