import type { CallPlan, ClientPlan, Fate } from './plan.js';
import type { Random } from './random.js';

/** How many calls fail or are hung up on in a scenario, and what may come of them. */
interface Trouble {
  readonly hangs: boolean;
  /** Each limit out of turn costs a second. */
  readonly slow: boolean;
  readonly calm: boolean;
}

export function createCalls(
  random: Random,
  clients: readonly ClientPlan[],
  { hangs, slow, calm }: Trouble,
): CallPlan[] {
  const count = random.whole(5, 60);
  // All at once, in a few bursts, or one by one with quiet times between them.
  const spreadMs = random.pick([0, 0, 100, 300, 600]);
  const bursts = random.pick([1, 2, 3, count]);
  const troubled = calm ? 0 : random.pick(slow ? [0, 0, 0.05] : [0, 0.1, 0.3]);
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
