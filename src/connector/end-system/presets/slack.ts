import type { BodyCondition, Preset, PresetRule } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://docs.slack.dev/apis/web-api/rate-limits
//          https://docs.slack.dev/reference/methods/auth.test (the errors that every method has)
const failed: BodyCondition = { path: 'ok', matches: 'false' };

const says = (matches: RegExp, rule: Omit<PresetRule, 'when'>): PresetRule => ({
  when: { status: [200], body: [failed, { path: 'error', matches }] },
  ...rule,
});

const refused = [
  'access_denied',
  'accesslimited',
  'ekm_access_denied',
  'enterprise_is_restricted',
  'missing_scope',
  'no_permission',
  'not_allowed_token_type',
  'not_in_channel',
  'org_login_required',
  'restricted_action',
  'team_access_not_granted',
  'two_factor_setup_required',
];

/** Slack's Web API: everything but a limit is a 200, and `ok` tells successes from failures. */
export const slack: Preset = {
  name: 'slack',
  code: ['error'],
  message: ['response_metadata.messages', 'error'],
  rules: [
    tooManyRequests,
    says(/^rate_?limited$/, { is: 'rate-limit', wait: [retryAfter] }),
    says(/^(?:token_expired|token_revoked|invalid_auth|not_authed|account_inactive)$/, { is: 'unauthorized' }),
    says(new RegExp(`^(?:${refused.join('|')})$`), { is: 'forbidden' }),
    says(/_not_found$/, { is: 'not-found' }),
    says(/^(?:internal_error|fatal_error|service_unavailable|request_timeout)$/, { is: 'other', status: 503 }),
    { when: { status: [200], body: failed }, is: 'bad-request' },
  ],
};
