import type { Preset } from '../preset.js';
import { tooManyRequests } from './retry-after.js';

// Sources: https://www.twilio.com/docs/api/errors/20429 , https://www.twilio.com/docs/api/errors/20003
/** Twilio. Its limits are short and seldom say how long. */
export const twilio: Preset = {
  name: 'twilio',
  rules: [{ ...tooManyRequests, fallbackWaitMs: 3_000 }],
};
