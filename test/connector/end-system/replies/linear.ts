import { date, epochMilliseconds, type Outcome, type ReplySet, withoutWait } from '../reply-set.js';

const failure = (message: string, extensions: object) => ({ errors: [{ message, extensions }], data: null });
const exceeded = failure('Rate limit exceeded', { code: 'RATELIMITED', type: 'ratelimited' });
const wrong = failure('Argument Validation Error', { code: 'INVALID_INPUT', type: 'invalid input' });
const limited = (waitMs: number): Outcome => ({
  is: 'rate-limit',
  code: 'RATELIMITED',
  message: 'Rate limit exceeded',
  waitMs,
});
const invalid: Outcome = { is: 'bad-request', code: 'INVALID_INPUT', message: 'Argument Validation Error' };
const budgets = (requests: string, complexity: string) => ({
  date,
  'x-ratelimit-requests-remaining': requests,
  'x-ratelimit-requests-reset': epochMilliseconds(1200),
  'x-ratelimit-complexity-remaining': complexity,
  'x-ratelimit-complexity-reset': epochMilliseconds(90),
});

export const linear: ReplySet = {
  product: 'Linear',
  checkedAgainst: 'SDK source',
  replies: [
    {
      what: 'the limit of requests',
      status: 400,
      headers: budgets('0', '99000'),
      body: exceeded,
      gives: limited(1_200_000),
      control: { what: 'input that is wrong', body: wrong, gives: invalid },
    },
    {
      what: 'the limit of complexity',
      status: 400,
      headers: budgets('1400', '0'),
      body: exceeded,
      gives: limited(90_000),
      control: { what: 'input that is wrong', body: wrong, gives: invalid },
    },
    {
      what: 'a limit with its wait',
      status: 400,
      headers: { ...budgets('0', '99000'), 'retry-after': '7' },
      body: exceeded,
      gives: limited(7_000),
      control: { what: 'without headers', headers: {}, gives: limited(60_000) },
    },
    {
      what: 'a limit in a 200',
      status: 200,
      headers: budgets('1400', '0'),
      body: exceeded,
      gives: limited(90_000),
      control: { what: 'a success', body: { data: { viewer: { id: 'u' } } }, gives: 'success' },
    },
    {
      what: 'a limit at the edge',
      status: 429,
      headers: { 'retry-after': '3' },
      gives: { is: 'rate-limit', waitMs: 3_000 },
      control: withoutWait(60_000),
    },
    {
      what: 'a key that is wrong',
      status: 400,
      body: failure('Authentication required, not authenticated', {
        code: 'AUTHENTICATION_ERROR',
        type: 'authentication error',
      }),
      gives: {
        is: 'unauthorized',
        code: 'AUTHENTICATION_ERROR',
        message: 'Authentication required, not authenticated',
      },
    },
    { what: 'a key that is wrong, by status', status: 401, gives: { is: 'unauthorized' } },
    {
      what: 'a denial',
      status: 200,
      body: failure('Forbidden', { code: 'FORBIDDEN', type: 'forbidden' }),
      gives: { is: 'forbidden', code: 'FORBIDDEN', message: 'Forbidden' },
    },
    {
      what: 'an issue that is missing',
      status: 200,
      body: failure('Entity not found: Issue', {
        code: 'INPUT_ERROR',
        type: 'invalid input',
        userPresentableMessage: 'Could not find referenced Issue.',
      }),
      gives: { is: 'not-found', code: 'INPUT_ERROR', message: 'Could not find referenced Issue.' },
    },
    { what: 'input that is wrong', status: 200, body: wrong, gives: invalid },
    {
      what: 'a fault of Linear',
      status: 200,
      body: failure('Internal', { type: 'internal error' }),
      gives: { is: 'other', status: 503, code: 'internal error', message: 'Internal' },
    },
    {
      what: 'a query that cannot be read',
      status: 400,
      body: { errors: [{ message: 'Syntax Error', locations: [] }] },
      gives: { is: 'bad-request', message: 'Syntax Error' },
    },
    { what: 'an issue that is null', status: 200, body: { data: { issue: null } }, gives: 'success' },
  ],
};
