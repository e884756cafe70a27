import type { Preset } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://developer.zendesk.com/api-reference/introduction/rate-limits/
//          https://developer.zendesk.com/documentation/ticketing/using-the-zendesk-api/best-practices-for-avoiding-rate-limiting/
/**
 * Zendesk's Support API. `error` is a code (`RecordNotFound`), a sentence, or an object with a title. The response to a
 * limit may be plain text.
 */
export const zendesk: Preset = {
  name: 'zendesk',
  code: [{ path: 'error', matches: /^\w+$/ }],
  message: ['description', 'error.message', 'error.title', 'error'],
  quota: [
    {
      remaining: 'x-rate-limit-remaining',
      limit: 'x-rate-limit',
      reset: { header: 'ratelimit-reset', unit: 'seconds' },
      window: 60_000,
    },
  ],
  rules: [
    {
      ...tooManyRequests,
      wait: [
        retryAfter,
        { header: 'zendesk-ratelimit-tickets-index', unit: 'seconds', pattern: /remaining=0;.*resets=(\d+)/ },
        { header: 'ratelimit-reset', unit: 'seconds' },
      ],
    },
  ],
};
