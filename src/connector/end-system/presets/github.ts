import type { BodyCondition, HeaderReading, Preset } from '../preset.js';
import { retryAfter } from './retry-after.js';

// Sources: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
//          https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
//          https://github.com/octokit/plugin-throttling.js/blob/main/src/index.ts
//          https://github.com/yanyongyu/githubkit/issues/271 (RATE_LIMIT beside RATE_LIMITED)
const limited = [403, 429];
const usedUp = { 'x-ratelimit-remaining': '0' };
const reset: HeaderReading = { header: 'x-ratelimit-reset', unit: 'epoch-seconds' };

// Successful REST responses are never examined for this.
const isGraphQL = { 'x-ratelimit-resource': 'graphql' };
const exhausted: BodyCondition = { path: 'errors.*.type', matches: /^RATE_LIMIT(?:ED)?$/ };

/**
 * github.com and Enterprise Server. A 403 is a limit if `retry-after` or the message says so (the secondary limits) or the
 * quota is used up (the primary one); any other 403 is a denial. In REST only the `errors` of a 422 have codes
 * (`already_exists`, `missing_field`). GraphQL reports its limits with a 200; its other errors are left to the connector,
 * because they come with data.
 */
export const github: Preset = {
  name: 'github',
  code: ['errors.0.code', { path: 'errors.0.type', matches: /^[A-Z_]+$/ }],
  // GraphQL counts points, and a search or an upload has a quota of its own.
  quota: [
    {
      when: { 'x-ratelimit-resource': 'core' },
      remaining: 'x-ratelimit-remaining',
      limit: 'x-ratelimit-limit',
      reset,
      window: 60 * 60_000,
    },
  ],
  rules: [
    { when: { status: limited, headers: { 'retry-after': true } }, is: 'rate-limit', wait: [retryAfter] },
    { when: { status: limited, headers: usedUp }, is: 'rate-limit', wait: [reset] },
    {
      when: {
        status: limited,
        body: {
          path: 'message',
          matches: /secondary rate limit|abuse detection|API rate limit (?:already )?exceeded/i,
        },
      },
      is: 'rate-limit',
    },
    // Every response carries the quota's reset: by itself it says nothing about this limit.
    { when: { status: [429] }, is: 'rate-limit' },
    { when: { status: [200], headers: usedUp, body: exhausted }, is: 'rate-limit', wait: [reset] },
    { when: { status: [200], headers: isGraphQL, body: exhausted }, is: 'rate-limit', wait: [reset] },
    {
      when: { status: [200], headers: isGraphQL, body: { path: 'errors.*.message', matches: /secondary rate limit/i } },
      is: 'rate-limit',
      wait: [retryAfter],
    },
  ],
};
