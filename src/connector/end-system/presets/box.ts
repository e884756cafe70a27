import type { Preset } from '../preset.js';
import { tooManyRequests } from './retry-after.js';

// Sources: https://developer.box.com/guides/api-calls/permissions-and-errors/rate-limits
//          https://developer.box.com/guides/api-calls/permissions-and-errors/common-errors
//          https://github.com/box/box-node-sdk/blob/main/src/networking/retries.ts
/** Box. A download that is not ready yet is a 202 with `Retry-After`: a success, so the connector has to ask again. */
export const box: Preset = {
  name: 'box',
  code: ['code', { path: 'error', matches: /^[a-z_]+$/ }],
  message: ['message', 'error_description'],
  rules: [tooManyRequests],
};
