import { type ReplySet, withoutWait } from '../reply-set.js';

const error = (status: number, code: string, message: string) => ({
  type: 'error',
  status,
  code,
  message,
  request_id: 'r',
});
const tooMany = 'Request rate limit exceeded, please try again later';

export const box: ReplySet = {
  product: 'Box',
  checkedAgainst: 'SDK source',
  replies: [
    {
      what: 'a limit',
      status: 429,
      headers: { 'retry-after': '100' },
      body: error(429, 'rate_limit_exceeded', tooMany),
      gives: { is: 'rate-limit', code: 'rate_limit_exceeded', message: tooMany, waitMs: 100_000 },
      control: withoutWait(60_000, { code: 'rate_limit_exceeded', message: tooMany }),
    },
    { what: 'an expired token, without a body', status: 401, body: '', gives: { is: 'unauthorized' } },
    {
      what: 'a denial',
      status: 403,
      body: error(403, 'access_denied_insufficient_permissions', 'No'),
      gives: { is: 'forbidden', code: 'access_denied_insufficient_permissions', message: 'No' },
    },
    {
      what: 'a file that is missing',
      status: 404,
      body: error(404, 'not_found', 'Not Found'),
      gives: { is: 'not-found', code: 'not_found', message: 'Not Found' },
    },
    {
      what: 'a name that is taken',
      status: 409,
      body: error(409, 'item_name_in_use', 'Taken'),
      gives: { is: 'bad-request', code: 'item_name_in_use', message: 'Taken' },
    },
    { what: 'a download that is not ready', status: 202, headers: { 'retry-after': '5' }, gives: 'success' },
  ],
};
