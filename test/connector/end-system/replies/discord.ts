import { type ReplySet, withoutWait } from '../reply-set.js';

const tooMany = 'You are being rate limited.';

export const discord: ReplySet = {
  product: 'Discord',
  checkedAgainst: 'SDK source',
  replies: [
    {
      what: 'a limit, exact in the body',
      status: 429,
      headers: { 'retry-after': '65', 'x-ratelimit-reset-after': '64.57', 'x-ratelimit-scope': 'user' },
      body: { message: tooMany, retry_after: 64.57, global: false },
      gives: { is: 'rate-limit', message: tooMany, waitMs: 64_570 },
      control: {
        what: 'without the body',
        body: { message: tooMany },
        headers: { 'retry-after': '65' },
        gives: { is: 'rate-limit', message: tooMany, waitMs: 65_000 },
      },
    },
    {
      what: 'a limit of the edge, in HTML',
      status: 429,
      headers: { 'retry-after': '600', 'content-type': 'text/html' },
      body: '<html>1015</html>',
      gives: { is: 'rate-limit', waitMs: 600_000 },
      control: withoutWait(60_000),
    },
    {
      what: 'a token that is wrong',
      status: 401,
      body: { message: '401: Unauthorized', code: 0 },
      gives: { is: 'unauthorized', code: '0', message: '401: Unauthorized' },
    },
    {
      what: 'a denial',
      status: 403,
      body: { message: 'Missing Access', code: 50001 },
      gives: { is: 'forbidden', code: '50001', message: 'Missing Access' },
    },
    {
      what: 'a channel that is missing',
      status: 404,
      body: { message: 'Unknown Channel', code: 10003 },
      gives: { is: 'not-found', code: '10003', message: 'Unknown Channel' },
    },
    {
      what: 'a form that is wrong',
      status: 400,
      body: { message: 'Invalid Form Body', code: 50035, errors: {} },
      gives: { is: 'bad-request', code: '50035', message: 'Invalid Form Body' },
    },
  ],
};
