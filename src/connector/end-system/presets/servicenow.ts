import type { Preset } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Source: https://www.servicenow.com/docs/r/api-reference/rest-api-explorer/inbound-REST-API-rate-limiting.html
/** ServiceNow's REST APIs. It sends a 404 for a record that the user may not read, too. It has no error codes. */
export const servicenow: Preset = {
  name: 'servicenow',
  rules: [{ ...tooManyRequests, wait: [retryAfter, { header: 'x-ratelimit-reset', unit: 'epoch-seconds' }] }],
};
