import type { Preset } from '../preset.js';
import { retryAfter } from './retry-after.js';

// Sources: https://developers.intercom.com/docs/references/rest-api/errors/rate-limiting
//          https://developers.intercom.com/intercom-api-reference/reference/error-codes
/** Intercom. It counts requests in windows of ten seconds. */
export const intercom: Preset = {
  name: 'intercom',
  code: ['errors.*.code'],
  message: ['errors.*.message'],
  quota: [{ remaining: 'x-ratelimit-remaining', reset: { header: 'x-ratelimit-reset', unit: 'epoch-seconds' } }],
  rules: [
    {
      when: { status: [429] },
      is: 'rate-limit',
      wait: [retryAfter, { header: 'x-ratelimit-reset', unit: 'epoch-seconds' }],
      fallbackWaitMs: 10_000,
    },
  ],
};
