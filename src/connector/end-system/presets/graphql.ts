import type { BodyCondition, Preset, PresetRule } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://spec.graphql.org/October2021/#sec-Response (errors, and data beside them)
//          https://www.apollographql.com/docs/apollo-server/data/errors (codes; those of other servers are in comments)
/** Data beside the errors is for the caller: part of a mutation may have succeeded. */
const nothing: BodyCondition = { path: 'data.*', matches: false };
const says = (matches: RegExp, rule: Omit<PresetRule, 'when'>): PresetRule[] =>
  ['errors.*.extensions.*', 'errors.*.type'].map((path) => ({
    when: { status: [200, 400, 403, 422, 500], body: [{ path, matches }, nothing] },
    ...rule,
  }));

/** GraphQL of no product in particular. Most failures are a 200; their code, if there is one, says what failed. */
export const graphql: Preset = {
  name: 'graphql',
  code: [
    // Apollo and most others, Spring, Netflix DGS.
    ...['errors.*.extensions.code', 'errors.*.extensions.classification', 'errors.*.extensions.errorType'],
    { path: 'errors.*.type', matches: /^[A-Z]+(?:_[A-Z]+)*$/ }, // GitHub
  ],
  message: ['errors.*.message'],
  rules: [
    // Hot Chocolate says `AUTH_…`, Hasura `invalid-jwt`; Spring's UNAUTHORIZED means that nobody is logged in.
    ...says(/^(?:UNAUTHENTICATED|UNAUTHORIZED|AUTH_NOT_AUTHENTICATED|invalid-jwt)$/i, { is: 'unauthorized' }),
    ...says(/^(?:RATE_?LIMITED|RATE_LIMIT_EXCEEDED|TOO_MANY_REQUESTS|THROTTLED)$/i, {
      is: 'rate-limit',
      wait: [retryAfter],
    }),
    tooManyRequests,
    ...says(/^(?:FORBIDDEN|ACCESS_DENIED|PERMISSION_DENIED|AUTH_NOT_AUTHORIZED|access-denied)$/i, { is: 'forbidden' }),
    ...says(/^NOT_FOUND$/i, { is: 'not-found' }),
    ...says(/^(?:SERVICE_)?UNAVAILABLE$/i, { is: 'other', status: 503 }),
    ...says(/^(?:(?:REQUEST|GATEWAY)_)?TIME_?OUT$/i, { is: 'other', status: 504 }),
    ...says(/^INTERNAL(?:_SERVER)?(?:_ERROR)?$/i, { is: 'other', status: 502 }),
    { when: { status: [200], body: [{ path: 'errors.*', matches: true }, nothing] }, is: 'bad-request' },
  ],
};
