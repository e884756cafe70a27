import type { Ledger } from './ledger.js';
import type { Player } from './run.js';

/** So many ticks with nothing on its way and no timer set are no accident: nothing can ever happen again. */
const silentTicks = 250;

/**
 * Watches, while calls wait, that a request is on its way or a timer is set (rule G9), and that all ends in the time that a
 * scenario can need at the very most.
 */
export function watchSilence(ledger: Ledger, players: readonly Player[]): { broken: Promise<void>; stop(): void } {
  const since = new Map<string, number>();
  const startedAt = performance.now();
  const boundMs = longestMs(ledger);
  let timer: NodeJS.Timeout;
  const broken = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      const { tick } = ledger.moment();
      for (const state of new Set(players.map(({ record }) => record.state))) {
        if (!isSilent(state, ledger, players)) since.delete(state);
        else if (!since.has(state)) since.set(state, tick);
        else if (tick - (since.get(state) as number) > silentTicks) {
          ledger.silences.push(`calls of ${state} wait, with nothing on its way and no timer set`);
        }
      }
      if (performance.now() - startedAt > boundMs) {
        ledger.hung = ledger.calls.filter(({ ended }) => ended === undefined).map(({ plan }) => plan.id);
      }
      if (ledger.hung.length > 0 || ledger.silences.length > 0) resolve();
    }, 10);
  });
  return { broken, stop: () => clearInterval(timer) };
}

/** Whether nothing can happen any more to a state's calls. Only known where all its clients let their timers be counted. */
function isSilent(state: string, ledger: Ledger, players: readonly Player[]): boolean {
  const here = players.filter(({ record }) => record.state === state);
  if (!here.every(({ clock }) => clock?.timers === 0)) return false;
  const names = new Set(here.map(({ record }) => record.name));
  if (!ledger.calls.some(({ client, ended }) => names.has(client) && ended === undefined)) return false;
  // A send in an unfinished body has begun, a refused connection has settled.
  return !ledger.sends.some(({ client, settled }) => (client === '' || names.has(client)) && settled === undefined);
}

/** Twenty times what the scenario should take, and ten seconds. */
function longestMs({ scenario }: Ledger): number {
  const { quota, calls, latency, options, logins, session } = scenario;
  const troubles = calls.reduce((sum, { fates }) => sum + fates.length - 1, 0) + logins.length;
  const windows = quota === undefined ? 0 : (calls.length + 10) / quota.limit + 2;
  const waitMs = options.waitHeader === 'retry-after' ? 1000 : Math.max(150, options.fallbackWaitMs);
  const last = Math.max(...calls.map(({ atMs }) => atMs));
  const limitsMs = windows * Math.max(quota?.windowMs ?? 0, 0) + troubles * waitMs;
  const answersMs = calls.length * (latency.leastMs + latency.spreadMs + latency.tailMs * latency.tails);
  const sessionsMs = session.lifeMs === undefined && session.lifeRequests === undefined ? 0 : 2000;
  const expectedMs = last + limitsMs + answersMs + sessionsMs + troubles * options.maxTimeoutMs + 1000;
  return Math.min(120_000, expectedMs * 20 + 10_000);
}
