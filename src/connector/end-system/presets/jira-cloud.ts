import type { Preset } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://developer.atlassian.com/cloud/jira/platform/rate-limiting/
//          https://developer.atlassian.com/cloud/jira/platform/build-an-app-that-respects-rate-limits/
/** Jira Cloud's REST API. Its reset is a time without seconds. Instead of codes it has messages, and one for each field. */
export const jiraCloud: Preset = {
  name: 'jira-cloud',
  message: ['errorMessages', 'errors.*', 'message', 'errorMessage'],
  rules: [
    {
      ...tooManyRequests,
      wait: [
        retryAfter,
        { header: 'beta-retry-after', unit: 'auto' },
        { header: 'x-ratelimit-reset', unit: 'iso-8601' },
      ],
    },
  ],
};
