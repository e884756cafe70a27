import type { Preset } from '../preset.js';

// Sources: https://learn.microsoft.com/graph/throttling , https://learn.microsoft.com/graph/errors
/** Microsoft Graph. The message of a limit is often empty. */
export const microsoftGraph: Preset = {
  name: 'microsoft-graph',
  code: ['error.code'],
  message: ['error.message'],
  rules: [
    { when: { status: [429] }, is: 'rate-limit', wait: [{ header: 'retry-after', unit: 'auto' }] },
    {
      when: { status: [503, 504], headers: { 'retry-after': true } },
      is: 'rate-limit',
      wait: [{ header: 'retry-after', unit: 'auto' }],
    },
  ],
};
