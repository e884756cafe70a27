import type { Schedule } from '../schedule.js';

/** A session that ends sooner may end before it has been used. */
const leastTtlMs = 15_000;

/** Nothing goes wrong but that a quota, which does not change, is used up, and that sessions end: here times can be said. */
export function isCalm({ client, connector, commands, calls }: Schedule): boolean {
  const { session, logins, faults, waits, limitsLogins, quota } = connector;
  return (
    client.pacing === 'auto' &&
    client.maxTotalWaitMs === undefined &&
    client.maxWaitMs > (quota?.windowMs ?? 0) + 1000 &&
    !limitsLogins &&
    session.maxRequests === undefined &&
    session.refusedForMs === 0 &&
    (session.ttlMs ?? leastTtlMs) >= leastTtlMs &&
    waits.every((style) => style === 'exact') &&
    logins.every(({ type }) => type === 'ok') &&
    faults.every(({ type }) => type === 'none') &&
    slowestMs(connector) < Math.min(client.timeoutMs, client.loginTimeoutMs) &&
    calls.every(isPatient) &&
    commands.every(({ type }) => type !== 'jump' && type !== 'quota') &&
    endsApart({ connector, commands })
  );
}

/**
 * Whether each session but the first lives long enough to be used: one that is refused from the beginning is a verdict (rule S4), and a
 * second end may come at any time after the first, which nobody has noticed as long as nobody calls.
 */
function endsApart({ connector, commands }: Pick<Schedule, 'connector' | 'commands'>): boolean {
  const ends = commands.filter(({ type }) => type === 'expire').length;
  return ends === 0 || (ends === 1 && connector.session.ttlMs === undefined);
}

/** Its caller waits for as long as it takes, and it can be sent again. */
function isPatient({ body, abortAfterMs, timeoutMs, totalTimeoutMs }: Schedule['calls'][number]): boolean {
  return body !== 'stream' && [abortAfterMs, timeoutMs, totalTimeoutMs].every((ms) => ms === undefined);
}

/** The slowest way to the connector and back. */
export function slowestMs({ queuesMs, upstreamMs = [0], latenciesMs }: Schedule['connector']): number {
  return Math.max(...queuesMs) + Math.max(...upstreamMs) + Math.max(...latenciesMs);
}

/** How many windows a gate needs for its calls when it uses each of them fully, and loses one for each command. */
function windowsNeeded({ client, connector, calls, commands, fleet }: Schedule): number {
  const { quota, upstreamMs = [0], latenciesMs, announces } = connector;
  if (quota === undefined) return 1 + commands.length;
  const { scopes = 1, concurrency } = client;
  const usualMs = mean(upstreamMs) + mean(latenciesMs);
  const inTurn = (concurrency * (fleet?.size ?? 1) * quota.windowMs) / usualMs;
  // Who is told of less than there is takes less, and at least one.
  const limit = announces === 'low' || announces === 'empty' ? 1 : quota.limit;
  return Math.ceil(calls.length / scopes / Math.max(1, Math.min(limit, inTurn))) + commands.length;
}

/**
 * The longest that a call may take: waits are whole seconds, and each may begin with the slowest answer. To learn what the quota is
 * may cost a minute or two. Processes that lease may take six windows of one request for one of six, and use half of it.
 */
export function longestCallMs(schedule: Schedule): number {
  const { client, connector, fleet } = schedule;
  const windowMs = (connector.quota?.windowMs ?? 0) + 1000 + client.jitterMs + slowestMs(connector);
  const times = fleet?.leases === undefined ? 2 : 4;
  return 120_000 + times * windowsNeeded(schedule) * windowMs;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
