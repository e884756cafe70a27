import { date, type Outcome, type ReplySet } from '../reply-set.js';

const error = (code: number, message: string, reason: string) => ({
  error: { code, message, errors: [{ domain: 'usageLimits', reason, message }] },
});
const status = (code: number, message: string, name: string, details: object[] = []) => ({
  error: { code, message, status: name, details },
});
const retryInfo = (retryDelay: string) => [
  { '@type': 'type.googleapis.com/google.rpc.Help', links: [] },
  { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
];
const denied = error(
  403,
  'The user does not have sufficient permissions for this file.',
  'insufficientFilePermissions',
);
const denial: Outcome = { is: 'forbidden', code: 'insufficientFilePermissions', message: denied.error.message };
const until = 'User-rate limit exceeded.  Retry after 2030-01-01T00:03:00.000Z';

export const googleApis: ReplySet = {
  product: 'Google APIs',
  checkedAgainst: 'recorded responses',
  replies: [
    {
      what: "Drive's limit for a user",
      status: 403,
      body: error(403, 'User Rate Limit Exceeded', 'userRateLimitExceeded'),
      gives: { is: 'rate-limit', code: 'userRateLimitExceeded', message: 'User Rate Limit Exceeded', waitMs: 30_000 },
      control: { what: 'a denial', body: denied, gives: denial },
    },
    {
      what: 'the limit of a day',
      status: 403,
      body: error(403, 'Daily Limit Exceeded', 'dailyLimitExceeded'),
      gives: { is: 'rate-limit', code: 'dailyLimitExceeded', message: 'Daily Limit Exceeded', waitMs: 3_600_000 },
      control: { what: 'a denial', body: denied, gives: denial },
    },
    {
      what: "Gmail's limit, with the time in its message",
      status: 429,
      headers: { date },
      body: error(429, until, 'rateLimitExceeded'),
      gives: { is: 'rate-limit', code: 'rateLimitExceeded', message: until, waitMs: 180_000 },
      control: {
        what: 'without the time',
        body: error(429, 'Too many', 'rateLimitExceeded'),
        gives: { is: 'rate-limit', code: 'rateLimitExceeded', message: 'Too many', waitMs: 30_000 },
      },
    },
    {
      what: 'a rate limit with a RetryInfo',
      recorded: { from: 'https://github.com/googleapis/python-genai/issues/1875', on: '2025-12-16' },
      status: 429,
      body: status(429, 'You exceeded your current quota.', 'RESOURCE_EXHAUSTED', retryInfo('53s')),
      gives: {
        is: 'rate-limit',
        code: 'RESOURCE_EXHAUSTED',
        message: 'You exceeded your current quota.',
        waitMs: 53_000,
      },
      control: {
        what: 'with decimals',
        body: status(429, 'You exceeded your current quota.', 'RESOURCE_EXHAUSTED', retryInfo('3.5s')),
        gives: {
          is: 'rate-limit',
          code: 'RESOURCE_EXHAUSTED',
          message: 'You exceeded your current quota.',
          waitMs: 3_500,
        },
      },
    },
    {
      what: 'an exhausted quota as a 403',
      status: 403,
      body: status(403, 'Quota exceeded', 'RESOURCE_EXHAUSTED', [{ reason: 'RATE_LIMIT_EXCEEDED' }]),
      gives: { is: 'rate-limit', code: 'RATE_LIMIT_EXCEEDED', message: 'Quota exceeded', waitMs: 30_000 },
      control: {
        what: 'a denial',
        body: status(403, 'No', 'PERMISSION_DENIED'),
        gives: { is: 'forbidden', code: 'PERMISSION_DENIED', message: 'No' },
      },
    },
    {
      what: 'the Reseller API',
      status: 503,
      body: error(503, 'Quota exceeded', 'quotaExceeded'),
      gives: { is: 'rate-limit', code: 'quotaExceeded', message: 'Quota exceeded', waitMs: 3_600_000 },
      control: {
        what: 'an outage',
        body: error(503, 'Backend Error', 'backendError'),
        gives: { is: 'other', status: 503, code: 'backendError', message: 'Backend Error' },
      },
    },
    {
      what: 'an expired token',
      status: 401,
      body: status(401, 'Expired', 'UNAUTHENTICATED'),
      gives: { is: 'unauthorized', code: 'UNAUTHENTICATED', message: 'Expired' },
    },
    { what: 'a denial', status: 403, body: denied, gives: denial },
    {
      what: 'a file that is missing',
      status: 404,
      body: error(404, 'File not found: x.', 'notFound'),
      gives: { is: 'not-found', code: 'notFound', message: 'File not found: x.' },
    },
    {
      what: 'a refresh token that is wrong',
      status: 400,
      body: { error: 'invalid_grant', error_description: 'Bad Request' },
      gives: { is: 'bad-request', code: 'invalid_grant', message: 'Bad Request' },
    },
  ],
};
