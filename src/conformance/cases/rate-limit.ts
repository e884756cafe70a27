import type { CaseDefinition, Judge } from '../case.js';
import { isOneOf } from '../case.js';
import { summarize } from '../probing/exchange.js';
import { CannotCheck, type Completed, hasResponse, type Prober } from '../probing/prober.js';
import { lacksRequest, lacksSession } from '../probing/samples.js';
import { bodyProblem, isJsonType } from './errors.js';

/** A wait longer than this is not slept by the service (rule W7). */
const dayMs = 24 * 3_600_000;

/** The answer that tells the service to wait. They come last: they use up the connector's limit. */
export const rateLimitCases: CaseDefinition[] = [
  limitCase({
    id: 'rate-limit.reached',
    rule: 'E2',
    title: 'The probe reaches the limit',
    why: 'What is not provoked cannot be judged.',
    async check(judge) {
      const { seen, sent, last } = await reachLimit(judge.prober);
      if (seen === undefined) judge.problem(`no limit after ${sent} requests; expected a 403`, last);
    },
  }),
  limitCase({
    id: 'rate-limit.status',
    rule: 'W3',
    title: 'A limit is a 403, never a 429',
    why: 'The contract knows 403 with the wait header. A 429 is understood only by services that are lenient.',
    check: look((judge, seen) => judge.status(seen, isOneOf(403), '403')),
  }),
  limitCase({
    id: 'rate-limit.wait-header',
    rule: 'W2',
    title: 'A limit carries the wait header',
    why: 'Without it a 403 is a denial: the service gives the request up instead of waiting.',
    check: look((judge, seen) => {
      const { header } = judge.settings.rateLimit;
      if (!seen.response.headers.has(header)) judge.problem(`${summarize(seen)}: ${header} is missing`, seen);
    }),
  }),
  limitCase({
    id: 'rate-limit.wait-format',
    rule: 'W4',
    title: 'The wait can be read',
    why: 'A wait that cannot be read is replaced by a guess of a minute and more.',
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
    why: 'The service does not sleep longer: the synchronization ends, for a scheduler to go on with. Most often the unit is wrong.',
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
    title: 'A limit has the error body of the contract',
    why: 'It is what the service shows while it waits.',
    check: look((judge, seen) => {
      const type = seen.response.headers.get('content-type');
      const problem = bodyProblem(seen) ?? (isJsonType(type) ? undefined : `content-type is ${JSON.stringify(type)}`);
      if (problem !== undefined) judge.problem(`${summarize(seen)}: ${problem}`, seen);
    }),
  }),
  limitCase({
    id: 'rate-limit.resumes',
    rule: 'W7',
    title: 'After the wait the limit is over',
    why: 'The service waits exactly as long as it is told. A wait that is too short is a refusal more, each time.',
    check: look(async (judge, seen) => {
      const { prober, settings } = judge;
      const { waitMs } = prober.waitOf(seen);
      if (waitMs === undefined) throw new CannotCheck('could not be checked: the wait cannot be read');
      await prober.waitOutPause();
      const again = await prober.sendNow(settings.limit!.request, await prober.session());
      const answered = judge.response(again);
      if (answered !== undefined && (prober.isLimit(answered) || isDenied(answered))) {
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
    if (seen === undefined) throw new CannotCheck('could not be checked: the limit was not reached');
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
      const answers = (await Promise.all(Array.from({ length: batch }, () => prober.sendNow(request, session)))).filter(
        hasResponse,
      );
      const refused = answers.filter((answer) => prober.isLimit(answer));
      const seen = refused[0] ?? answers.find(isDenied);
      last = answers.at(-1) ?? last;
      if (seen !== undefined) {
        for (const answer of refused) prober.pause(prober.waitOf(answer).waitMs ?? 1000);
        return { seen, sent, last };
      }
      if (answers.some(({ response }) => response.status === 401) && prober.canLogIn) {
        prober.forgetSession();
        session = await prober.session();
      }
    }
    return { seen: undefined, sent, last };
  });
}

const isDenied = ({ response }: Completed) => response.status === 403 || response.status === 503;
