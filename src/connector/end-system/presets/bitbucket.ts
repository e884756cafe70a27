import type { Preset } from '../preset.js';
import { tooManyRequests } from './retry-after.js';

// Sources: https://support.atlassian.com/bitbucket-cloud/docs/api-request-limits/
//          https://github.com/MitjaBezensek/SharpBucket/issues/108 (a recorded 429)
/** Bitbucket Cloud. Its 429 is plain text without a wait. It counts the last hour: after five minutes some of that is back. */
export const bitbucket: Preset = {
  name: 'bitbucket',
  rules: [{ ...tooManyRequests, fallbackWaitMs: 5 * 60_000 }],
};
