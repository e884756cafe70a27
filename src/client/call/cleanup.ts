import { latestDateMs } from '../../internal/index.js';
import { RequestError } from '../errors.js';
import { readErrorContent } from '../http/read-error.js';
import { toTarget, withoutQuery } from '../http/request-target.js';
import { readWait } from '../rate-limit/limit-headers.js';
import { toRateLimitError } from '../rate-limit/wait-limits.js';
import type { Session } from '../session/session.js';
import { responseError, secretsOf } from './failure.js';
import { classify, type RunContext } from './run.js';

/** Tells the connector that a session is over (rule S1). @throws if the response is not a success. */
export async function cleanUp(context: RunContext, session: Session, path: string): Promise<void> {
  const { settings, transport, clock, secrets: shared } = context;
  const { basePath, timeoutMs, rateLimit } = settings;
  const request = { method: 'POST', path: withoutQuery(path) };
  const sent = { target: toTarget(basePath, path, undefined), headers: session.withDefaults };
  const rest = { body: undefined, timeoutMs, signal: undefined, mayStart: () => true };
  const outcome = await transport.send({ method: 'POST', ...sent, ...rest });
  if (outcome.type !== 'response') {
    const code = outcome.type === 'timeout' ? 'TIMEOUT' : 'NETWORK_ERROR';
    throw new RequestError('the session could not be cleaned up', { code, request });
  }
  const kind = classify(outcome, sent.headers, rateLimit.header);
  // A session that has ended already needs no clean-up.
  if (outcome.status < 300 || kind === 'unauthorized') return;
  const secrets = secretsOf({ ...sent, session }, shared);
  if (kind !== 'limit') throw responseError({ request, kind, response: outcome }, secrets);
  const now = clock.now();
  const waitMs = readWait(outcome.headers, rateLimit, now) ?? rateLimit.fallbackWaitMs;
  const resumeAt = new Date(Math.min(now + waitMs, latestDateMs));
  const content = readErrorContent(outcome, secrets, 'rate-limit');
  throw toRateLimitError(content.message, { remainingMs: resumeAt.getTime() - now, resumeAt, request, content });
}
