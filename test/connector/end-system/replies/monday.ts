import type { ErrorKind } from 'concordat';
import type { Outcome, ReplySet } from '../reply-set.js';

const failure = (code: string, message: string, rest: object = {}) => ({
  data: null,
  errors: [{ message, extensions: { code, ...rest } }],
});
const exhausted =
  'Complexity budget exhausted, query cost 30001 budget remaining 19986 out of 1000000 reset in 15 seconds';
const gives = (is: ErrorKind, code: string, message: string, waitMs?: number): Outcome => ({
  is,
  code,
  message,
  ...(waitMs && { waitMs }),
});

export const monday: ReplySet = {
  product: 'monday.com',
  checkedAgainst: 'documentation only',
  replies: [
    {
      what: 'the limit of complexity',
      status: 200,
      headers: { 'retry-after': '15' },
      body: failure('COMPLEXITY_BUDGET_EXHAUSTED', exhausted, { status_code: 429, retry_in_seconds: 14 }),
      gives: gives('rate-limit', 'COMPLEXITY_BUDGET_EXHAUSTED', exhausted, 15_000),
      control: { what: 'a success', body: { data: { me: { id: '1' } } }, gives: 'success' },
    },
    {
      what: 'the limit of complexity, with the wait in the body',
      status: 429,
      body: failure('COMPLEXITY_BUDGET_EXHAUSTED', exhausted, { retry_in_seconds: 14 }),
      gives: gives('rate-limit', 'COMPLEXITY_BUDGET_EXHAUSTED', exhausted, 14_000),
      control: {
        what: 'without a wait',
        body: failure('RATE_LIMIT_EXCEEDED', 'Slow'),
        gives: gives('rate-limit', 'RATE_LIMIT_EXCEEDED', 'Slow', 60_000),
      },
    },
    {
      what: 'the limit of a day',
      status: 200,
      body: failure('DAILY_LIMIT_EXCEEDED', 'Daily limit exceeded'),
      gives: gives('rate-limit', 'DAILY_LIMIT_EXCEEDED', 'Daily limit exceeded', 3_600_000),
      control: { what: 'a success', body: { data: {} }, gives: 'success' },
    },
    {
      what: 'the older form',
      status: 200,
      headers: { 'retry-after': '15' },
      body: { error_code: 'ComplexityException', status_code: 429, error_message: exhausted },
      gives: gives('rate-limit', 'ComplexityException', exhausted, 15_000),
      control: {
        what: 'another error in it',
        body: { error_code: 'InvalidBoardIdException', error_message: 'No board' },
        gives: gives('bad-request', 'InvalidBoardIdException', 'No board'),
      },
    },
    {
      what: 'a token that is wrong',
      status: 401,
      body: { errors: ['Not Authenticated'] },
      gives: { is: 'unauthorized', message: 'Not Authenticated' },
    },
    {
      what: 'a limit by its status',
      status: 200,
      headers: { 'retry-after': '4' },
      body: failure('CONCURRENCY', 'Slow', { status_code: 429 }),
      gives: gives('rate-limit', 'CONCURRENCY', 'Slow', 4_000),
      control: {
        what: 'an error without one',
        body: failure('CONCURRENCY', 'Slow'),
        gives: gives('bad-request', 'CONCURRENCY', 'Slow'),
      },
    },
    {
      what: 'a token that is wrong, in a 200',
      status: 200,
      body: failure('Unauthenticated', 'No', { status_code: 401 }),
      gives: gives('unauthorized', 'Unauthenticated', 'No'),
    },
    {
      what: 'a denial',
      status: 200,
      body: failure('UserUnauthorizedException', 'User unauthorized to perform action', { status_code: 403 }),
      gives: gives('forbidden', 'UserUnauthorizedException', 'User unauthorized to perform action'),
    },
    {
      what: 'something missing',
      status: 200,
      body: failure('ResourceNotFoundException', 'Gone', { status_code: 404 }),
      gives: gives('not-found', 'ResourceNotFoundException', 'Gone'),
    },
    {
      what: 'a query that is wrong',
      status: 200,
      body: { errors: [{ message: 'Parse error on "}"' }] },
      gives: { is: 'bad-request', message: 'Parse error on "}"' },
    },
  ],
};
