import type { Preset } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://developers.notion.com/reference/request-limits , https://developers.notion.com/reference/status-codes
//          https://github.com/makenotion/notion-sdk-js/blob/main/src/errors.ts (codes)
/** Notion. An overload (529) is waited for when it says how long. */
export const notion: Preset = {
  name: 'notion',
  rules: [
    tooManyRequests,
    { when: { status: [529], headers: { 'retry-after': true } }, is: 'rate-limit', wait: [retryAfter] },
  ],
};
