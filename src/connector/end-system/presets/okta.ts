import type { Preset, WaitSource } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://developer.okta.com/docs/reference/rl-best-practices/
//          https://developer.okta.com/docs/reference/error-codes/ (E0000005, E0000006, E0000007, E0000011, E0000047)
/** In whole seconds, so one more is added. */
const reset: WaitSource = { header: 'x-rate-limit-reset', unit: 'epoch-seconds', marginMs: 1_000 };

/** Okta. */
export const okta: Preset = {
  name: 'okta',
  code: ['errorCode', { path: 'error', matches: /^[a-z_]+$/ }],
  message: ['errorSummary', 'error_description'],
  quota: [{ remaining: 'x-rate-limit-remaining', reset }],
  rules: [
    { ...tooManyRequests, wait: [reset, retryAfter] },
    { when: { status: [403], body: { path: 'errorCode', matches: 'E0000005' } }, is: 'unauthorized' },
  ],
};
