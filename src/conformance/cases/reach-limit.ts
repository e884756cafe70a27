import { type CaseDefinition, isOneOf, type Judge } from '../case.js';
import type { ReadyRequest } from '../probes.js';
import type { Exchange } from '../probing/exchange.js';
import { lacksProbe, lacksRequest, lacksSession } from '../probing/lacks.js';
import { CannotCheck, type Completed, callProbe, hasResponse, ignoreCannotCheck } from '../probing/limits.js';
import { isSuccess, type Prober } from '../probing/prober.js';
import { takeSample } from '../probing/samples.js';
import { acceptedSession, takeReadable } from '../probing/with-session.js';
import { reportAlike } from './errors.js';
import { shareSession } from './session-life.js';

/** A connector whose fastest response takes as long as this may be too slow to reach its own limit. */
const slowMs = 250;

export interface ReachedLimit {
  /** The responses that refuse, or a 403 or 503 that looks like it. Those of requests at the same time are several. */
  readonly refusals: readonly Completed[];
  readonly sent: number;
  readonly last: Completed | undefined;
  /** What is neither served nor refused as the contract says: failures of the connector, and closed connections. */
  readonly unexpected: readonly Exchange[];
  /** What other requests get while the limit holds, where that is neither a refusal nor what it should be. */
  readonly elsewhere: readonly Exchange[];
  readonly slowestMs: number;
  /** Why the limit may be out of reach. */
  readonly slow: string | undefined;
}

/** A case that needs `probes.limit`. */
export function limitCase(definition: Omit<CaseDefinition, 'feature' | 'lacks'>): CaseDefinition {
  return { ...definition, feature: 'rate-limit', lacks: lacksLimit };
}

export function lacksLimit(prober: Prober): string | undefined {
  const { limit, allowWrites } = prober.settings;
  if (limit === undefined) return 'needs `probes.limit`';
  const lacks = lacksRequest(limit.request, 'probes.limit.request', allowWrites);
  return lacks ?? (prober.canLogIn ? lacksSession(prober) : undefined);
}

export const notReached = () => new CannotCheck('the rate limit was not reached');

/** Looks at each response that refuses, whose wait is in `header`. @throws CannotCheck when there is none. */
export function lookAtAll(problem: (seen: Completed, header: string, prober: Prober) => string | undefined) {
  return async (judge: Judge) => {
    const { prober, settings } = judge;
    const { refusals } = await reachLimit(prober);
    if (refusals.length === 0) throw notReached();
    reportAlike(judge, refusals, (seen) => problem(seen, settings.rateLimit.header, prober));
  };
}

/** Sends until the connector refuses, once for all cases. @throws CannotCheck when no session serves parallel requests. */
export function reachLimit(prober: Prober): Promise<ReachedLimit> {
  return prober.once('limit', async () => {
    if (prober.canLogIn && lacksProbe(prober, 'readable') === undefined) {
      await acceptedSession(prober);
      if ((await shareSession(prober).catch(ignoreCannotCheck))?.refused.length)
        throw new CannotCheck('simultaneous requests are refused (session.parallel)');
    }
    return sendUntilRefused(prober);
  });
}

