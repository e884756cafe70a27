import type { BodyCondition, Match, Preset, PresetRule } from '../preset.js';
import { retryAfter } from './retry-after.js';

// Sources: https://developer.monday.com/api-reference/docs/error-handling
//          https://developer.monday.com/api-reference/docs/rate-limits
const statuses = [200, 400, 429];
const code = (matches: Match): BodyCondition => ({ path: 'errors.*.extensions.code', matches });
const status = (matches: string): BodyCondition => ({ path: 'errors.*.extensions.status_code', matches });
const limit: Omit<PresetRule, 'when'> = {
  is: 'rate-limit',
  wait: [retryAfter, { body: 'errors.*.extensions.retry_in_seconds', unit: 'seconds' }],
};

/**
 * monday.com. Failures are a 200 whose errors carry the real status. The daily limit ends at midnight UTC; it is tried again
 * every hour.
 */
export const monday: Preset = {
  name: 'monday',
  code: ['errors.*.extensions.code', 'error_code'],
  message: ['errors.*.message', 'error_message'],
  rules: [
    { when: { status: statuses, body: code('DAILY_LIMIT_EXCEEDED') }, ...limit, fallbackWaitMs: 60 * 60_000 },
    { when: { status: statuses, body: code(/^(?:COMPLEXITY_BUDGET_EXHAUSTED|ComplexityException)$/) }, ...limit },
    { when: { status: statuses, body: { path: 'error_code', matches: 'ComplexityException' } }, ...limit },
    { when: { status: [200], body: status('429') }, ...limit },
    { when: { status: [429] }, ...limit },
    { when: { status: [200], body: status('401') }, is: 'unauthorized' },
    { when: { status: [200], body: status('403') }, is: 'forbidden' },
    { when: { status: [200], body: status('404') }, is: 'not-found' },
    { when: { status: [200], body: { path: 'errors.*', matches: true } }, is: 'bad-request' },
    { when: { status: [200], body: { path: 'error_code', matches: true } }, is: 'bad-request' },
  ],
};
