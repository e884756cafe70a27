import { date, epochSeconds, type RecordedReply, type ReplySet } from '../reply-set.js';

const quota = (remaining: string) => ({
  date,
  'x-ratelimit-remaining': remaining,
  'x-ratelimit-reset': epochSeconds(600),
});
const says = (message: string) => ({ message, documentation_url: 'https://docs.github.com/rest' });
const graphQL = { 'x-github-media-type': 'github.v4; format=json' };
const denied = says('Resource not accessible by integration');

/** Failures of GraphQL without data. */
const inGraphQL: RecordedReply[] = [
  {
    what: 'something missing, by GraphQL',
    body: {
      data: { repository: null },
      errors: [{ type: 'NOT_FOUND', path: ['repository'], message: 'Could not resolve to a Repository' }],
    },
    gives: { is: 'not-found', code: 'NOT_FOUND', message: 'Could not resolve to a Repository' },
  },
  {
    what: 'something missing in what is there, by GraphQL',
    body: {
      data: { repository: { issue: null } },
      errors: [{ type: 'NOT_FOUND', path: ['repository', 'issue'], message: 'Could not resolve to an Issue' }],
    },
    gives: { is: 'not-found', code: 'NOT_FOUND', message: 'Could not resolve to an Issue' },
  },
  {
    what: 'a limit of a server that does not name its resource, by GraphQL',
    body: { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] },
    gives: { is: 'rate-limit', code: 'RATE_LIMITED', message: 'API rate limit exceeded', waitMs: 60_000 },
    control: {
      what: 'one beside data',
      body: {
        data: { viewer: { login: 'ada' } },
        errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }],
      },
      gives: 'success',
    },
  },
  {
    what: 'a denial, by GraphQL',
    body: { data: null, errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }] },
    gives: { is: 'forbidden', code: 'FORBIDDEN', message: 'Resource not accessible by integration' },
  },
  {
    what: 'a token of too few scopes, by GraphQL',
    body: { errors: [{ type: 'INSUFFICIENT_SCOPES', message: 'Your token has not been granted the scopes' }] },
    gives: { is: 'forbidden', code: 'INSUFFICIENT_SCOPES', message: 'Your token has not been granted the scopes' },
  },
  {
    what: 'a query that took too long',
    // With a 502, `data` has been seen as this text.
    body: { data: 'null', errors: [{ message: 'Something went wrong while executing your query. This may be …' }] },
    gives: { is: 'other', status: 502, message: 'Something went wrong while executing your query. This may be …' },
  },
  {
    what: 'a query that is wrong',
    body: {
      errors: [{ extensions: { code: 'undefinedField' }, message: "Field 'nil' doesn't exist on type 'Query'" }],
    },
    gives: { is: 'bad-request', code: 'undefinedField', message: "Field 'nil' doesn't exist on type 'Query'" },
  },
  {
    what: 'data without what is denied',
    body: {
      data: { repository: { name: 'a', vulnerabilityAlerts: null } },
      errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }],
    },
    gives: 'success',
  },
  { what: 'an issue that is null', body: { data: { repository: { issue: null } } }, gives: 'success' },
].map((reply) => ({ ...reply, status: 200, headers: graphQL }) as RecordedReply);

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
    ...inGraphQL,
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
    {
      what: 'the errors of a file, by REST',
      status: 200,
      headers: { 'x-github-media-type': 'github.v3; format=json' },
      body: { errors: [{ line: 3, kind: 'Invalid pattern', message: 'Invalid pattern on line 3' }] },
      gives: 'success',
    },
    { what: 'a unicorn', status: 502, body: '<html>Unicorn!</html>', gives: { is: 'other', status: 502 } },
  ],
};
