import type { Preset } from '../preset.js';
import { retryAfter } from './retry-after.js';

// Sources: https://developers.dropbox.com/error-handling-guide
//          https://www.dropbox.com/developers/documentation/http/documentation#errors
/** Dropbox. Failures of an endpoint's own are a 409; the summary is a path of tags: `path/not_found/..`. */
export const dropbox: Preset = {
  name: 'dropbox',
  code: [
    ['error', 'reason', '.tag'],
    ['error', '.tag'],
  ],
  message: ['user_message.text', 'error_summary', 'error_description'],
  rules: [
    { when: { status: [429] }, is: 'rate-limit', wait: [retryAfter, { body: 'error.retry_after', unit: 'seconds' }] },
    { when: { status: [409], body: { path: 'error_summary', matches: /(?:^|\/)not_found\b/ } }, is: 'not-found' },
  ],
};
