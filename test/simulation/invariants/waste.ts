import type { ConnectorPlan, Schedule } from '../schedule.js';
import { isShared } from '../tags.js';
import { isCalm } from './calm.js';
import type { Invariant } from './invariant.js';

/**
 * Responses that take long hide where a window ends: from half a window on, a wait counts from when its response arrives, so that
 * a pause ends somewhere in the next window, and what is left of that one looks like a whole. The bound grows with how many half
 * windows the slowest takes. A sliding window of few requests or seconds looks like another one each time, because waits are in
 * whole seconds: what was learned of it does not last, and may be wrong by as many as it holds.
 */
function refusedPerWindow(plan: ConnectorPlan): number {
  const { quota } = plan;
  const isBlurred = quota?.type === 'sliding' && (quota.limit < 10 || quota.windowMs < 10_000);
  const ofOne = isBlurred ? Math.max(3, quota.limit + 1) : 3;
  return ofOne * Math.max(1, 2 * slowestInWindows(plan));
}

/** How many windows the slowest response takes. */
function slowestInWindows({ quota, upstreamMs = [], latenciesMs, queuesMs }: ConnectorPlan): number {
  const slowestMs = [upstreamMs, latenciesMs, queuesMs].reduce((sum, times) => sum + Math.max(0, ...times), 0);
  return slowestMs / (quota?.windowMs ?? Number.POSITIVE_INFINITY);
}

/**
 * How many times a crowd may be wrong about a window: before it is known what one takes, when what was announced is not true, and
 * when a slow request from before a pause began the next window, so that the client takes it for shorter than it is.
 */
function crowdsThatErr({ announces = 'right', ...plan }: ConnectorPlan): number {
  return 1 + (announces === 'right' ? 0 : 1) + (slowestInWindows(plan) > 0.25 ? 1 : 0);
}

const windowsAreNotWasted: Invariant = {
  rule: 'G3',
  title: 'after the first window, what is refused is in sum as many a window as its kind and the latency explain',
  view: 'gate',
  *check({ entries, schedule }) {
    if (!isCalm(schedule) || isShared(schedule)) return;
    const { concurrency } = schedule.client;
    const oneCrowd = Math.min(concurrency, 4 + 4 * (schedule.connector.quota?.limit ?? 0));
    const crowds = crowdsThatErr(schedule.connector) * oneCrowd;
    const perWindow = refusedPerWindow(schedule.connector);
    let windows: number | undefined;
    let refused = 0;
    for (const entry of entries) {
      if (entry.what === 'resume') windows = (windows ?? 0) + 1;
      if (windows === undefined || entry.what !== 'answered' || entry.asked === undefined) continue;
      if (++refused > perWindow * windows + crowds) {
        yield { at: entry.at, seen: `${refused} refused in ${windows} windows after the first` };
        return;
      }
    }
  },
};

/** Who is told the truth, and has one gate of his own. */
function isToldTheTruth(schedule: Schedule): boolean {
  return schedule.connector.announces === 'right' && isCalm(schedule) && !isShared(schedule);
}

const rightAnnouncementsSaveRefusals: Invariant = {
  rule: 'pacing',
  title: 'nothing is refused that is sent after a right announcement of the quota',
  view: 'gate',
  *check({ entries, schedule }) {
    if (!isToldTheTruth(schedule)) return;
    let isTold = false;
    const informed = new Set<number>();
    for (const entry of entries) {
      if (entry.what === 'sent' && isTold) informed.add(entry.exchange);
      if (entry.what !== 'answered' || entry.by === 'login') continue;
      isTold = true;
      if (entry.asked !== undefined && informed.has(entry.exchange))
        yield { at: entry.at, seen: `exchange ${entry.exchange} was refused` };
    }
  },
};

export const wasteInvariants: readonly Invariant[] = [windowsAreNotWasted, rightAnnouncementsSaveRefusals];
