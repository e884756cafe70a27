import { currentHeader, parseQuota } from '../../contract/index.js';
import type { CaseDefinition, Judge } from '../case.js';
import { type Announcement, announces, unreadable } from '../probing/announcements.js';
import { summarize } from '../probing/exchange.js';
import { limitCase, notReached, reachLimit } from './reach-limit.js';

/** How many problems of one kind to report. */
const mostProblems = 5;

/** Requests may take this long to arrive, and so count in the next window. */
const arrivalMs = 1000;

/**
 * What the connector announces about its quota, which is optional: a connector that announces nothing passes. These cases
 * look at every response so far, so they run last.
 */
export const quotaCases: CaseDefinition[] = [
  {
    id: 'quota.readable',
    rule: 'W8',
    severity: 'warning',
    title: 'An announced quota can be read',
    why: 'An unreadable announcement is useless: the service learns the limit only by being refused.',
    async check(judge) {
      const problems = new Map<string, Announcement>();
      for (const announcement of await announcements(judge)) {
        for (const problem of unreadable(announcement)) if (!problems.has(problem)) problems.set(problem, announcement);
      }
      for (const [problem, { seen }] of [...problems].slice(0, mostProblems)) {
        judge.found(seen, `: ${problem} says nothing about requests`);
      }
    },
  },
  {
    id: 'quota.everywhere',
    rule: 'W8',
    severity: 'warning',
    title: 'A quota is announced on every success, including initialize, and on rate limits',
    why: 'The service learns the quota from its first response. Later, too many requests are already in flight.',
    async check(judge) {
      const all = await announcements(judge);
      if (!all.some(announces)) return;
      // Other errors may be of the connector alone, which then has nothing to pass on.
      const due = all.filter(({ isLimit, seen }) => isLimit || (seen.response?.status ?? 500) < 300);
      const silent = new Map(
        due.filter((announcement) => !announces(announcement)).map(({ seen }) => [summarize(seen), seen]),
      );
      for (const [request, seen] of [...silent].slice(0, mostProblems)) {
        judge.problem(`${request}: announces no quota, although other responses do`, seen);
      }
    },
  },
  limitCase({
    id: 'quota.kept',
    rule: 'W8',
    severity: 'warning',
    title: 'The connector serves all of the quota that it announces',
    why: 'The service plans with the announced quota, and is refused although it stays within it.',
    async check(judge) {
      const { prober, settings } = judge;
      const [seen] = (await reachLimit(prober)).refusals;
      if (seen === undefined) throw notReached();
      const rest = seen.response.headers.get(currentHeader);
      const { current } = parseQuota({ current: rest });
      if (current.length > 0 && current.every(({ left }) => left > 0))
        judge.found(seen, `, although ${currentHeader}: ${rest} announces that there is some left`);
      const policies = prober.announcements.policies();
      // `before` may have used the quota up.
      if (policies.length === 0 || settings.limit?.before !== undefined) return;
      const kept = policies.map(({ limit, windowMs }) => {
        const from = seen.startedAt - windowMs - arrivalMs;
        return { limit, windowMs, served: prober.announcements.servedBetween(from, seen.startedAt) };
      });
      if (kept.some(({ limit, served }) => served >= limit)) return;
      for (const { limit, windowMs, served } of kept.slice(0, mostProblems)) {
        const promised = `${limit} in ${windowMs / 1000} s are announced`;
        judge.found(seen, ` after ${served} requests, although ${promised}`);
      }
    },
  }),
];

/** The announcements so far, one for each response; a case that runs alone sends a request first. */
export async function announcements({ prober, settings }: Judge): Promise<readonly Announcement[]> {
  const { all } = prober.announcements;
  if (all.length > 0) return all;
  if (prober.canLogIn) await prober.login();
  await (settings.readable === undefined
    ? prober.send(settings.unknownRoute)
    : prober.sendWithSession(settings.readable));
  return all;
}
