import type { Preset } from '../preset.js';
import { tooManyRequests } from './retry-after.js';

// Source: https://developers.freshdesk.com/api/#error , https://developers.freshdesk.com/api/#ratelimit
/** Freshdesk. */
export const freshdesk: Preset = {
  name: 'freshdesk',
  code: ['code', 'errors.*.code'],
  message: ['message', 'description'],
  rules: [tooManyRequests],
};
