import { type ReplySet, withoutWait } from '../reply-set.js';

const tooMany = 'Number of allowed API requests per minute exceeded';

export const zendesk: ReplySet = {
  product: 'Zendesk',
  checkedAgainst: 'documentation only',
  replies: [
    {
      what: 'a limit',
      status: 429,
      headers: { 'retry-after': '93', 'ratelimit-reset': '41' },
      body: { error: 'APIRateLimitExceeded', description: tooMany },
      gives: { is: 'rate-limit', code: 'APIRateLimitExceeded', message: tooMany, waitMs: 93_000 },
      control: withoutWait(60_000, { code: 'APIRateLimitExceeded', message: tooMany }),
    },
    {
      what: 'a limit in plain text, with a reset in seconds',
      status: 429,
      headers: { 'ratelimit-reset': '41' },
      body: tooMany,
      gives: { is: 'rate-limit', message: tooMany, waitMs: 41_000 },
      control: withoutWait(60_000, { message: tooMany }),
    },
    {
      what: "an endpoint's own limit",
      status: 429,
      headers: { 'zendesk-ratelimit-tickets-index': 'total=100; remaining=0; resets=17', 'ratelimit-reset': '41' },
      gives: { is: 'rate-limit', waitMs: 17_000 },
      control: {
        what: 'one that is not used up',
        headers: { 'zendesk-ratelimit-tickets-index': 'total=100; remaining=9; resets=17', 'ratelimit-reset': '41' },
        gives: { is: 'rate-limit', waitMs: 41_000 },
      },
    },
    {
      what: 'no session',
      status: 401,
      body: { error: "Couldn't authenticate you" },
      gives: { is: 'unauthorized', message: "Couldn't authenticate you" },
    },
    {
      what: 'a denial',
      status: 403,
      body: { error: { title: 'Forbidden', message: 'You do not have access to this page.' } },
      gives: { is: 'forbidden', message: 'You do not have access to this page.' },
    },
    {
      what: 'a ticket that is missing',
      status: 404,
      body: { error: 'RecordNotFound', description: 'Not found' },
      gives: { is: 'not-found', code: 'RecordNotFound', message: 'Not found' },
    },
    {
      what: 'a ticket that is wrong',
      status: 422,
      body: {
        error: 'RecordInvalid',
        description: 'Record validation errors',
        details: { base: [{ description: 'Subject: cannot be blank' }] },
      },
      gives: { is: 'bad-request', code: 'RecordInvalid', message: 'Record validation errors' },
    },
  ],
};
