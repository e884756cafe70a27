import type { Match, Preset, PresetRule } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://www.mediawiki.org/wiki/API:Errors_and_warnings , https://www.mediawiki.org/wiki/Manual:Maxlag_parameter
//          https://phabricator.wikimedia.org/T33156 (a recorded maxlag)
const header = 'mediawiki-api-error';
const missing = /^(?:missingtitle|nosuch\w+|missingrev)$/;
const session = /^(?:assert(?:user|bot|nameduser)failed|notloggedin|mwoauth-invalid-authorization)$/;
const denied = /^(?:permissiondenied|readapidenied|writeapidenied|protectedpage|cascadeprotected|(?:auto)?blocked)$/;

/** A rule for a code in the body, and one for other error formats, which have it in a header. */
function both(matches: Match, rule: Omit<PresetRule, 'when'>): PresetRule[] {
  return [
    { when: { status: [200], body: { path: 'error.code', matches } }, ...rule },
    { when: { status: [200], headers: { [header]: matches } }, ...rule },
  ];
}

/** MediaWiki's action API: every failure is a 200 with an `error`. */
export const mediawiki: Preset = {
  name: 'mediawiki',
  code: ['error.code', 'errors.*.code'],
  message: ['error.info', 'errors.*.text', 'errors.*.html'],
  rules: [
    ...both('maxlag', { is: 'rate-limit', wait: [retryAfter], fallbackWaitMs: 5_000 }),
    ...both('ratelimited', { is: 'rate-limit', wait: [retryAfter] }),
    tooManyRequests,
    ...both(session, { is: 'unauthorized' }),
    ...both(denied, { is: 'forbidden' }),
    ...both(missing, { is: 'not-found' }),
    ...both(/^(?:readonly|internal_api_error_\w+)$/, { is: 'other', status: 503 }),
    ...both(true, { is: 'bad-request' }),
  ],
};
