import type { Preset } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://learn.microsoft.com/graph/throttling , https://learn.microsoft.com/graph/errors
/** Microsoft Graph. Limits often come with an empty message. */
export const microsoftGraph: Preset = {
  name: 'microsoft-graph',
  rules: [
    tooManyRequests,
    { when: { status: [503, 504], headers: { 'retry-after': true } }, is: 'rate-limit', wait: [retryAfter] },
  ],
};
