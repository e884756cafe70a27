import { casesWith, type Judge } from '../case.js';
import type { GeneratedRequest } from '../generating/requests.js';
import { type Generated, takeDocument, takeGenerated } from '../generating/take-generated.js';
import { type Exchange, summarize } from '../probing/exchange.js';
import { CannotCheck, hasResponse, ignoreCannotCheck } from '../probing/limits.js';
import { isSuccess, type Prober } from '../probing/prober.js';
import { lacksSample, takeErrors, takeSample } from '../probing/samples.js';
import { errorProblem } from '../wording/error-body.js';
import { reportAlike } from './errors.js';

/** How many problems of one kind to report; one more line counts the rest. */
const mostProblems = 5;

/** Requests that the connector's own OpenAPI document does not allow. */
export const openapiCases = casesWith({ lacks: lacksDocument }, [
  {
    id: 'openapi.document',
    rule: 'E2',
    title: 'The OpenAPI document can be read',
    why: 'The cases below derive their requests from it.',
    async check(judge) {
      const { problem, seen } = await takeDocument(judge.prober);
      if (problem !== undefined) judge.problem(problem, seen);
    },
  },
  {
    id: 'openapi.session',
    rule: 'E2',
    title: 'Operations that declare a session respond to requests without one with a 401',
    why: 'One route that forgets to ask is enough to read the data of others.',
    check: lookAt(
      ({ generated, status }) => !generated.hasSession && status < 500 && !generated.expected.includes(status),
      async ({ prober }) => {
        if (lacksSample(prober, 'missing-session') !== undefined) return;
        const { response } = await takeSample(prober, 'missing-session');
        if (response !== undefined && response.status !== 401)
          throw new CannotCheck('a request without a session is not refused (session.missing)');
      },
    ),
  },
  {
    id: 'openapi.server-error',
    rule: 'E4',
    title: 'A request that the document forbids does not cause a server error',
    why: 'The service retries a 5xx again and again, and the message tells nobody which value is wrong.',
    check: lookAt(({ status }) => status >= 500),
  },
  {
    id: 'openapi.refusal',
    rule: 'E2',
    title: 'A request that the document forbids gets a 400, 403 or 404',
    why: 'On other statuses the service logs in for nothing, or mistakes what it gets for the data it asked for.',
    check: lookAt(({ generated, status }) => {
      const isFine = generated.expected.includes(status) || (generated.mayBeServed && isSuccess(status));
      return generated.hasSession && status < 500 && !isFine;
    }),
  },
  {
    id: 'openapi.body',
    rule: 'E1',
    title: 'The refusal of such a request has the error body of the contract',
    why: 'Frameworks have refusals of their own, which the service reports as "unknown error".',
    async check(judge) {
      const { all, stopped } = await takeGenerated(judge.prober);
      const errors = (await takeErrors(judge.prober).catch(ignoreCannotCheck)) ?? [];
      const known = new Set(errors.map(errorProblem)); // `errors.body` reports those
      const refusals = all.flatMap(({ seen }) => (hasResponse(seen) && seen.response.status >= 400 ? [seen] : []));
      reportAlike(judge, refusals, (seen) => (known.has(errorProblem(seen)) ? undefined : errorProblem(seen)));
      if (stopped !== undefined) throw stopped;
    },
  },
]);

function lacksDocument({ settings, canLogIn }: Prober): string | undefined {
  return settings.features.has('session') && !canLogIn ? 'needs `probes.initialize.parameters`' : undefined;
}

type Look = (taken: { generated: GeneratedRequest; status: number }) => boolean;

/** Reports the requests with a wrong status. A request without a response counts as a server error. */
function lookAt(isWrong: Look, before?: (judge: Judge) => Promise<void>) {
  return async (judge: Judge) => {
    const { all, stopped } = await takeGenerated(judge.prober);
    await before?.(judge);
    const wrong = all.filter(({ generated, seen }) => isWrong({ generated, status: statusOf(judge.prober, seen) }));
    for (const each of wrong.slice(0, mostProblems)) judge.problem(describe(each), each.seen);
    if (wrong.length > mostProblems) judge.problem(`and ${wrong.length - mostProblems} more such requests`);
    if (stopped !== undefined) throw stopped;
  };
}

/** A rate limit that is still there after its wait says nothing about the request. */
function statusOf(prober: Prober, seen: Exchange): number {
  if (!hasResponse(seen)) return 599;
  return prober.limits.isLimit(seen) ? 403 : seen.response.status;
}

function describe({ generated, seen }: Generated['all'][number]): string {
  const { expected, wrong, prefix } = generated;
  const last = expected.at(-1);
  const statuses = expected.length === 1 ? last : `${expected.slice(0, -1).join(', ')} or ${last}`;
  const origin = prefix !== '' && seen.response?.status === 404 ? `; "${prefix}" comes from \`servers\`` : '';
  return `${summarize(seen)}; ${wrong}; expected ${statuses}${origin}`;
}
