import { type ReplySet, withoutWait } from '../reply-set.js';

const error = (status: number, code: string, message: string) => ({ object: 'error', status, code, message });
const tooMany = 'You have been rate limited. Please try again in a few minutes.';

export const notion: ReplySet = {
  product: 'Notion',
  checkedAgainst: 'documentation only',
  replies: [
    {
      what: 'a limit',
      status: 429,
      headers: { 'retry-after': '12' },
      body: error(429, 'rate_limited', tooMany),
      gives: { is: 'rate-limit', code: 'rate_limited', message: tooMany, waitMs: 12_000 },
      control: withoutWait(60_000, { code: 'rate_limited', message: tooMany }),
    },
    {
      what: 'an overload that says how long',
      status: 529,
      headers: { 'retry-after': '5' },
      body: error(529, 'service_overload', 'Overloaded'),
      gives: { is: 'rate-limit', code: 'service_overload', message: 'Overloaded', waitMs: 5_000 },
      control: {
        what: 'an overload that does not',
        headers: {},
        gives: { is: 'other', status: 503, code: 'service_overload', message: 'Overloaded' },
      },
    },
    {
      what: 'a token that is wrong',
      status: 401,
      body: error(401, 'unauthorized', 'API token is invalid.'),
      gives: { is: 'unauthorized', code: 'unauthorized', message: 'API token is invalid.' },
    },
    {
      what: 'a denial',
      status: 403,
      body: error(403, 'restricted_resource', 'No'),
      gives: { is: 'forbidden', code: 'restricted_resource', message: 'No' },
    },
    {
      what: 'a page that is missing',
      status: 404,
      body: error(404, 'object_not_found', 'Gone'),
      gives: { is: 'not-found', code: 'object_not_found', message: 'Gone' },
    },
    {
      what: 'a body that is wrong',
      status: 400,
      body: error(400, 'validation_error', 'Bad'),
      gives: { is: 'bad-request', code: 'validation_error', message: 'Bad' },
    },
    {
      what: 'a conflict',
      status: 409,
      body: error(409, 'conflict_error', 'Busy'),
      gives: { is: 'bad-request', code: 'conflict_error', message: 'Busy' },
    },
  ],
};
