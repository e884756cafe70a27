import { date, epochSeconds, type ReplySet } from '../reply-set.js';

const quota = (remaining: string) => ({
  date,
  'x-ratelimit-remaining': remaining,
  'x-ratelimit-reset': epochSeconds(600),
});
const says = (message: string) => ({ message, documentation_url: 'https://docs.github.com/rest' });
const denied = says('Resource not accessible by integration');

export const github: ReplySet = {
  product: 'GitHub',
  checkedAgainst: 'SDK source',
  replies: [
    {
      what: 'the primary limit',
      status: 403,
      headers: quota('0'),
      body: says('API rate limit exceeded for user ID 1.'),
      gives: { is: 'rate-limit', message: 'API rate limit exceeded for user ID 1.', waitMs: 600_000 },
      control: {
        what: 'a denial with quota left',
        headers: quota('4999'),
        body: denied,
        gives: { is: 'forbidden', message: denied.message },
      },
    },
    {
      what: 'a secondary limit with its wait',
      status: 403,
      headers: { ...quota('4999'), 'retry-after': '90' },
      body: says('You have exceeded a secondary rate limit.'),
      gives: { is: 'rate-limit', message: 'You have exceeded a secondary rate limit.', waitMs: 90_000 },
      control: {
        what: 'a secondary limit without one',
        headers: quota('4999'),
        gives: { is: 'rate-limit', message: 'You have exceeded a secondary rate limit.', waitMs: 60_000 },
      },
    },
    {
      what: 'a limit of the GraphQL API',
      status: 200,
      headers: quota('0'),
      body: { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded for user ID 1.' }] },
      gives: {
        is: 'rate-limit',
        code: 'RATE_LIMITED',
        message: 'API rate limit exceeded for user ID 1.',
        waitMs: 600_000,
      },
      control: { what: 'the last answer of a quota', body: { data: { viewer: { login: 'ada' } } }, gives: 'success' },
    },
    {
      what: 'a limit of the GraphQL API with quota left',
      status: 200,
      headers: { ...quota('1'), 'x-ratelimit-resource': 'graphql' },
      body: { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] },
      gives: { is: 'rate-limit', code: 'RATE_LIMITED', message: 'API rate limit exceeded', waitMs: 600_000 },
      control: {
        what: 'another error of it, beside its data',
        body: { data: { a: {}, b: null }, errors: [{ type: 'NOT_FOUND', message: 'Could not resolve' }] },
        gives: 'success',
      },
    },
    {
      what: 'a limit of the GraphQL API under its other name',
      status: 200,
      headers: { ...quota('1'), 'x-ratelimit-resource': 'graphql' },
      body: {
        errors: [
          { type: 'RATE_LIMIT', code: 'graphql_rate_limit', message: 'API rate limit already exceeded for user ID 1.' },
        ],
      },
      recorded: { from: 'https://github.com/yanyongyu/githubkit/issues/271', on: '2026-01-08' },
      gives: {
        is: 'rate-limit',
        code: 'graphql_rate_limit',
        message: 'API rate limit already exceeded for user ID 1.',
        waitMs: 600_000,
      },
      control: {
        what: 'another error that begins alike',
        body: { errors: [{ type: 'RATE_LIMIT_WARNING', message: 'Nearly' }] },
        gives: 'success',
      },
    },
    {
      what: 'the primary limit once more, without headers',
      status: 403,
      headers: {},
      body: says('API rate limit already exceeded for user ID 1.'),
      gives: { is: 'rate-limit', message: 'API rate limit already exceeded for user ID 1.', waitMs: 60_000 },
      control: { what: 'a denial', body: denied, gives: { is: 'forbidden', message: denied.message } },
    },
    {
      what: 'a secondary limit of the GraphQL API',
      status: 200,
      headers: { ...quota('99'), 'x-ratelimit-resource': 'graphql' },
      body: { errors: [{ message: 'You have exceeded a secondary rate limit.' }] },
      gives: { is: 'rate-limit', message: 'You have exceeded a secondary rate limit.', waitMs: 60_000 },
      control: {
        what: 'an issue about one, by REST',
        headers: { ...quota('99'), 'x-ratelimit-resource': 'core' },
        body: { errors: [{ message: 'You have exceeded a secondary rate limit.' }] },
        gives: 'success',
      },
    },
    {
      what: 'a limit that says nothing',
      status: 429,
      headers: quota('4999'),
      gives: { is: 'rate-limit', waitMs: 60_000 },
      control: { what: 'the primary one', headers: quota('0'), gives: { is: 'rate-limit', waitMs: 600_000 } },
    },
    {
      what: 'a denial',
      status: 403,
      headers: quota('4999'),
      body: denied,
      gives: { is: 'forbidden', message: denied.message },
    },
    {
      what: 'bad credentials',
      status: 401,
      body: says('Bad credentials'),
      gives: { is: 'unauthorized', message: 'Bad credentials' },
    },
    {
      what: 'something missing',
      status: 404,
      body: says('Not Found'),
      gives: { is: 'not-found', message: 'Not Found' },
    },
    {
      what: 'a label that is taken',
      status: 422,
      body: { ...says('Validation Failed'), errors: [{ resource: 'Label', field: 'name', code: 'already_exists' }] },
      gives: { is: 'bad-request', code: 'already_exists', message: 'Validation Failed' },
    },
    { what: 'a unicorn', status: 502, body: '<html>Unicorn!</html>', gives: { is: 'other', status: 502 } },
  ],
};
