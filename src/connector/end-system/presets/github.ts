import type { BodyCondition, HeaderReading, Preset, PresetRule } from '../preset.js';
import { retryAfter } from './retry-after.js';

// Sources: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
//          https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
//          https://github.com/octokit/plugin-throttling.js/blob/main/src/index.ts
//          https://github.com/yanyongyu/githubkit/issues/271 (RATE_LIMIT beside RATE_LIMITED)
//          https://github.com/octokit/graphql.js/blob/main/src/graphql.ts (throws for any `errors`, with the data)
//          https://github.com/shurcooL/githubv4/issues/38, https://github.com/faros-ai/airbyte-connectors/pull/1865 (timeouts)
const limited = [403, 429];
const usedUp = { 'x-ratelimit-remaining': '0' };
const reset: HeaderReading = { header: 'x-ratelimit-reset', unit: 'epoch-seconds' };

// Successful REST responses are never examined for this.
const isGraphQL = { 'x-ratelimit-resource': 'graphql' };
const exhausted: BodyCondition = { path: 'errors.*.type', matches: /^RATE_LIMIT(?:ED)?$/ };

/** A failure of GraphQL with no data, not even in the fields of a result that is there (`{ repository: { issue: null } }`). */
const failed = (error: BodyCondition, is: PresetRule['is']): PresetRule => ({
  // Successes of REST have `errors`, too, such as those of a CODEOWNERS file.
  when: {
    status: [200],
    headers: { 'x-github-media-type': /^github\.v4\b/ },
    body: [error, { path: 'data.*.*', matches: false }],
  },
  is,
});

/**
 * github.com and Enterprise Server. A 403 is a limit if `retry-after` or the message says so (the secondary limits) or the
 * quota is used up (the primary one); any other 403 is a denial. In REST only the `errors` of a 422 have codes
 * (`already_exists`, `missing_field`). GraphQL reports its failures with a 200; errors beside data are left to the connector.
 */
export const github: Preset = {
  name: 'github',
  code: ['errors.0.code', { path: 'errors.0.type', matches: /^[A-Z_]+$/ }, 'errors.0.extensions.code'],
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
    { ...failed(exhausted, 'rate-limit'), wait: [retryAfter] },
    failed({ path: 'errors.*.type', matches: /^(?:FORBIDDEN|INSUFFICIENT_SCOPES)$/ }, 'forbidden'),
    failed({ path: 'errors.*.type', matches: 'NOT_FOUND' }, 'not-found'),
    failed({ path: 'errors.*.message', matches: /^Something went wrong while executing your query/ }, 'other'),
    failed({ path: 'errors.*', matches: true }, 'bad-request'),
  ],
};
