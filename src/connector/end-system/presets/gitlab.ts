import type { Preset } from '../preset.js';
import { retryAfter } from './retry-after.js';

// Sources: https://gitlab.com/gitlab-org/gitlab/-/issues/199738 (a recorded 429 of an endpoint's own limit)
//          https://gitlab.com/gitlab-org/gitlab/-/merge_requests/206603 (since then it has Retry-After)
//          https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/
/**
 * gitlab.com and self-managed. Where an endpoint has a limit of its own, the `RateLimit-` headers describe another
 * one, which has quota left: their reset counts only when that quota is used up.
 */
export const gitlab: Preset = {
  name: 'gitlab',
  code: [{ path: 'error', matches: /^[a-z_]+$/ }],
  message: ['message.error', 'message', 'message.*', 'error_description', 'error'],
  quota: [
    {
      remaining: 'ratelimit-remaining',
      limit: 'ratelimit-limit',
      reset: { header: 'ratelimit-reset', unit: 'epoch-seconds' },
      window: 60_000,
    },
  ],
  rules: [
    { when: { status: [429], headers: { 'retry-after': true } }, is: 'rate-limit', wait: [retryAfter] },
    {
      when: { status: [429], headers: { 'ratelimit-remaining': '0' } },
      is: 'rate-limit',
      wait: [
        { header: 'ratelimit-reset', unit: 'epoch-seconds' },
        { header: 'ratelimit-resettime', unit: 'http-date' },
      ],
    },
    { when: { status: [429] }, is: 'rate-limit' },
  ],
};
