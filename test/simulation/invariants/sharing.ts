import type { ClientSnapshot } from 'concordat/client';
import { startMs } from '../model-waits.js';
import { type EntryOf, entriesOf, type Outcome } from '../trace.js';
import type { Invariant } from './invariant.js';

const snapshotsAreAccepted: Invariant = {
  rule: 'G9',
  title: 'every snapshot can be given to the next client, which then knows the same',
  *check(trace) {
    for (const { at, json, again, refused } of entriesOf(trace, 'snapshot')) {
      if (again === undefined) yield { at, seen: `${json} was refused: ${refused}` };
      else if (normal(again, at) !== normal(json, at)) yield { at, seen: `${json} became ${again}` };
    }
  },
};

/** In one order, however the gates were made, and without limits that are over, although the jitter after them is not. */
function normal(json: string, at: number): string {
  const { pauses, quotas } = JSON.parse(json) as ClientSnapshot;
  const on = pauses.filter(({ resumeAt }) => Date.parse(resumeAt) > startMs + at);
  return JSON.stringify([on, quotas].map((list) => list.map((one) => JSON.stringify(one)).sort()));
}

type Rejected = EntryOf<'settled'> & { outcome: Extract<Outcome, { type: 'rejected' }> };

const isParked = (entry: EntryOf<'settled'>): entry is Rejected =>
  entry.outcome.type === 'rejected' && entry.outcome.kind === 'rate-limit';

const parkedCallsComeBackOnce: Invariant = {
  rule: 'W7',
  title: "with `onLimit: 'reject'`, who comes back at `resumeAt` is only turned away again by another limit",
  view: 'limit',
  *check({ entries, schedule }) {
    if (schedule.client.onLimit !== 'reject') return;
    const parked = new Map<number, Rejected>();
    /** Those that have been turned away since the latest limit was met: it is what turned them away. */
    let judged = new Set<number>();
    for (const entry of entries) {
      if (entry.what === 'answered' && entry.asked !== undefined) judged = new Set();
      if (entry.what !== 'settled') continue;
      const before = parked.get(entry.call);
      parked.delete(entry.call);
      if (!isParked(entry)) continue;
      parked.set(entry.call, entry);
      const isSameLimit = judged.has(entry.call);
      judged.add(entry.call);
      if (before === undefined || !isSameLimit) continue;
      yield {
        at: entry.at,
        seen: `call ${entry.call} was turned away again, and no limit had been met since ${before.at}`,
      };
    }
  },
};

const nobodyWaitsInAPause: Invariant = {
  rule: 'G1',
  title: "with `onLimit: 'reject'`, no call waits in a pause unless it is on its way",
  view: 'gate',
  *check({ entries, schedule }) {
    if (schedule.client.onLimit !== 'reject') return;
    const waiting = new Set<unknown>();
    const flying = new Set<unknown>();
    let pausedSince: number | undefined;
    for (const entry of entries) {
      // Who comes in a pause, and whom it meets, ends at the same time.
      if (pausedSince !== undefined && entry.at > pausedSince) {
        for (const call of waiting) {
          if (!flying.has(call)) yield { at: entry.at, seen: `call ${call} waited in the pause since ${pausedSince}` };
        }
        pausedSince = entry.at;
      }
      if (entry.what === 'called') waiting.add(entry.call);
      if (entry.what === 'settled') waiting.delete(entry.call);
      if (entry.what === 'sent') flying.add(entry.by);
      if (entry.what === 'answered' || entry.what === 'failed' || entry.what === 'cancelled') flying.delete(entry.by);
      if (entry.what === 'pause') pausedSince = entry.at;
      if (entry.what === 'resume') pausedSince = undefined;
    }
  },
};

export const sharingInvariants: readonly Invariant[] = [
  snapshotsAreAccepted,
  parkedCallsComeBackOnce,
  nobodyWaitsInAPause,
];
