import type { PresetRule, WaitSource } from '../preset.js';

/** The header of HTTP that says how long to wait. */
export const retryAfter: WaitSource = { header: 'retry-after', unit: 'auto' };

/** A limit as HTTP has it. */
export const tooManyRequests: PresetRule = { when: { status: [429] }, is: 'rate-limit', wait: [retryAfter] };
