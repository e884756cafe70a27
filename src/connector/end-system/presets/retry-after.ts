import type { PresetRule, WaitSource } from '../preset.js';

/** HTTP's own header for how long to wait. */
export const retryAfter: WaitSource = { header: 'retry-after', unit: 'auto' };

/** HTTP's own rate limit. */
export const tooManyRequests: PresetRule = { when: { status: [429] }, is: 'rate-limit', wait: [retryAfter] };
