import type { BodyCondition, Preset, PresetRule } from '../preset.js';
import { retryAfter } from './retry-after.js';

// Sources: https://developers.google.com/workspace/drive/api/guides/handle-errors
//          https://developers.google.com/workspace/gmail/api/guides/handle-errors
//          https://developers.google.com/workspace/admin/reseller/v1/limits (503)
//          https://cloud.google.com/service-usage/docs/troubleshooting
//          https://github.com/googleapis/python-genai/issues/1875 (a recorded RetryInfo)
const limited = [403, 429, 503];
const reason = (matches: RegExp): BodyCondition => ({ path: 'error.errors.*.reason', matches });
const limit: Omit<PresetRule, 'when'> = {
  is: 'rate-limit',
  wait: [
    retryAfter,
    { body: 'error.details.*.retryDelay', unit: 'seconds', pattern: /^(\d+(?:\.\d+)?)s$/ },
    { body: 'error.message', unit: 'iso-8601', pattern: /Retry after (\d\S*Z)/ },
  ],
  fallbackWaitMs: 30_000,
};

/**
 * Google's REST APIs: Drive, Gmail, Calendar, Sheets, Admin, Cloud. The reason or status in its body tells whether a 403
 * is a limit. Most limits name no wait; Google then asks for half a minute. A daily quota is tried again every hour.
 */
export const googleApis: Preset = {
  name: 'google-apis',
  code: ['error.errors.0.reason', 'error.details.*.reason', 'error.status', { path: 'error', matches: /^[a-z_]+$/ }],
  message: ['error.message', 'error_description'],
  rules: [
    {
      when: { status: limited, body: reason(/^(?:dailyLimitExceeded|quotaExceeded)/) },
      ...limit,
      fallbackWaitMs: 60 * 60_000,
    },
    { when: { status: limited, body: reason(/rateLimitExceeded/i) }, ...limit },
    { when: { status: limited, body: { path: 'error.status', matches: 'RESOURCE_EXHAUSTED' } }, ...limit },
    { when: { status: [429] }, ...limit },
  ],
};
