import type { HeaderReading, Preset } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://developers.intercom.com/docs/references/rest-api/errors/rate-limiting
//          https://developers.intercom.com/intercom-api-reference/reference/error-codes
const reset: HeaderReading = { header: 'x-ratelimit-reset', unit: 'epoch-seconds' };

/** Intercom. It counts requests in windows of ten seconds. */
export const intercom: Preset = {
  name: 'intercom',
  code: ['errors.*.code'],
  quota: [{ remaining: 'x-ratelimit-remaining', reset }],
  rules: [{ ...tooManyRequests, wait: [retryAfter, reset], fallbackWaitMs: 10_000 }],
};
