import type {
  Announcement,
  CallPlan,
  ClientPlan,
  Fate,
  LoginFate,
  QuotaPlan,
  Scenario,
  SessionPlan,
  StepPlan,
} from './plan.js';
import { createRandom, type Random } from './random.js';

/** Makes the scenario of a seed: always the same one. */
export function createScenario(seed: number): Scenario {
  const random = createRandom(seed);
  const waitHeader = random.chance(0.93) ? 'x-wait' : 'retry-after';
  const quota = createQuota(random, waitHeader === 'retry-after');
  const clients = createClients(random);
  const hangs = random.chance(0.08);
  const calls = createCalls(random, clients, hangs);
  const logins = createLogins(random);
  return {
    seed,
    clients,
    calls,
    steps: createSteps(random, clients),
    logins,
    // So many windows at most, that no scenario takes long.
    ...(quota && {
      quota: { ...quota, limit: Math.max(quota.limit, Math.ceil(calls.length / mostWindows(waitHeader))) },
    }),
    session: createSession(random),
    ...withAnnouncement(random, quota),
    latency: {
      leastMs: random.pick([0, 0, 1, 3, 8]),
      spreadMs: random.pick([0, 2, 5, 15]),
      tailMs: random.pick([0, 30, 80]),
      tails: random.pick([0.02, 0.1]),
    },
    options: {
      waitHeader,
      onLimit: random.chance(0.08) ? 'reject' : 'wait',
      pacing: random.chance(0.8) ? 'auto' : 'off',
      jitterMs: random.pick([0, 100]),
      fallbackWaitMs: random.whole(40, 120),
      ...(random.chance(0.05) && { maxWaitMs: random.whole(20, 300) }),
      ...(random.chance(0.05) && { maxTotalWaitMs: random.whole(50, 1000) }),
      scoped: quota?.byScope ?? false,
      retries: random.pick([0, 1, 2, 3, 5]),
      minTimeoutMs: random.whole(1, 20),
      maxTimeoutMs: random.whole(20, 80),
      timeoutMs: hangs ? random.whole(150, 400) : 30_000,
      loginTimeoutMs: logins.includes('hang') || random.chance(0.1) ? random.whole(200, 500) : 60_000,
      loginCooldownMs: random.pick([0, 100, 1000, 30_000]),
      freshSessionGraceMs: random.pick([0, 0, 50, 3000]),
      cleanup: random.chance(0.3),
    },
  };
}

const mostWindows = (waitHeader: string) => (waitHeader === 'retry-after' ? 3 : 10);

function createQuota(random: Random, wholeSeconds: boolean): QuotaPlan | undefined {
  if (random.chance(0.15)) return undefined;
  return {
    limit: random.pick([1, 2, 3, 5, 8, 13, 20, 40]),
    windowMs: wholeSeconds ? 1000 : random.whole(50, 400),
    kind: random.pick(['fixed', 'sliding']),
    countsLogins: random.chance(0.4),
    answer: random.weighted([
      [8, 'limit-403'],
      [1, 'limit-429'],
      [1, 'limit-503'],
    ]),
    byScope: random.chance(0.12),
  };
}

function createSession(random: Random): SessionPlan {
  return random.weighted<SessionPlan>([
    [4, { late401Ms: 0 }],
    [3, { lifeMs: random.whole(60, 400), late401Ms: random.pick([0, 0, 20, 60]) }],
    [2, { lifeRequests: random.whole(3, 25), late401Ms: random.pick([0, 0, 20, 60]) }],
  ]);
}

/** The draft knows whole seconds only, so the truth is told where a window is as long, and elsewhere something near it. */
function withAnnouncement(random: Random, quota: QuotaPlan | undefined): { announcement?: Announcement } {
  if (quota === undefined || !random.chance(0.15)) return {};
  const seconds = Math.max(1, Math.round(quota.windowMs / 1000));
  const q = random.pick([quota.limit, quota.limit, quota.limit * 3, Math.ceil(quota.limit / 3)]);
  return {
    announcement: random.weighted([
      [6, { policy: `"default";q=${q};w=${seconds}`, limit: `"default";r={left};t=${seconds}` }],
      [1, { policy: `"default";q=${q};w=${seconds}, "day";q=100000;w=86400`, limit: `"day";r=99999;t=86400` }],
      [1, { policy: 'default;;q=many', limit: 'r=' }],
    ]),
  };
}