async function sendUntilRefused(prober: Prober): Promise<ReachedLimit> {
  const { request, times, concurrency, before } = prober.settings.limit!;
  const others = await otherRequests(prober);
  await callProbe('limit.before', () => before?.());
  await prober.limits.waitOut();
  let session = await prober.session();
  let sent = 0;
  let last: Completed | undefined;
  let fastestMs = Number.POSITIVE_INFINITY;
  let slowestMs = 0;
  const began = performance.now();
  /** At the first refusal, because some limits last only for moments; one by one, so that no more are in flight than before. */
  const sendOthers = () =>
    prober.once('others at the limit', async () => {
      const seen: Exchange[] = [];
      for (const other of others) seen.push(await prober.sendNow(other, session));
      return seen;
    });
  const sendOne = async () => {
    const seen = await prober.sendNow(request, session);
    if (hasResponse(seen) && prober.limits.isLimit(seen)) await sendOthers();
    return seen;
  };
  const unexpected: Exchange[] = [];
  /** What the request gets below the limit: it need not be a success. */
  let usual: number | undefined;
  while (sent < times) {
    const batch = Math.min(concurrency, times - sent);
    sent += batch;
    const all = await Promise.all(Array.from({ length: batch }, sendOne));
    const exchanges = all.filter(hasResponse);
    const refused = exchanges.filter((exchange) => prober.limits.isLimit(exchange));
    const denied = exchanges.filter((exchange) => isDenied(exchange) && !prober.limits.isLimit(exchange));
    const refusals = [...refused, ...denied];
    usual ??= exchanges.find((exchange) => !refusals.includes(exchange))?.response.status;
    unexpected.push(...all.filter((exchange) => !isExpected(exchange, usual, refusals)));
    last = exchanges.at(-1) ?? last;
    fastestMs = Math.min(fastestMs, ...exchanges.map(({ durationMs }) => durationMs));
    slowestMs = Math.max(slowestMs, ...exchanges.map(({ durationMs }) => durationMs));
    if (refusals.length > 0) {
      const seen = refused.length === 0 ? [] : await sendOthers();
      const refusedToo = seen.filter(hasResponse).filter(({ response }) => isOneOf(403, 429)(response.status));
      const elsewhere = seen.filter((each) => !hasResponse(each) || each.response.status >= 500);
      const waits = [...refused, ...refusedToo].map((exchange) => prober.limits.waitOf(exchange).waitMs ?? 1000);
      for (const waitMs of waits) if (waitMs <= prober.settings.maxWaitMs) prober.limits.pause(waitMs);
      return { refusals: [...refusals, ...refusedToo], sent, last, unexpected, elsewhere, slowestMs, slow: undefined };
    }
    if (exchanges.length === 0) break;
    if (exchanges.some(({ response }) => response.status === 401) && prober.canLogIn) {
      prober.forgetSession();
      session = await prober.session();
    }
  }
  const tookMs = performance.now() - began;
  const isSlow = unexpected.length === 0 && fastestMs >= slowMs;
  const rate = `${sent} requests took ${(tookMs / 1000).toFixed(1)} s (${Math.round((sent / tookMs) * 1000)} a second), each at least ${Math.round(fastestMs)} ms`;
  return { refusals: [], sent, last, unexpected, elsewhere: [], slowestMs, slow: isSlow ? rate : undefined };
}

/** At most two other requests, which are neither refused nor fail without the limit. They may have a limit of their own. */
async function otherRequests(prober: Prober): Promise<ReadyRequest[]> {
  const { settings } = prober;
  const { request } = settings.limit!;
  const samples = { invalid: 'invalid-payload', readable: undefined, unknown: 'unknown-resource' } as const;
  const found: ReadyRequest[] = [];
  for (const name of ['invalid', 'readable', 'unknown'] as const) {
    const other = settings[name];
    if (other === undefined || lacksProbe(prober, name) !== undefined || found.length === 2) continue;
    if (other.method === request.method && other.path === request.path) continue;
    const sample = samples[name];
    const usual = await (sample ? takeSample(prober, sample) : takeReadable(prober)).catch(ignoreCannotCheck);
    const status = usual?.response?.status ?? 500;
    if (status < 500 && status !== 403 && status !== 429) found.push(other);
  }
  return found;
}

/** The response of the limit after its wait, or after `maxWaitMs` if that is sooner. Once for all cases. */
export function askAgain(prober: Prober, limit: Completed) {
  return prober.once('after the limit', async () => {
    const { waitMs } = prober.limits.waitOf(limit);
    if (waitMs === undefined) throw new CannotCheck('the wait cannot be read');
    const ask = async () => prober.sendNow(prober.settings.limit!.request, await prober.session());
    if (waitMs > prober.settings.maxWaitMs) return { again: await prober.askEarly(limit, ask), waitMs, isEarly: true };
    await prober.limits.waitOut();
    return { again: await ask(), waitMs, isEarly: false };
  });
}

export const isDenied = ({ response }: Completed) => response.status === 403 || response.status === 503;

/** A 401 may mean that the session has ended. */
function isExpected(seen: Exchange, usual: number | undefined, refusals: readonly Exchange[]): boolean {
  if (!hasResponse(seen)) return false;
  const { status } = seen.response;
  return isSuccess(status) || status === 401 || (status === usual && status < 500) || refusals.includes(seen);
}
