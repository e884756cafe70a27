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
function isQuiet(evidence: Evidence): boolean {
  const { ledger, options } = evidence;
  const { quota, clients, calls, steps, session, latency, logins } = ledger.scenario;
  if (quota === undefined || quota.byScope || steps.length > 0) return false;
  if (new Set(clients.map(({ state }) => state)).size > 1 || !evidence.hasOneGate('a0')) return false;
  if (session.lifeMs !== undefined || session.lifeRequests !== undefined || logins.length > 1) return false;
  if (calls.some(({ fates }) => fates.length > 1)) return false;
  if (options.pacing !== 'auto' || options.onLimit !== 'wait' || options.maxTotalWaitMs !== undefined) return false;
  const longestMs = latency.leastMs + latency.spreadMs + latency.tailMs;
  return longestMs < quota.windowMs / 4 && ledger.stallMs < quota.windowMs / 5;
}

/** What is refused beyond one request a window and some more, once there were two windows to learn the quota in. */
function waste(evidence: Evidence): string | undefined {
  const later = pauses(evidence).slice(2);
  const refused = later.reduce((sum, pause) => sum + pause.refused, 0);
  const { quota } = evidence.ledger.scenario;
  // Whether a window slides may show only after one more crowd.
  const most = quota?.kind === 'sliding' ? 3 * later.length + quota.limit : 2 * later.length + 3;
  if (refused <= most) return undefined;
  return `${refused} requests were refused in ${later.length} windows after the first two`;
}

const windowsAreCheap: Rule = {
  dependsOnSpeed: true,
  id: 'G3',
  says: 'where the quota is known, a window costs about one refused request',
  *judge(evidence) {
    if (evidence.ledger.scenario.announcement !== undefined || !isQuiet(evidence)) return;
    const wasted = waste(evidence);
    if (wasted !== undefined) yield wasted;
  },
};

const announcedIsFree: Rule = {
  id: 'W8',
  says: 'where every answer announces the quota, a cold client meets no refusal',
  *judge(evidence) {
    const { announcement, clients } = evidence.ledger.scenario;
    if (!announcement?.kind.startsWith('right') || clients.length > 1 || !isQuiet(evidence)) return;
    const refused = evidence.limits().length;
    if (refused > 0) yield `${refused} requests were refused although ${announcement.policy} was announced`;
  },
};

const wrongIsCheap: Rule = {
  dependsOnSpeed: true,
  id: 'W8',
  says: 'a quota that is announced wrongly gives way to what is learned',
  *judge(evidence) {
    const { announcement } = evidence.ledger.scenario;
    if (announcement === undefined || announcement.kind.startsWith('right') || !isQuiet(evidence)) return;
    const wasted = waste(evidence);
    if (wasted !== undefined) yield `${wasted}, and ${announcement.policy} was announced`;
  },
};

export const pacingRules: readonly Rule[] = [windowsAreCheap, announcedIsFree, wrongIsCheap];
