import { date, type ReplySet, withoutWait } from '../reply-set.js';

const error = (code: string, message: string) => ({
  error: { code, message, innerError: { date: '2030-01-01T00:00:00', 'request-id': 'r' } },
});

export const microsoftGraph: ReplySet = {
  product: 'Microsoft Graph',
  checkedAgainst: 'SDK source',
  replies: [
    {
      what: 'a limit',
      status: 429,
      headers: { 'retry-after': '41' },
      body: error('TooManyRequests', 'Please retry again later.'),
      gives: { is: 'rate-limit', code: 'TooManyRequests', message: 'Please retry again later.', waitMs: 41_000 },
      control: withoutWait(60_000, { code: 'TooManyRequests', message: 'Please retry again later.' }),
    },
    {
      what: 'a limit with a date and no message',
      status: 429,
      headers: { date, 'retry-after': 'Tue, 01 Jan 2030 00:05:15 GMT' },
      body: error('UnknownError', ''),
      gives: { is: 'rate-limit', code: 'UnknownError', waitMs: 315_000 },
      control: withoutWait(60_000, { code: 'UnknownError' }),
    },
    {
      what: 'a limit of the service behind',
      status: 503,
      headers: { 'retry-after': '120' },
      body: error('activityLimitReached', 'The app or user has been throttled.'),
      gives: {
        is: 'rate-limit',
        code: 'activityLimitReached',
        message: 'The app or user has been throttled.',
        waitMs: 120_000,
      },
      control: {
        what: 'an outage',
        headers: {},
        body: error('serviceNotAvailable', 'Down'),
        gives: { is: 'other', status: 503, code: 'serviceNotAvailable', message: 'Down' },
      },
    },
    {
      what: 'a gateway that says how long',
      status: 504,
      headers: { 'retry-after': '10' },
      gives: { is: 'rate-limit', waitMs: 10_000 },
      control: { what: 'a gateway that gave up', headers: {}, gives: { is: 'other', status: 504 } },
    },
    {
      what: 'an expired token',
      status: 401,
      body: error('InvalidAuthenticationToken', 'Lifetime validation failed, the token is expired.'),
      gives: {
        is: 'unauthorized',
        code: 'InvalidAuthenticationToken',
        message: 'Lifetime validation failed, the token is expired.',
      },
    },
    {
      what: 'a denial',
      status: 403,
      body: error('Authorization_RequestDenied', 'Insufficient privileges'),
      gives: { is: 'forbidden', code: 'Authorization_RequestDenied', message: 'Insufficient privileges' },
    },
    {
      what: 'something missing',
      status: 404,
      body: error('itemNotFound', 'Gone'),
      gives: { is: 'not-found', code: 'itemNotFound', message: 'Gone' },
    },
    {
      what: 'a filter that is wrong',
      status: 400,
      body: error('Request_BadRequest', 'Bad'),
      gives: { is: 'bad-request', code: 'Request_BadRequest', message: 'Bad' },
    },
  ],
};
