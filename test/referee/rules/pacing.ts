import { type Evidence, type Rule, toleranceMs } from './evidence.js';

/** Limits of one pause: requests that were under way together. */
interface Pause {
  readonly refused: number;
  endsAt: number;
}

function pauses(evidence: Evidence): Pause[] {
  const found: Array<{ refused: number; endsAt: number }> = [];
  for (const { send, endsAt } of [...evidence.limits()].sort((one, other) => one.known.seq - other.known.seq)) {
    const last = found.at(-1);
    if (last === undefined || send.begun.at >= last.endsAt - toleranceMs) found.push({ refused: 1, endsAt });
    else {
      last.refused++;
      last.endsAt = Math.max(last.endsAt, endsAt);
    }
  }
  return found;
}

/** Whether nothing but the quota shapes the run, and the machine kept up with it. */
function isQuiet({ ledger, options }: Evidence): boolean {
  const { quota, clients, calls, steps, session, latency, logins } = ledger.scenario;
  if (quota === undefined || quota.byScope || clients.length > 1 || steps.length > 0) return false;
  if (session.lifeMs !== undefined || session.lifeRequests !== undefined || logins.length > 1) return false;
  if (calls.some(({ fates }) => fates.length > 1)) return false;
  if (options.pacing !== 'auto' || options.onLimit !== 'wait' || options.maxTotalWaitMs !== undefined) return false;
  const longestMs = latency.leastMs + latency.spreadMs + latency.tailMs;
  return longestMs < quota.windowMs / 4 && ledger.stallMs < quota.windowMs / 5;
}

const windowsAreCheap: Rule = {
  id: 'G3',
  says: 'where the quota is known, a window costs about one refused request',
  *judge(evidence) {
    if (!isQuiet(evidence)) return;
    // Two windows to learn it.
    const later = pauses(evidence).slice(2);
    const refused = later.reduce((sum, pause) => sum + pause.refused, 0);
    if (refused > 2 * later.length + 3)
      yield `${refused} requests were refused in ${later.length} windows after the first two`;
  },
};

export const pacingRules: readonly Rule[] = [windowsAreCheap];
