import { dayMs } from '../../internal/index.js';
import type { CaseDefinition, Judge } from '../case.js';
import { type Exchange, summarize } from '../probing/exchange.js';
import { lacksFeature } from '../probing/lacks.js';
import { CannotCheck, hasResponse } from '../probing/limits.js';
import type { Prober } from '../probing/prober.js';
import { errorProblem } from '../wording/error-body.js';
import { disagreeingWaits, duration, overEarlyProblem } from '../wording/wait-text.js';
import { announcements } from './quota.js';
import { askAgain, isDenied, lacksLimit, limitCase, lookAtAll, notReached, reachLimit } from './reach-limit.js';

/** The longest wait that the service waits out (rule W7). */
const longestWaitMs = dayMs;

/** How many problems of one kind to report. */
const mostProblems = 3;

/** A response that takes as long may have been held back until the limit was over. */
const heldMs = 1000;

const lacksDeclaredLimit = (prober: Prober) => lacksFeature(prober, 'rate-limit') ?? lacksLimit(prober);

/** The response that makes the service wait. */
export const rateLimitCases: CaseDefinition[] = [
  limitCase({
    id: 'rate-limit.reached',
    rule: 'E2',
    title: 'The probe reaches the rate limit',
    why: 'A rate limit that is never reached cannot be checked.',
    async check(judge) {
      const { refusals, sent, last, unexpected, slow, slowestMs } = await reachLimit(judge.prober);
      if (refusals.length > 0) return;
      if (unexpected.length > 0) throw new CannotCheck('requests fail (rate-limit.parallel)');
      if (slow !== undefined) throw new CannotCheck(`the connector is too slow (${slow})`);
      const held = slowestMs < heldMs ? '' : `. The slowest took ${duration(slowestMs)}: was it held back?`;
      judge.problem(
        `no rate limit after ${sent} requests, the last of which is a ${last?.response.status}; expected a 403${held}`,
        last,
      );
    },
  }),
  limitCase({
    id: 'rate-limit.speed',
    rule: 'E2',
    severity: 'warning',
    title: 'The connector is fast enough to reach its own limit',
    why: 'A limit that nobody can reach protects nothing, and cannot be checked.',
    async check(judge) {
      const { last, slow } = await reachLimit(judge.prober);
      if (slow !== undefined) judge.problem(`no rate limit: ${slow}, which may be too slow for the limit`, last);
    },
  }),
  limitCase({
    id: 'rate-limit.parallel',
    rule: 'E2',
    title: 'Parallel requests beyond the limit are refused like any others',
    why: 'The service meets the limit with many requests in flight. It retries a 500 or a closed connection at once, and gives up soon.',
    async check(judge) {
      const { refusals, unexpected, elsewhere } = await reachLimit(judge.prober);
      if (refusals.length === 0 && unexpected.length === 0) throw notReached();
      const among = 'among simultaneous requests that go beyond the limit; expected a success or a 403';
      for (const one of unexpected.slice(0, mostProblems)) judge.found(one, ` ${among}`);
      for (const one of elsewhere)
        judge.found(one, ' while the limit holds; expected what it gets otherwise, or a 403');
    },
  }),
  limitCase({
    id: 'rate-limit.status',
    rule: 'W3',
    title: 'A rate limit is a 403, never a 429',
    why: 'The contract says 403 with the wait header. Only lenient services understand a 429.',
    check: lookAtAll(({ response }) => (response.status === 403 ? undefined : 'expected 403')),
  }),
  limitCase({
    id: 'rate-limit.wait-header',
    rule: 'W2',
    title: 'A rate limit carries the wait header',
    why: 'Without it, a 403 means access denied: the service gives up instead of waiting.',
    check: lookAtAll(({ response }, header) => (response.headers.has(header) ? undefined : `${header} is missing`)),
  }),
  limitCase({
    id: 'rate-limit.wait-format',
    rule: 'W4',
    title: 'The wait can be read',
    why: 'If the service cannot read the wait, it guesses: a minute or more.',
    check: async (judge) => {
      const { header } = judge.settings.rateLimit;
      const { refusals } = await reachLimit(judge.prober);
      if (refusals.length > 0 && !refusals.some(({ response }) => response.headers.has(header)))
        throw new CannotCheck(`${header} is missing`);
      await lookAtAll((seen) => {
        const { invalid } = judge.prober.limits.waitOf(seen);
        return invalid === undefined || !seen.response.headers.has(header) ? undefined : `${header}: ${invalid}`;
      })(judge);
    },
  }),
  limitCase({
    id: 'rate-limit.one-wait',
    rule: 'W4',
    title: 'A rate limit has one wait',
    why: 'Of several waits the service takes the longest. Most often a proxy has added one.',
    check: lookAtAll(({ response }, header) => {
      const waits = disagreeingWaits(response.headers.get(header));
      if (waits.length === 0) return undefined;
      return `${header} is sent ${waits.length} times with values that disagree: ${waits.join(' and ')}`;
    }),
  }),
  {
    id: 'rate-limit.wait-unit',
    rule: 'W4',
    title: 'A rate limit does not end long before its wait',
    why: 'A wrong unit or time zone makes the service wait for minutes, hours or years instead of a second.',
    lacks: (prober) => (prober.overEarly.length > 0 ? undefined : lacksDeclaredLimit(prober)),
    async check(judge) {
      const { prober } = judge;
      if (lacksDeclaredLimit(prober) === undefined) {
        const [seen] = (await reachLimit(prober)).refusals;
        if (seen !== undefined && prober.limits.waitOf(seen).waitMs !== undefined) await askAgain(prober, seen);
      }
      for (const { limit, afterMs } of prober.overEarly.slice(0, mostProblems)) {
        const problem = overEarlyProblem(prober, limit, afterMs);
        if (problem !== undefined) judge.found(limit, `: ${problem}`);
      }
    },
  },
  limitCase({
    id: 'rate-limit.wait-length',
    rule: 'W7',
    severity: 'warning',
    title: 'The wait is at most a day',
    why: 'The service does not wait longer: it ends the synchronization. Most often the unit is wrong.',
    check: lookAtAll((seen, _header, { limits, overEarly }) => {
      const { waitMs } = limits.waitOf(seen);
      if (waitMs === undefined || waitMs <= longestWaitMs || overEarly.length > 0) return undefined; // `rate-limit.wait-unit` reports that
      return `asks to wait ${duration(waitMs)}`;
    }),
  }),
  limitCase({
    id: 'rate-limit.body',
    rule: 'E1',
    title: 'A rate limit has the error body of the contract',
    why: 'The service shows it while it waits.',
    check: lookAtAll(errorProblem),
  }),
  limitCase({
    id: 'rate-limit.resumes',
    rule: 'W7',
    title: 'Requests are served again after the wait',
    why: 'The service waits exactly as long as the header says. Every wait that is too short costs one more refused request.',
    async check(judge) {
      const { prober } = judge;
      const [seen] = (await reachLimit(prober)).refusals;
      if (seen === undefined) throw notReached();
      const { again, waitMs, isEarly } = await askAgain(prober, seen);
      const isRefused = hasResponse(again) && (prober.limits.isLimit(again) || isDenied(again));
      if (isRefused && isEarly) throw new CannotCheck('the wait is longer than `maxWaitMs`');
      if (isRefused) judge.found(again, ` after the wait of ${Math.ceil(waitMs)} ms`);
      else judge.response(again);
    },
  }),
];

