import { date, epochSeconds, type ReplySet, withoutWait } from '../reply-set.js';

const tooMany = 'This endpoint has been requested too many times. Try again later.';
const quota = (remaining: string) => ({
  date,
  'ratelimit-remaining': remaining,
  'ratelimit-reset': epochSeconds(61),
  'ratelimit-resettime': 'Tue, 01 Jan 2030 00:01:01 GMT',
});

export const gitlab: ReplySet = {
  product: 'GitLab',
  checkedAgainst: 'recorded responses',
  replies: [
    {
      what: "an endpoint's own limit, with another quota's reset",
      recorded: { from: 'https://gitlab.com/gitlab-org/gitlab/-/issues/199738' },
      status: 429,
      headers: quota('595'),
      body: { message: { error: tooMany } },
      gives: { is: 'rate-limit', message: tooMany, waitMs: 60_000 },
      control: {
        what: 'the quota that the headers are about',
        headers: quota('0'),
        gives: { is: 'rate-limit', message: tooMany, waitMs: 61_000 },
      },
    },
    {
      what: "an endpoint's own limit, newer versions",
      recorded: { from: 'https://gitlab.com/gitlab-org/gitlab/-/merge_requests/206603' },
      status: 429,
      headers: { 'retry-after': '600' },
      body: { message: tooMany },
      gives: { is: 'rate-limit', message: tooMany, waitMs: 600_000 },
      control: withoutWait(60_000, { message: tooMany }),
    },
    {
      what: 'the quota with a date only',
      status: 429,
      headers: { date, 'ratelimit-remaining': '0', 'ratelimit-resettime': 'Tue, 01 Jan 2030 00:02:00 GMT' },
      body: 'Retry later\n',
      gives: { is: 'rate-limit', message: 'Retry later', waitMs: 120_000 },
      control: withoutWait(60_000, { message: 'Retry later' }),
    },
    {
      what: 'an expired token',
      status: 401,
      body: {
        error: 'invalid_token',
        error_description: 'Token is expired. You can either do re-authorization or token refresh.',
      },
      gives: {
        is: 'unauthorized',
        code: 'invalid_token',
        message: 'Token is expired. You can either do re-authorization or token refresh.',
      },
    },
    {
      what: 'no token',
      status: 401,
      body: { message: '401 Unauthorized' },
      gives: { is: 'unauthorized', message: '401 Unauthorized' },
    },
    {
      what: 'a scope that is missing',
      status: 403,
      body: {
        error: 'insufficient_scope',
        error_description: 'The request requires higher privileges than provided by the access token.',
        scope: 'api',
      },
      gives: {
        is: 'forbidden',
        code: 'insufficient_scope',
        message: 'The request requires higher privileges than provided by the access token.',
      },
    },
    {
      what: 'a project that is missing',
      status: 404,
      body: { message: '404 Project Not Found' },
      gives: { is: 'not-found', message: '404 Project Not Found' },
    },
    {
      what: 'fields that are wrong',
      status: 400,
      body: { message: { title: ["can't be blank"], labels: ['is too long', 'is reserved'] } },
      gives: { is: 'bad-request', message: "title: can't be blank; labels: is too long; is reserved" },
    },
    {
      what: 'a parameter that is missing',
      status: 400,
      body: { error: 'title is missing' },
      gives: { is: 'bad-request', message: 'title is missing' },
    },
  ],
};
