import { type ReplySet, withoutWait } from '../reply-set.js';

export const freshdesk: ReplySet = {
  product: 'Freshdesk',
  checkedAgainst: 'documentation only',
  replies: [
    {
      what: 'a limit',
      status: 429,
      headers: { 'retry-after': '28', 'x-ratelimit-remaining': '0' },
      gives: { is: 'rate-limit', waitMs: 28_000 },
      control: withoutWait(60_000),
    },
    {
      what: 'no session',
      status: 401,
      body: { code: 'invalid_credentials', message: 'You have to be logged in to perform this action.' },
      gives: {
        is: 'unauthorized',
        code: 'invalid_credentials',
        message: 'You have to be logged in to perform this action.',
      },
    },
    {
      what: 'a denial',
      status: 403,
      body: { code: 'access_denied', message: 'No' },
      gives: { is: 'forbidden', code: 'access_denied', message: 'No' },
    },
    { what: 'something missing', status: 404, body: '', gives: { is: 'not-found' } },
    {
      what: 'a field that is wrong',
      status: 400,
      body: {
        description: 'Validation failed',
        errors: [{ field: 'status', message: 'It should be a number', code: 'invalid_value' }],
      },
      gives: { is: 'bad-request', code: 'invalid_value', message: 'Validation failed' },
    },
  ],
};
