import type { ConnectorClientOptions } from 'concordat/client';
import { canary } from './model-sessions.js';
import type { ClientPlan } from './schedule.js';
import { scopeOf, toSender } from './tags.js';
import { origin } from './wires.js';

/** The options of the client that a plan describes; clock, state and transport are the run's. */
export function toOptions(plan: ClientPlan): ConnectorClientOptions {
  const { fallbackWaitMs, maxWaitMs, maxTotalWaitMs, jitterMs, onLimit = 'wait', scopes = 1 } = plan;
  return {
    baseUrl: origin,
    initialize: { parameters: { user: 'ada', password: `${canary}-password` }, timeoutMs: plan.loginTimeoutMs },
    rateLimit: {
      fallbackWaitMs,
      maxWaitMs,
      jitterMs,
      onLimit,
      ...(maxTotalWaitMs === undefined ? {} : { maxTotalWaitMs }),
      ...(scopes > 1 ? { scope: ({ path }) => scopeOf(toSender(path), scopes) } : {}),
    },
    retry: { retries: plan.retries, minTimeoutMs: 200, maxTimeoutMs: 2000 },
    timeoutMs: plan.timeoutMs,
    concurrency: plan.concurrency,
    pacing: plan.pacing,
    freshSessionGraceMs: plan.freshSessionGraceMs,
    loginCooldownMs: plan.loginCooldownMs,
    ...(plan.cleanup ? { cleanup: {} } : {}),
  };
}
