import type { HeaderReading, Preset, PresetRule } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines
//          https://developers.hubspot.com/docs/api-reference/error-handling (423, 477)
//          https://github.com/HGData/mk-node-hubspot/issues/89 (a recorded 429)
const window: HeaderReading = { header: 'x-hubspot-ratelimit-interval-milliseconds', unit: 'milliseconds' };
const limitOf = (matches: string, fallbackWaitMs: number): PresetRule => ({
  ...tooManyRequests,
  when: { status: [429], body: { path: 'policyName', matches } },
  fallbackWaitMs,
});

/**
 * HubSpot. It names the limit but not its end: the header in milliseconds is the length of the short window, and the daily
 * limit ends at midnight in the account's time zone. A move to another data center (477) is waited for like a limit.
 */
export const hubspot: Preset = {
  name: 'hubspot',
  code: ['category', 'errorType'],
  message: ['message', 'errors.*.message'],
  quota: [
    {
      remaining: 'x-hubspot-ratelimit-remaining',
      limit: 'x-hubspot-ratelimit-max',
      window,
    },
  ],
  rules: [
    limitOf('DAILY', 60 * 60_000),
    limitOf('SECONDLY', 1_000),
    { ...tooManyRequests, wait: [retryAfter, window], fallbackWaitMs: 10_000 },
    { when: { status: [477] }, is: 'rate-limit', wait: [retryAfter] },
    { when: { status: [423] }, is: 'rate-limit', wait: [retryAfter], fallbackWaitMs: 2_000 },
  ],
};
