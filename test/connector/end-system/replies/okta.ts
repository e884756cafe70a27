import type { ErrorKind } from 'concordat';
import { date, epochSeconds, type Outcome, type ReplySet, withoutWait } from '../reply-set.js';

const fault = (errorCode: string, errorSummary: string) => ({
  errorCode,
  errorSummary,
  errorLink: errorCode,
  errorId: 'oae',
  errorCauses: [],
});
const gives = (is: ErrorKind, code: string, message: string, waitMs?: number): Outcome => ({
  is,
  code,
  message,
  ...(waitMs && { waitMs }),
});
const tooMany = 'API call exceeded rate limit due to too many requests.';

export const okta: ReplySet = {
  product: 'Okta',
  checkedAgainst: 'SDK source',
  replies: [
    {
      what: 'a limit: the reset by the Date header, and a second',
      status: 429,
      headers: { date, 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': epochSeconds(30) },
      body: fault('E0000047', tooMany),
      gives: gives('rate-limit', 'E0000047', tooMany, 31_000),
      control: withoutWait(60_000, { code: 'E0000047', message: tooMany }),
    },
    {
      what: 'a limit without a reset, as something in front says it',
      status: 429,
      headers: { 'retry-after': '300' },
      body: fault('E0000047', tooMany),
      gives: gives('rate-limit', 'E0000047', tooMany, 300_000),
      control: withoutWait(60_000, { code: 'E0000047', message: tooMany }),
    },
    {
      what: 'a token that is wrong',
      status: 401,
      body: fault('E0000011', 'Invalid token provided'),
      gives: gives('unauthorized', 'E0000011', 'Invalid token provided'),
    },
    {
      what: 'a session that is over',
      status: 403,
      body: fault('E0000005', 'Invalid session'),
      gives: gives('unauthorized', 'E0000005', 'Invalid session'),
      control: {
        what: 'a denial',
        body: fault('E0000006', 'You do not have permission to perform the requested action'),
        gives: gives('forbidden', 'E0000006', 'You do not have permission to perform the requested action'),
      },
    },
    {
      what: 'a denial',
      status: 403,
      body: fault('E0000006', 'No permission'),
      gives: gives('forbidden', 'E0000006', 'No permission'),
    },
    {
      what: 'a user that is missing',
      status: 404,
      body: fault('E0000007', 'Not found: Resource not found: x (User)'),
      gives: gives('not-found', 'E0000007', 'Not found: Resource not found: x (User)'),
    },
    {
      what: 'a login that is taken',
      status: 400,
      body: fault('E0000001', 'Api validation failed: login'),
      gives: gives('bad-request', 'E0000001', 'Api validation failed: login'),
    },
  ],
};
