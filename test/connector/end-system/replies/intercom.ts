import { date, epochSeconds, type ReplySet, withoutWait } from '../reply-set.js';

const list = (code: string, message: string) => ({ type: 'error.list', request_id: 'r', errors: [{ code, message }] });
const tooMany = 'You have exceeded the rate limit';

export const intercom: ReplySet = {
  product: 'Intercom',
  checkedAgainst: 'documentation only',
  replies: [
    {
      what: 'a limit',
      status: 429,
      headers: { date, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': epochSeconds(7) },
      body: list('rate_limit_exceeded', tooMany),
      gives: { is: 'rate-limit', code: 'rate_limit_exceeded', message: tooMany, waitMs: 7_000 },
      control: withoutWait(10_000, { code: 'rate_limit_exceeded', message: tooMany }),
    },
    {
      what: 'an expired token',
      status: 401,
      body: list('token_expired', 'Expired'),
      gives: { is: 'unauthorized', code: 'token_expired', message: 'Expired' },
    },
    {
      what: 'a denial',
      status: 403,
      body: list('action_forbidden', 'No'),
      gives: { is: 'forbidden', code: 'action_forbidden', message: 'No' },
    },
    {
      what: 'a contact that is missing',
      status: 404,
      body: list('not_found', 'User Not Found'),
      gives: { is: 'not-found', code: 'not_found', message: 'User Not Found' },
    },
    {
      what: 'a parameter that is missing',
      status: 400,
      body: list('parameter_not_found', 'Email'),
      gives: { is: 'bad-request', code: 'parameter_not_found', message: 'Email' },
    },
  ],
};