/** All but those of `probes.limit`, which `rate-limit.status` judges. */
export const tooManyRequestsCase: CaseDefinition = {
  id: 'responses.too-many-requests',
  rule: 'W3',
  title: 'No other response is a 429',
  why: 'The contract says 403 with the wait header. Most often, a proxy or a separate rate limiter is refusing requests.',
  async check(judge) {
    const { limit, rateLimit } = judge.settings;
    const refused = await responsesSoFar(
      judge,
      ({ request, response }) => request.path !== limit?.request.path && response?.status === 429,
    );
    for (const seen of refused) judge.found(seen, `; expected a 403 with ${rateLimit.header}`);
  },
};

/** The client drops what follows the head of a 204: only the head tells of it. */
export const noContentCase: CaseDefinition = {
  id: 'responses.no-content',
  rule: 'D1',
  title: 'A 204 has no body',
  why: 'Nobody reads the body of a 204. Its bytes become the beginning of the next response, or break the connection.',
  async check(judge) {
    const found = await responsesSoFar(
      judge,
      ({ response }) => response?.status === 204 && contentOf(response.headers) !== undefined,
    );
    for (const seen of found) {
      judge.found(seen, ` with ${contentOf(seen.response!.headers)}; expected neither a body nor a length`);
    }
  },
};

/** Those of all responses so far that are wrong, one for each summary. */
async function responsesSoFar(judge: Judge, isWrong: (seen: Exchange) => boolean): Promise<Exchange[]> {
  const wrong = (await announcements(judge)).filter(({ seen }) => isWrong(seen));
  return [...new Map(wrong.map(({ seen }) => [summarize(seen), seen])).values()].slice(0, mostProblems);
}

/** The header that announces a body; a length of 0 does no harm. */
function contentOf(headers: Headers): string | undefined {
  for (const name of ['transfer-encoding', 'content-length']) {
    const value = headers.get(name);
    if (value !== null && value !== '0') return `${name}: ${value}`;
  }
  return undefined;
}
