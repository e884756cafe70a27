import type { ReplySet } from '../reply-set.js';

const error = (code: number, status: number, message: string) => ({
  code,
  message,
  more_info: `https://www.twilio.com/docs/errors/${code}`,
  status,
});

export const twilio: ReplySet = {
  product: 'Twilio',
  checkedAgainst: 'SDK source',
  replies: [
    {
      what: 'a limit',
      status: 429,
      body: error(20429, 429, 'Too Many Requests'),
      gives: { is: 'rate-limit', code: '20429', message: 'Too Many Requests', waitMs: 3_000 },
      control: {
        what: 'one that says how long',
        headers: { 'retry-after': '8' },
        gives: { is: 'rate-limit', code: '20429', message: 'Too Many Requests', waitMs: 8_000 },
      },
    },
    {
      what: 'a token that is wrong',
      status: 401,
      body: error(20003, 401, 'Authenticate'),
      gives: { is: 'unauthorized', code: '20003', message: 'Authenticate' },
    },
    {
      what: 'a denial',
      status: 403,
      body: error(20403, 403, 'Forbidden'),
      gives: { is: 'forbidden', code: '20403', message: 'Forbidden' },
    },
    {
      what: 'something missing',
      status: 404,
      body: error(20404, 404, 'The requested resource was not found'),
      gives: { is: 'not-found', code: '20404', message: 'The requested resource was not found' },
    },
    {
      what: 'a number that is wrong',
      status: 400,
      body: error(21211, 400, "Invalid 'To' Phone Number"),
      gives: { is: 'bad-request', code: '21211', message: "Invalid 'To' Phone Number" },
    },
  ],
};
