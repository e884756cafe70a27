import type { CaseDefinition, Judge } from '../case.js';
import { isOneOf } from '../case.js';
import { summarize } from '../probing/exchange.js';
import { CannotCheck, type Completed, hasResponse, type Prober } from '../probing/prober.js';
import { lacksRequest, lacksSession } from '../probing/samples.js';
import { bodyProblem, isJsonType } from './errors.js';

/** The longest wait that the service waits out (rule W7). */
const dayMs = 24 * 3_600_000;

/** The response that makes the service wait. */
export const rateLimitCases: CaseDefinition[] = [
  limitCase({
    id: 'rate-limit.reached',
    rule: 'E2',
    title: 'The probe reaches the rate limit',
    why: 'A rate limit that is never reached cannot be checked.',
    async check(judge) {
      const { seen, sent, last } = await reachLimit(judge.prober);
      if (seen === undefined) judge.problem(`no rate limit after ${sent} requests; expected a 403`, last);
    },
  }),
  limitCase({
    id: 'rate-limit.status',
    rule: 'W3',
    title: 'A rate limit is a 403, never a 429',
    why: 'The contract says 403 with the wait header. Only lenient services understand a 429.',
    check: look((judge, seen) => judge.status(seen, isOneOf(403), '403')),
  }),
  limitCase({
    id: 'rate-limit.wait-header',
    rule: 'W2',
    title: 'A rate limit carries the wait header',
    why: 'Without it, a 403 means access denied: the service gives up instead of waiting.',
    check: look((judge, seen) => {
      const { header } = judge.settings.rateLimit;
      if (!seen.response.headers.has(header)) judge.problem(`${summarize(seen)}: ${header} is missing`, seen);
    }),
  }),
  limitCase({
    id: 'rate-limit.wait-format',
    rule: 'W4',
    title: 'The wait can be read',
    why: 'If the service cannot read the wait, it guesses: a minute or more.',
    check: look((judge, seen) => {
      const { header } = judge.settings.rateLimit;
      if (!seen.response.headers.has(header)) throw new CannotCheck(`could not be checked: ${header} is missing`);
      const { invalid } = judge.prober.waitOf(seen);
      if (invalid !== undefined) judge.problem(`${summarize(seen)}: ${header}: ${invalid}`, seen);
    }),
  }),
  limitCase({
    id: 'rate-limit.wait-length',
    rule: 'W7',
    severity: 'warning',
    title: 'The wait is at most a day',
    why: 'The service does not wait longer: it ends the synchronization. Most often the unit is wrong.',
    check: look((judge, seen) => {
      const { waitMs } = judge.prober.waitOf(seen);
      if (waitMs !== undefined && waitMs > dayMs) {
        judge.problem(`${summarize(seen)}: asks to wait ${Math.round(waitMs / 3_600_000)} hours`, seen);
      }
    }),
  }),
  limitCase({
    id: 'rate-limit.body',
    rule: 'E1',
    title: 'A rate limit has the error body of the contract',
    why: 'The service shows it while it waits.',
    check: look((judge, seen) => {
      const type = seen.response.headers.get('content-type');
      const problem = bodyProblem(seen) ?? (isJsonType(type) ? undefined : `content-type is ${JSON.stringify(type)}`);
      if (problem !== undefined) judge.problem(`${summarize(seen)}: ${problem}`, seen);
    }),
  }),
  limitCase({
    id: 'rate-limit.resumes',
    rule: 'W7',
    title: 'Requests are served again after the wait',
    why: 'The service waits exactly as long as the header says. Every wait that is too short costs one more refused request.',
    check: look(async (judge, seen) => {
      const { prober, settings } = judge;
      const { waitMs } = prober.waitOf(seen);
      if (waitMs === undefined) throw new CannotCheck('could not be checked: the wait cannot be read');
      await prober.waitOutPause();
      const again = await prober.sendNow(settings.limit!.request, await prober.session());
      const completed = judge.response(again);
      if (completed !== undefined && (prober.isLimit(completed) || isDenied(completed))) {
        judge.problem(`${summarize(again)} after the wait of ${Math.ceil(waitMs)} ms`, again);
      }
    }),
  }),
];

export function limitCase(definition: Omit<CaseDefinition, 'feature' | 'lacks'>): CaseDefinition {
  return {
    ...definition,
    feature: 'rate-limit',
    lacks: (prober) =>
      (prober.settings.limit === undefined ? 'needs `probes.limit`' : undefined) ??
      lacksRequest(prober.settings.limit?.request, 'probes.limit.request', prober.settings.allowWrites) ??
      (prober.canLogIn ? lacksSession(prober) : undefined),
  };
}

function look(check: (judge: Judge, seen: Completed) => void | Promise<void>) {
  return async (judge: Judge) => {
    const { seen } = await reachLimit(judge.prober);
    if (seen === undefined) throw new CannotCheck('could not be checked: the rate limit was not reached');
    await check(judge, seen);
  };
}

/** Sends until the connector refuses, once for all cases. */
export function reachLimit(prober: Prober) {
  return prober.once('limit', async () => {
    const { request, times, concurrency, before } = prober.settings.limit!;
    await before?.();
    let session = await prober.session();
    let sent = 0;
    let last: Completed | undefined;
    while (sent < times) {
      const batch = Math.min(concurrency, times - sent);
      sent += batch;
      const exchanges = (
        await Promise.all(Array.from({ length: batch }, () => prober.sendNow(request, session)))
      ).filter(hasResponse);
      const refused = exchanges.filter((exchange) => prober.isLimit(exchange));
      const seen = refused[0] ?? exchanges.find(isDenied);
      last = exchanges.at(-1) ?? last;
      if (seen !== undefined) {
        for (const exchange of refused) prober.pause(prober.waitOf(exchange).waitMs ?? 1000);
        return { seen, sent, last };
      }
      if (exchanges.some(({ response }) => response.status === 401) && prober.canLogIn) {
        prober.forgetSession();
        session = await prober.session();
      }
    }
    return { seen: undefined, sent, last };
  });
}

const isDenied = ({ response }: Completed) => response.status === 403 || response.status === 503;
