import type { BodyCondition, Match, Preset } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://shopify.dev/docs/api/admin-rest/usage/rate-limits
//          https://shopify.dev/docs/apps/build/apis/graphql-admin/rate-limits
//          https://community.shopify.com/t/throttled/254776 (a recorded THROTTLED)
const code = (matches: Match): BodyCondition => ({ path: 'errors.*.extensions.code', matches });

/**
 * Shopify's Admin API. REST has a 429 with `Retry-After`; GraphQL reports its failures in a 200, a limit with the
 * query's cost and how fast the budget fills up. `userErrors` of a mutation are a result, not a failure.
 */
export const shopify: Preset = {
  name: 'shopify',
  code: ['errors.*.extensions.code'],
  message: ['errors', 'errors.*.message', 'errors.*', 'error_description', 'error'],
  rules: [
    {
      when: { status: [200, 429], body: code('THROTTLED') },
      is: 'rate-limit',
      wait: [
        {
          bucket: {
            cost: 'extensions.cost.requestedQueryCost',
            available: 'extensions.cost.throttleStatus.currentlyAvailable',
            restorePerSecond: 'extensions.cost.throttleStatus.restoreRate',
          },
        },
        retryAfter,
      ],
      fallbackWaitMs: 2_000,
    },
    { ...tooManyRequests, fallbackWaitMs: 2_000 },
    { when: { status: [200], body: code(/^(?:ACCESS_DENIED|SHOP_INACTIVE)$/) }, is: 'forbidden' },
    { when: { status: [200], body: code('INTERNAL_SERVER_ERROR') }, is: 'other' },
    { when: { status: [200], body: { path: 'errors.*', matches: true } }, is: 'bad-request' },
  ],
};
