import type { Preset } from '../preset.js';

// Source: https://developers.freshdesk.com/api/#error , https://developers.freshdesk.com/api/#ratelimit
/** Freshdesk. */
export const freshdesk: Preset = {
  name: 'freshdesk',
  code: ['code', 'errors.*.code'],
  message: ['message', 'description'],
  rules: [{ when: { status: [429] }, is: 'rate-limit', wait: [{ header: 'retry-after', unit: 'auto' }] }],
};
