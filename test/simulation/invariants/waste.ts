import type { Schedule } from '../schedule.js';
import { isShared } from '../tags.js';
import { isCalm } from './calm.js';
import type { Invariant } from './invariant.js';
import { later } from './later.js';

/** Answers that are slower than a window hide where it ends: then a window costs more than the one request that it costs otherwise. */
const refusedPerWindow = 3;

const windowsAreNotWasted: Invariant = {
  rule: 'G3',
  title: 'after the first window, what is refused is in sum three requests a window at most',
  view: 'gate',
  *check({ entries, schedule }) {
    if (!isCalm(schedule) || isShared(schedule)) return;
    const { concurrency } = schedule.client;
    // Before it is known what a window takes, one crowd may be wrong about it.
    const oneCrowd = Math.min(concurrency, 4 + 4 * (schedule.connector.quota?.limit ?? 0));
    // And one that has believed what was announced.
    const { announces = 'right' } = schedule.connector;
    const crowd = announces === 'right' ? oneCrowd : 2 * oneCrowd;
    let windows: number | undefined;
    let refused = 0;
    for (const entry of entries) {
      if (entry.what === 'resume') windows = (windows ?? 0) + 1;
      if (windows === undefined || entry.what !== 'answered' || entry.asked === undefined) continue;
      if (++refused > refusedPerWindow * windows + crowd) {
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
    if (!later.readsAnnouncements || !isToldTheTruth(schedule)) return;
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
