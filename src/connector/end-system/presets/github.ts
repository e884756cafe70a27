import type { Preset, WaitSource } from '../preset.js';

// Sources: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
//          https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
const limited = [403, 429];
const reset: WaitSource = { header: 'x-ratelimit-reset', unit: 'epoch-seconds' };

/**
 * github.com and Enterprise Server. A 403 is a limit when a header or the message says so: by `retry-after` or the message
 * for secondary limits, by an empty quota for the primary one; any other 403 is a denial. REST has no error code but in the
 * `errors` of a 422 (`already_exists`, `missing_field`). GraphQL answers an exhausted quota with a 200.
 */
export const github: Preset = {
  name: 'github',
  code: ['errors.0.code', { path: 'errors.0.type', matches: /^[A-Z_]+$/ }],
  message: ['message'],
  rules: [
    {
      when: { status: limited, headers: { 'retry-after': true } },
      is: 'rate-limit',
      wait: [{ header: 'retry-after', unit: 'auto' }],
    },
    { when: { status: limited, headers: { 'x-ratelimit-remaining': '0' } }, is: 'rate-limit', wait: [reset] },
    {
      when: {
        status: limited,
        body: { path: 'message', matches: /secondary rate limit|abuse detection|API rate limit exceeded/i },
      },
      is: 'rate-limit',
      fallbackWaitMs: 60_000,
    },
    // The quota's reset is on every answer, so without one of the signs above it says nothing about this limit.
    { when: { status: [429] }, is: 'rate-limit', fallbackWaitMs: 60_000 },
    {
      when: {
        status: [200],
        headers: { 'x-ratelimit-remaining': '0' },
        body: { path: 'errors.*.type', matches: 'RATE_LIMITED' },
      },
      is: 'rate-limit',
      wait: [reset],
    },
  ],
};
