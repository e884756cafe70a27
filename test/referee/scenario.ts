import type {
  Announced,
  Announcement,
  ClientPlan,
  LoginFate,
  QuotaPlan,
  Scenario,
  SessionPlan,
  StepPlan,
} from './plan.js';
import { createRandom, type Random } from './random.js';
import { createCalls } from './scenario-calls.js';

/** Makes the scenario of a seed: always the same one. */
export function createScenario(seed: number): Scenario {
  const random = createRandom(seed);
  const waitHeader = random.chance(0.93) ? 'x-wait' : 'retry-after';
  const announced = random.chance(0.2) ? createAnnounced(random) : undefined;
  // Nothing but the announcement shapes the run.
  const calm = announced !== undefined && random.chance(0.6);
  // Waits and windows in whole seconds have to be few.
  const slow = waitHeader === 'retry-after' || announced?.startsWith('right') || announced === 'too-narrow';
  const hangs = !calm && random.chance(0.08);
  const logins: readonly LoginFate[] = calm ? ['ok'] : createLogins(random);
  const shortLogins = logins.includes('hang') || (!calm && random.chance(0.1));
  const clients = createClients(random, { watched: hangs || shortLogins, calm });
  const calls = createCalls(random, clients, { hangs, slow, calm });
  const quota = createQuota(random, { calls: calls.length, clients: clients.length, slow, calm });
  return {
    seed,
    clients,
    calls,
    steps: calm ? [] : createSteps(random, clients),
    logins,
    ...(quota && { quota }),
    session: calm ? { late401Ms: 0 } : createSession(random, slow),
    ...(quota && announced && { announcement: announcementOf(announced, quota) }),
    latency: {
      leastMs: random.pick(calm ? [0, 1, 3] : [0, 0, 1, 3, 8]),
      spreadMs: random.pick(calm ? [0, 2, 5] : [0, 2, 5, 15]),
      tailMs: calm ? 0 : random.pick([0, 30, 80]),
      tails: random.pick([0.02, 0.1]),
    },
    options: {
      waitHeader,
      onLimit: !calm && random.chance(0.08) ? 'reject' : 'wait',
      pacing: calm || random.chance(0.8) ? 'auto' : 'off',
      jitterMs: random.pick([0, 100]),
      fallbackWaitMs: random.whole(40, 120),
      ...(!calm && random.chance(0.05) && { maxWaitMs: random.whole(20, 300) }),
      ...(!calm && random.chance(0.05) && { maxTotalWaitMs: random.whole(50, 1000) }),
      scoped: quota?.byScope ?? false,
      retries: random.pick([0, 1, 2, 3, 5]),
      minTimeoutMs: random.whole(1, 20),
      maxTimeoutMs: random.whole(20, 80),
      timeoutMs: hangs ? random.whole(150, 400) : 30_000,
      loginTimeoutMs: shortLogins ? random.whole(200, 500) : 60_000,
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
  readonly calm: boolean;
}

function createQuota(random: Random, { calls, clients, slow, calm }: Size): QuotaPlan | undefined {
  if (!calm && random.chance(0.15)) return undefined;
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
    byScope: !calm && random.chance(0.12),
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
  const seconds = Math.ceil(windowMs / 1000);
  if (kind === 'unreadable') return { kind, policy: 'default;;q=many', limit: 'r=' };
  const q =
    { 'too-wide': Math.ceil((limit * 3000) / windowMs), 'too-narrow': Math.ceil(limit / 1.5) }[kind as string] ?? limit;
  const others = kind === 'right-among-others' ? ', "day";q=100000;w=86400' : '';
  // What is wrong is wrong as a whole: the truth beside it would correct it.
  const left = kind === 'too-wide' ? String(q) : '{left}';
  return { kind, policy: `"default";q=${q};w=${seconds}${others}`, limit: `"default";r=${left};t=${seconds}` };
}

/** What a client has given up may arrive long after what followed it: where time-outs are short, each transport is watched. */
function createClients(random: Random, { watched, calm }: { watched: boolean; calm: boolean }): ClientPlan[] {
  const count = random.weighted([
    [6, 1],
    [2, 2],
    [1, 3],
  ] as const);
  const shared = calm || random.chance(0.7);
  const counts = random.chance(0.7);
  const mixed = random.chance(0.15);
  const concurrency = random.pick([1, 2, 4, 8, 16, 64, 64]);
  return Array.from({ length: count }, (_, index) => ({
    state: shared ? 0 : index,
    concurrency,
    transport: random.pick(
      watched ? (['dispatcher', 'fetch'] as const) : (['default', 'dispatcher', 'fetch'] as const),
    ),
    countsTimers: mixed ? random.chance(0.5) : counts,
  }));
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
