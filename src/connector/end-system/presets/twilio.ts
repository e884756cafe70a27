import type { Preset } from '../preset.js';

// Sources: https://www.twilio.com/docs/api/errors/20429 , https://www.twilio.com/docs/api/errors/20003
/** Twilio. Its limits are short and seldom say how long. */
export const twilio: Preset = {
  name: 'twilio',
  code: ['code'],
  message: ['message'],
  rules: [
    {
      when: { status: [429] },
      is: 'rate-limit',
      wait: [{ header: 'retry-after', unit: 'auto' }],
      fallbackWaitMs: 3_000,
    },
  ],
};