function createClients(random: Random): ClientPlan[] {
  const count = random.weighted([
    [6, 1],
    [2, 2],
    [1, 3],
  ] as const);
  const shared = random.chance(0.7);
  const concurrency = random.pick([1, 2, 4, 8, 16, 64, 64]);
  return Array.from({ length: count }, (_, index) => ({
    state: shared ? 0 : index,
    concurrency,
    transport: random.pick(['default', 'dispatcher', 'fetch']),
    countsTimers: random.chance(0.7),
  }));
}

function createCalls(random: Random, clients: readonly ClientPlan[], hangs: boolean): CallPlan[] {
  const count = random.whole(5, 60);
  // All at once, in a few bursts, or one by one with quiet times between them.
  const spreadMs = random.pick([0, 0, 100, 300, 600]);
  const bursts = random.pick([1, 2, 3, count]);
  const troubled = random.pick([0, 0.1, 0.3]);
  const unsafe = random.pick([0, 0.2, 0.6]);
  const idle = clients.length > 1 && random.chance(0.4);
  const priorities = random.chance(0.3);
  return Array.from({ length: count }, (_, id) => {
    const method = random.chance(unsafe) ? random.pick(['POST', 'PATCH'] as const) : safeMethod(random);
    const atMs = Math.round((spreadMs * Math.floor((id / count) * bursts)) / Math.max(1, bursts - 1));
    return {
      id,
      client: idle ? (id === count - 1 ? 1 : 0) : random.whole(0, clients.length - 1),
      atMs,
      method,
      path: random.chance(0.25) ? `/search/${id}` : `/items/${id}`,
      body: method === 'GET' || method === 'DELETE' ? 'none' : random.pick(['none', 'json', 'text', 'stream']),
      ...(random.chance(0.1) && { idempotent: random.chance(0.7) }),
      ...(priorities && random.chance(0.4) && { priority: random.pick([-1, 1, 5]) }),
      ...(random.chance(0.02) && { totalTimeoutMs: random.whole(50, 600) }),
      ...(random.chance(0.04) && { abortAtMs: atMs + random.whole(0, 300) }),
      fates: createFates(random, random.chance(troubled), hangs),
    };
  });
}

const safeMethod = (random: Random) =>
  random.weighted([
    [6, 'GET'],
    [1, 'PUT'],
    [1, 'DELETE'],
  ] as const);

function createFates(random: Random, troubled: boolean, hangs: boolean): Fate[] {
  if (!troubled) return ['ok'];
  const length = random.whole(1, 3);
  const fates = Array.from({ length }, () =>
    random.weighted<Fate>([
      [3, '500'],
      [1, '502'],
      [2, '503'],
      [1, '504'],
      [3, 'reset'],
      [2, 'cut'],
      [hangs ? 3 : 0, 'hang'],
      [2, '401'],
      [1, 'limit-403'],
      [1, 'limit-429'],
      [1, 'limit-503'],
      [1, 'limit-bare-429'],
      [1, 'limit-unreadable'],
    ]),
  );
  return [
    ...fates,
    random.weighted<Fate>([
      [6, 'ok'],
      ...(['400', '403', '404', '409', '500'] as const).map((fate) => [1, fate] as const),
    ]),
  ];
}

function createLogins(random: Random): LoginFate[] {
  if (random.chance(0.75)) return ['ok'];
  const fates = Array.from({ length: random.whole(1, 4) }, () =>
    random.weighted<LoginFate>([
      [3, 'ok'],
      [2, '500'],
      [1, '503'],
      [2, 'reset'],
      [1, 'cut'],
      [1, 'hang'],
      [1, 'refused'],
      [1, 'limit-403'],
      [1, 'junk'],
    ]),
  );
  return [...fates, 'ok'];
}

function createSteps(random: Random, clients: readonly ClientPlan[]): StepPlan[] {
  if (!random.chance(0.15)) return [];
  const step = random.pick(['close', 'replace-by-option', 'replace-by-restore'] as const);
  return [{ atMs: random.whole(0, 500), client: random.whole(0, clients.length - 1), step }];
}
