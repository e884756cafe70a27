import type { BodyCondition, Preset } from '../preset.js';
import { retryAfter, tooManyRequests } from './retry-after.js';

// Sources: https://spec.graphql.org/October2021/#sec-Response (errors, and data beside them)
//          https://www.apollographql.com/docs/apollo-server/data/errors (codes; those of other servers are in comments)
const statuses = [200, 400, 403, 422, 500];
const says = (matches: RegExp): BodyCondition => ({ path: 'errors.*.extensions.*', matches });
/** Data beside the errors is for the caller: part of a mutation may have succeeded. */
const nothing: BodyCondition = { path: 'data.*', matches: false };

/** GraphQL of no product in particular. Most failures are a 200; their code, if there is one, says what failed. */
export const graphql: Preset = {
  name: 'graphql',
  // Apollo and most others, Spring, Netflix DGS.
  code: ['errors.*.extensions.code', 'errors.*.extensions.classification', 'errors.*.extensions.errorType'],
  message: ['errors.*.message'],
  rules: [
    {
      // Hot Chocolate says `AUTH_…`, Hasura `invalid-jwt`; Spring's UNAUTHORIZED means that nobody is logged in.
      when: {
        status: statuses,
        body: [says(/^(?:UNAUTHENTICATED|UNAUTHORIZED|AUTH_NOT_AUTHENTICATED|invalid-jwt)$/i), nothing],
      },
      is: 'unauthorized',
    },
    {
      when: {
        status: statuses,
        body: [says(/^(?:RATE_?LIMITED|RATE_LIMIT_EXCEEDED|TOO_MANY_REQUESTS|THROTTLED)$/i), nothing],
      },
      is: 'rate-limit',
      wait: [retryAfter],
    },
    tooManyRequests,
    {
      when: {
        status: statuses,
        body: [says(/^(?:FORBIDDEN|ACCESS_DENIED|PERMISSION_DENIED|AUTH_NOT_AUTHORIZED|access-denied)$/i), nothing],
      },
      is: 'forbidden',
    },
    { when: { status: statuses, body: [says(/^NOT_FOUND$/i), nothing] }, is: 'not-found' },
    { when: { status: statuses, body: [says(/^(?:SERVICE_)?UNAVAILABLE$/i), nothing] }, is: 'other', status: 503 },
    {
      when: { status: statuses, body: [says(/^INTERNAL(?:_SERVER)?(?:_ERROR)?$/i), nothing] },
      is: 'other',
      status: 502,
    },
    { when: { status: [200], body: [{ path: 'errors.*', matches: true }, nothing] }, is: 'bad-request' },
  ],
};
