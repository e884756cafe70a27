import type { Preset } from '../preset.js';

// Sources: https://developers.asana.com/docs/rate-limits , https://developers.asana.com/docs/errors
/** Asana. It has no error codes. */
export const asana: Preset = {
  name: 'asana',
  message: ['errors.*.message'],
  rules: [{ when: { status: [429] }, is: 'rate-limit', wait: [{ header: 'retry-after', unit: 'auto' }] }],
};
