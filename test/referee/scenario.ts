import type {
  Announced,
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
  const announced = random.chance(0.15) ? createAnnounced(random) : undefined;
  // Waits and announcements in whole seconds need windows that are as long, and few of them.
  const slow = waitHeader === 'retry-after' || announced !== undefined;
  const clients = createClients(random);
  const hangs = random.chance(0.08);
  const calls = createCalls(random, clients, { hangs, slow });
  const quota = createQuota(random, { calls: calls.length, clients: clients.length, slow });
  const logins = createLogins(random);
  return {
    seed,
    clients,
    calls,
    steps: createSteps(random, clients),
    logins,
    ...(quota && { quota }),
    session: createSession(random, slow),
    ...(quota && announced && { announcement: announcementOf(announced, quota) }),
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

interface Size {
  readonly calls: number;
  readonly clients: number;
  readonly slow: boolean;
}

function createQuota(random: Random, { calls, clients, slow }: Size): QuotaPlan | undefined {
  if (random.chance(0.15)) return undefined;
  const countsLogins = random.chance(0.4);
  const mostWindows = slow ? 2 : 8;
  return {
    // So many windows at most, that no scenario takes long; and room in each for logins and what they are made for.
    limit: Math.max(
      random.pick([1, 2, 3, 5, 8, 13, 20, 40]),
      Math.ceil(calls / mostWindows),
      countsLogins ? 2 * clients + 2 : 1,
    ),
    windowMs: slow ? 1000 : random.whole(40, 250),
    kind: random.pick(['fixed', 'sliding']),
    countsLogins,
    answer: random.weighted([
      [8, 'limit-403'],
      [1, 'limit-429'],
      [1, 'limit-503'],
    ]),
    byScope: random.chance(0.12),
  };
}

function createSession(random: Random, slow: boolean): SessionPlan {
  return random.weighted<SessionPlan>([
    [4, { late401Ms: 0 }],
    // Each long pause would outlive it.
    [slow ? 0 : 3, { lifeMs: random.whole(60, 400), late401Ms: random.pick([0, 0, 20, 60]) }],
    [2, { lifeRequests: random.whole(3, 25), late401Ms: random.pick([0, 0, 20, 60]) }],
  ]);
}

const createAnnounced = (random: Random) =>
  random.weighted<Announced>([
    [4, 'right'],
    [2, 'right-among-others'],
    [2, 'too-wide'],
    [1, 'too-narrow'],
    [1, 'unreadable'],
  ]);

/** The headers; `{left}` stands for what is left when an answer is written. */
function announcementOf(kind: Announced, { limit, windowMs }: QuotaPlan): Announcement {
  const seconds = windowMs / 1000;
  if (kind === 'unreadable') return { kind, policy: 'default;;q=many', limit: 'r=' };
  const q = { 'too-wide': limit * 3, 'too-narrow': Math.ceil(limit / 1.5) }[kind as string] ?? limit;
  const others = kind === 'right-among-others' ? ', "day";q=100000;w=86400' : '';
  // What is wrong is wrong as a whole: the truth beside it would correct it.
  const left = kind === 'too-wide' ? String(q) : '{left}';
  return { kind, policy: `"default";q=${q};w=${seconds}${others}`, limit: `"default";r=${left};t=${seconds}` };
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

function createCalls(
  random: Random,
  clients: readonly ClientPlan[],
  { hangs, slow }: { hangs: boolean; slow: boolean },
): CallPlan[] {
  const count = random.whole(5, 60);
  // All at once, in a few bursts, or one by one with quiet times between them.
  const spreadMs = random.pick([0, 0, 100, 300, 600]);
  const bursts = random.pick([1, 2, 3, count]);
  const troubled = random.pick(slow ? [0, 0, 0.05] : [0, 0.1, 0.3]);
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
