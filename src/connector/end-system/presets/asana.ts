import type { Preset } from '../preset.js';
import { tooManyRequests } from './retry-after.js';

// Sources: https://developers.asana.com/docs/rate-limits , https://developers.asana.com/docs/errors
/** Asana. It has no error codes. */
export const asana: Preset = {
  name: 'asana',
  rules: [tooManyRequests],
};
