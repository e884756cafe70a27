import type { Preset } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://docs.discord.com/developers/topics/rate-limits
//          https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
/**
 * Discord. The exact wait is in the body, with decimals; the header is rounded. Most limits apply to one route, so a connector
 * with several routes should name scopes.
 */
export const discord: Preset = {
  name: 'discord',
  rules: [
    {
      ...tooManyRequests,
      wait: [
        { body: 'retry_after', unit: 'seconds' },
        { header: 'x-ratelimit-reset-after', unit: 'seconds' },
        retryAfter,
      ],
    },
  ],
};
