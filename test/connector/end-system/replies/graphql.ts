import type { ErrorKind } from 'concordat';
import { type RecordedReply, type ReplySet, withoutWait } from '../reply-set.js';

const failure = (message: string, extensions?: object) => ({ errors: [{ message, path: ['issue'], extensions }] });
const withData = (code: string, data: unknown) => ({ ...failure('Not all of it', { code }), data });
const slow = { ...failure('Too many requests.', { code: 'RATE_LIMITED' }), data: null };
const limited = (waitMs: number) =>
  ({ is: 'rate-limit', code: 'RATE_LIMITED', message: 'Too many requests.', waitMs }) as const;

/** The code is the type, as in GitHub's errors. */
const ofType = (type: string) => ({ data: { issue: null }, errors: [{ type, message: 'No' }] });
const types: [type: string, is: ErrorKind, status?: number][] = [
  ['UNAUTHENTICATED', 'unauthorized'],
  ['FORBIDDEN', 'forbidden'],
  ['NOT_FOUND', 'not-found'],
  ['SERVICE_UNAVAILABLE', 'other', 503],
  ['TIMEOUT', 'other', 504],
  ['INTERNAL', 'other', 502],
  ['UNPROCESSABLE', 'bad-request'],
];
const typed: RecordedReply[] = [
  {
    what: 'a limit by its type',
    status: 200,
    headers: { 'retry-after': '7' },
    body: ofType('RATE_LIMITED'),
    gives: { is: 'rate-limit', code: 'RATE_LIMITED', message: 'No', waitMs: 7_000 },
    control: {
      what: 'another type',
      body: ofType('NOT_FOUND'),
      gives: { is: 'not-found', code: 'NOT_FOUND', message: 'No' },
    },
  },
  ...types.map(([type, is, status]) => ({
    what: `the type ${type}`,
    status: 200,
    body: ofType(type),
    gives: { is, ...(status && { status }), code: type, message: 'No' },
  })),
];

export const graphql: ReplySet = {
  product: 'any GraphQL API',
  checkedAgainst: 'documentation only',
  replies: [
    {
      what: 'a limit',
      status: 200,
      headers: { 'retry-after': '7' },
      body: slow,
      gives: limited(7_000),
      control: { what: 'some of the data has come', body: { ...slow, data: { issues: [] } }, gives: 'success' },
    },
    {
      what: 'a limit at the edge',
      status: 429,
      headers: { 'retry-after': '3' },
      gives: { is: 'rate-limit', waitMs: 3_000 },
      control: withoutWait(60_000),
    },
    {
      what: 'a login that is over',
      status: 200,
      body: { ...failure('Not logged in.', { code: 'UNAUTHENTICATED' }), data: { issue: null } },
      gives: { is: 'unauthorized', code: 'UNAUTHENTICATED', message: 'Not logged in.' },
    },
    {
      what: 'a login that is over, before anything was run',
      status: 500,
      body: failure('Context creation failed', { code: 'UNAUTHENTICATED', stacktrace: ['…'] }),
      gives: { is: 'unauthorized', code: 'UNAUTHENTICATED', message: 'Context creation failed' },
    },
    {
      what: 'a login that is over, of Spring',
      status: 200,
      body: failure('Unauthorized', { classification: 'UNAUTHORIZED' }),
      gives: { is: 'unauthorized', code: 'UNAUTHORIZED', message: 'Unauthorized' },
    },
    { what: 'a login that is over, by status', status: 401, gives: { is: 'unauthorized' } },
    {
      what: 'a field that asks for another login',
      status: 200,
      body: withData('UNAUTHENTICATED', { a: 1 }),
      gives: 'success',
    },
    {
      what: 'a denial',
      status: 200,
      body: failure('Not yours', { code: 'FORBIDDEN' }),
      gives: { is: 'forbidden', code: 'FORBIDDEN', message: 'Not yours' },
    },
    {
      what: 'a denial, of Netflix DGS',
      status: 200,
      body: failure('Not yours', { errorType: 'PERMISSION_DENIED' }),
      gives: { is: 'forbidden', code: 'PERMISSION_DENIED', message: 'Not yours' },
    },
    { what: 'a field that is denied', status: 200, body: withData('FORBIDDEN', { a: 1, b: null }), gives: 'success' },
    {
      what: 'something missing',
      status: 200,
      body: withData('NOT_FOUND', { issue: null }),
      gives: { is: 'not-found', code: 'NOT_FOUND', message: 'Not all of it' },
    },
    {
      what: 'an outage',
      status: 200,
      body: failure('Try again', { code: 'SERVICE_UNAVAILABLE' }),
      gives: { is: 'other', status: 503, code: 'SERVICE_UNAVAILABLE', message: 'Try again' },
    },
    {
      what: 'a time limit, of the Apollo Router',
      status: 200,
      body: { ...failure('Request timed out', { code: 'REQUEST_TIMEOUT' }), data: null },
      gives: { is: 'other', status: 504, code: 'REQUEST_TIMEOUT', message: 'Request timed out' },
    },
    {
      what: 'a fault of the server',
      status: 200,
      body: { ...failure('Oops', { code: 'INTERNAL_SERVER_ERROR' }), data: null },
      gives: { is: 'other', status: 502, code: 'INTERNAL_SERVER_ERROR', message: 'Oops' },
    },
    {
      what: 'a query that is wrong',
      status: 400,
      body: failure('Cannot query field "titel".', { code: 'GRAPHQL_VALIDATION_FAILED' }),
      gives: { is: 'bad-request', code: 'GRAPHQL_VALIDATION_FAILED', message: 'Cannot query field "titel".' },
    },
    {
      what: 'input that is wrong, and no code',
      status: 200,
      body: { errors: [{ message: 'Title is empty' }, { message: 'Due is in the past' }] },
      gives: { is: 'bad-request', message: 'Title is empty; Due is in the past' },
    },
    ...typed,
    { what: 'an issue that is null', status: 200, body: { data: { issue: null } }, gives: 'success' },
    { what: 'no errors', status: 200, body: { data: { issue: null }, errors: [] }, gives: 'success' },
  ],
};
