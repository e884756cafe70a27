import type { BodyCondition, Preset } from '../preset.js';
import { retryAfter } from './retry-after.js';

// Sources: https://developer.salesforce.com/docs/atlas.en-us.264.0.api_rest.meta/api_rest/errorcodes.htm
//          https://help.salesforce.com/s/articleView?id=000389067 (concurrent requests)
//          https://developer.salesforce.com/docs/marketing/marketing-cloud/guide/rate-limiting-errors.html
const limited = [403, 503];
const exceeded: BodyCondition = { path: '*.errorCode', matches: 'REQUEST_LIMIT_EXCEEDED' };

/**
 * Salesforce's REST APIs, and Marketing Cloud. A limit is a 403 (503 from Connect REST) with a code of its own, and does
 * not say itself how long: the daily one counts the last 24 hours, so that some of it comes back all the time; the one
 * on concurrent requests ends with some of them.
 */
export const salesforce: Preset = {
  name: 'salesforce',
  code: ['0.errorCode', 'errorcode', { path: 'error', matches: /^[a-z_]+$/ }],
  message: ['0.message', 'message', 'error_description'],
  rules: [
    {
      when: { status: limited, body: [exceeded, { path: '*.message', matches: /concurrent/i }] },
      is: 'rate-limit',
      wait: [retryAfter],
      fallbackWaitMs: 30_000,
    },
    { when: { status: limited, body: exceeded }, is: 'rate-limit', wait: [retryAfter], fallbackWaitMs: 15 * 60_000 },
    { when: { status: [429] }, is: 'rate-limit', wait: [retryAfter, { body: 'retryAfter', unit: 'seconds' }] },
  ],
};
