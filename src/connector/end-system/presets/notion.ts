import type { Preset } from '../preset.js';

// Sources: https://developers.notion.com/reference/request-limits , https://developers.notion.com/reference/status-codes
//          https://github.com/makenotion/notion-sdk-js/blob/main/src/errors.ts (codes)
/** Notion. An overload (529) is waited for when it says how long. */
export const notion: Preset = {
  name: 'notion',
  code: ['code'],
  message: ['message'],
  rules: [
    { when: { status: [429] }, is: 'rate-limit', wait: [{ header: 'retry-after', unit: 'auto' }] },
    {
      when: { status: [529], headers: { 'retry-after': true } },
      is: 'rate-limit',
      wait: [{ header: 'retry-after', unit: 'auto' }],
    },
  ],
};
