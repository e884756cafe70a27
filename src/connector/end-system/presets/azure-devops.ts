import type { Preset } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://learn.microsoft.com/azure/devops/integrate/concepts/rate-limits
//          https://github.com/microsoft/azure-devops-auth-samples/issues/52 (203 and 401 for an expired token)
/**
 * Azure DevOps Services. With an expired token, writes get a 401, but reads a 203 with the sign-in page. A request that was
 * only slowed down is a 200 with `Retry-After` and stays a success.
 */
export const azureDevOps: Preset = {
  name: 'azure-devops',
  code: ['typeKey'],
  rules: [
    { ...tooManyRequests, wait: [retryAfter, { header: 'x-ratelimit-reset', unit: 'epoch-seconds' }] },
    { when: { status: [203], headers: { 'content-type': /html/i } }, is: 'unauthorized' },
  ],
};
