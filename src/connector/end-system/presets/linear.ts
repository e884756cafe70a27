import type { BodyCondition, Preset } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://linear.app/developers/rate-limiting
//          https://github.com/linear/linear/blob/master/packages/sdk/src/error.ts (headers, and the types of errors)
const statuses = [200, 400];
const says = (matches: RegExp): BodyCondition => ({ path: 'errors.*.extensions.*', matches });
const limited = says(/^ratelimited$/i);

/**
 * Linear's GraphQL API. Failures are a 400 or a 200; the code says which. There are two budgets, for requests and for
 * complexity, each with its reset in milliseconds: the one that is used up counts.
 */
export const linear: Preset = {
  name: 'linear',
  code: ['errors.*.extensions.code', 'errors.*.extensions.type'],
  message: ['errors.*.extensions.userPresentableMessage', 'errors.*.message'],
  quota: [
    {
      remaining: 'x-ratelimit-requests-remaining',
      limit: 'x-ratelimit-requests-limit',
      reset: { header: 'x-ratelimit-requests-reset', unit: 'epoch-milliseconds' },
      window: 60 * 60_000,
    },
  ],
  rules: [
    {
      when: { status: [...statuses, 429], headers: { 'x-ratelimit-requests-remaining': '0' }, body: limited },
      is: 'rate-limit',
      wait: [retryAfter, { header: 'x-ratelimit-requests-reset', unit: 'epoch-milliseconds' }],
    },
    {
      when: { status: [...statuses, 429], headers: { 'x-ratelimit-complexity-remaining': '0' }, body: limited },
      is: 'rate-limit',
      wait: [retryAfter, { header: 'x-ratelimit-complexity-reset', unit: 'epoch-milliseconds' }],
    },
    { when: { status: statuses, body: limited }, is: 'rate-limit', wait: [retryAfter] },
    tooManyRequests,
    { when: { status: statuses, body: says(/^authentication[ _]error$/i) }, is: 'unauthorized' },
    { when: { status: statuses, body: says(/^(?:forbidden|feature[ _]not[ _]accessible)$/i) }, is: 'forbidden' },
    { when: { status: statuses, body: { path: 'errors.*.message', matches: /^Entity not found/ } }, is: 'not-found' },
    { when: { status: statuses, body: says(/^(?:internal[ _]error|lock[ _]timeout)$/i) }, is: 'other', status: 503 },
    { when: { status: [200], body: { path: 'errors.*', matches: true } }, is: 'bad-request' },
  ],
};
