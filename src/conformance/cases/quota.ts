import type { CaseDefinition, Judge } from '../case.js';
import { type Announcement, announces, unreadable } from '../probing/announcements.js';
import { summarize } from '../probing/exchange.js';
import { CannotCheck } from '../probing/prober.js';
import { limitCase, reachLimit } from './rate-limit.js';

/** More of the same would say nothing new. */
const mostProblems = 5;

/** Between sending a request and its arrival; within it, a request may belong to a window that has ended. */
const arrivalMs = 1000;

/**
 * What the connector tells about its quota beforehand. None of it has to be told: a connector that announces nothing passes.
 * They look at every answer that there was, so they come last.
 */
export const quotaCases: CaseDefinition[] = [
  {
    id: 'quota.readable',
    rule: 'W8',
    severity: 'warning',
    title: 'An announced quota can be read',
    why: 'One that cannot be read is as good as none: the service finds the limit by being refused.',
    async check(judge) {
      const problems = new Map<string, Announcement>();
      for (const told of await announcements(judge)) {
        for (const problem of unreadable(told)) if (!problems.has(problem)) problems.set(problem, told);
      }
      for (const [problem, { seen }] of [...problems].slice(0, mostProblems)) {
        judge.problem(`${summarize(seen)}: ${problem} tells nothing about requests`, seen);
      }
    },
  },
  {
    id: 'quota.everywhere',
    rule: 'W8',
    severity: 'warning',
    title: 'A quota is announced on every response, that of initialize included',
    why: 'The service learns it from the first answer it gets. One that comes later finds too many requests under way.',
    async check(judge) {
      const all = await announcements(judge);
      if (!all.some(announces)) return;
      const silent = new Map(all.filter((told) => !announces(told)).map(({ seen }) => [summarize(seen), seen]));
      for (const [request, seen] of [...silent].slice(0, mostProblems)) {
        judge.problem(`${request}: announces no quota, although other responses do`, seen);
      }
    },
  },
  limitCase({
    id: 'quota.kept',
    rule: 'W8',
    severity: 'warning',
    title: 'No limit comes before the announced quota is used up',
    why: 'The service counts on what is announced, and is refused where it expects to be served.',
    async check(judge) {
      const { prober, settings } = judge;
      const { seen } = await reachLimit(prober);
      if (seen === undefined) throw new CannotCheck('could not be checked: the limit was not reached');
      const policies = prober.announcements.policies();
      // What `before` does may be to use the quota up.
      if (policies.length === 0 || settings.limit?.before !== undefined) return;
      const kept = policies.map(({ limit, windowMs }) => {
        const from = seen.startedAt - windowMs - arrivalMs;
        return { limit, windowMs, served: prober.announcements.servedBetween(from, seen.startedAt) };
      });
      if (kept.some(({ limit, served }) => served >= limit)) return;
      for (const { limit, windowMs, served } of kept.slice(0, mostProblems)) {
        const told = `${limit} in ${windowMs / 1000} s are announced`;
        judge.problem(`${summarize(seen)} after ${served} requests, although ${told}`, seen);
      }
    },
  }),
];

/** What was told so far; a case that runs alone asks for something first. */
async function announcements({ prober, settings }: Judge): Promise<readonly Announcement[]> {
  const { all } = prober.announcements;
  if (all.length > 0) return all;
  if (prober.canLogIn) await prober.login();
  await (settings.readable === undefined
    ? prober.send(settings.unknownRoute)
    : prober.sendWithSession(settings.readable));
  return all;
}
