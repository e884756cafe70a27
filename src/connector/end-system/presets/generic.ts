import type { Preset, WaitSource } from '../preset.js';
import { retryAfter } from './retry-after.js';

/** Everybody uses these names, each with units of their own. */
const wait: WaitSource[] = [
  retryAfter,
  { header: 'ratelimit-reset', unit: 'guess' },
  { header: 'x-ratelimit-reset', unit: 'guess' },
];

/**
 * What a status means where nothing is known about the system. Every other preset falls back on it, so each rule names the
 * statuses that it is for.
 */
export const generic: Preset = {
  name: 'generic',
  // A status text such as "Not Found" or "Forbidden" in `error` is no code; `invalid_grant` is (RFC 6749, 5.2).
  code: ['code', 'error.code', 'errors.0.code', 'errors.code', { path: 'error', matches: /^[a-z]\w{0,80}_\w{1,80}$/i }],
  message: [
    ...['message', 'error.message', 'errors.*.message', 'errors.message', 'error_description', 'error', 'errors'],
    ...['errors.*.detail', 'errors.detail', 'error.detail', 'detail', 'detail.*.msg'],
    'errors.*', // by field
    ...['errors.*.title', 'error.title', 'title'],
  ],
  quota: [
    { remaining: 'ratelimit-remaining', reset: { header: 'ratelimit-reset', unit: 'guess' } },
    { remaining: 'x-ratelimit-remaining', reset: { header: 'x-ratelimit-reset', unit: 'guess' } },
  ],
  rules: [
    { when: { status: [401] }, is: 'unauthorized' },
    { when: { status: [403], headers: { 'retry-after': true } }, is: 'rate-limit', wait },
    { when: { status: [403], headers: { 'x-ratelimit-remaining': /^0+$/ } }, is: 'rate-limit', wait },
    { when: { status: [403], headers: { 'ratelimit-remaining': /^0+$/ } }, is: 'rate-limit', wait },
    { when: { status: [403], headers: { ratelimit: /; *r=0+ *(?:[;,]|$)/ } }, is: 'rate-limit' },
    { when: { status: [403] }, is: 'forbidden' },
    { when: { status: [404, 410] }, is: 'not-found' },
    { when: { status: [409] }, is: 'bad-request', code: 'CONFLICT' },
    { when: { status: [400, 422] }, is: 'bad-request' },
    { when: { status: [429] }, is: 'rate-limit', wait },
    { when: { status: [503], headers: { 'retry-after': true } }, is: 'rate-limit', wait: [retryAfter] },
    { when: { status: [408] }, is: 'other', status: 504 },
    { when: { status: [529] }, is: 'other', status: 503 },
  ],
};
