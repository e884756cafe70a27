import { type ReplySet, withoutWait } from '../reply-set.js';

const fault = (errorCode: string, message: string) => [{ errorCode, message }];

export const salesforce: ReplySet = {
  product: 'Salesforce',
  checkedAgainst: 'documentation only',
  replies: [
    {
      what: 'the limit of 24 hours',
      status: 403,
      body: fault('REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'),
      gives: {
        is: 'rate-limit',
        code: 'REQUEST_LIMIT_EXCEEDED',
        message: 'TotalRequests Limit exceeded.',
        waitMs: 900_000,
      },
      control: {
        what: 'a denial',
        body: fault('INSUFFICIENT_ACCESS', 'insufficient access rights on object id'),
        gives: { is: 'forbidden', code: 'INSUFFICIENT_ACCESS', message: 'insufficient access rights on object id' },
      },
    },
    {
      what: 'too many at once',
      status: 403,
      body: fault('REQUEST_LIMIT_EXCEEDED', 'ConcurrentPerOrgLongTxn Limit exceeded.'),
      gives: {
        is: 'rate-limit',
        code: 'REQUEST_LIMIT_EXCEEDED',
        message: 'ConcurrentPerOrgLongTxn Limit exceeded.',
        waitMs: 30_000,
      },
      control: {
        what: 'an API that is switched off',
        body: fault('API_DISABLED_FOR_ORG', 'The REST API is not enabled for this Organization.'),
        gives: {
          is: 'forbidden',
          code: 'API_DISABLED_FOR_ORG',
          message: 'The REST API is not enabled for this Organization.',
        },
      },
    },
    {
      what: 'the limit of Connect REST',
      status: 503,
      body: fault('REQUEST_LIMIT_EXCEEDED', 'You have reached the limit.'),
      gives: {
        is: 'rate-limit',
        code: 'REQUEST_LIMIT_EXCEEDED',
        message: 'You have reached the limit.',
        waitMs: 900_000,
      },
      control: {
        what: 'an outage',
        body: fault('SERVER_UNAVAILABLE', 'Server too busy'),
        gives: { is: 'other', status: 503, code: 'SERVER_UNAVAILABLE', message: 'Server too busy' },
      },
    },
    ...(
      [
        ['TotalRequests', 900_000],
        ['ConcurrentRequests', 30_000],
      ] as const
    ).map(([name, fallbackMs]) => {
      const told = { code: 'REQUEST_LIMIT_EXCEEDED', message: `${name} Limit exceeded.` };
      return {
        what: `the limit ${name}, where something in front says how long`,
        status: 503,
        headers: { 'retry-after': '3600' },
        body: fault(told.code, told.message),
        gives: { is: 'rate-limit', ...told, waitMs: 3_600_000 } as const,
        control: withoutWait(fallbackMs, told),
      };
    }),
    {
      what: 'Marketing Cloud',
      status: 429,
      headers: { 'retry-after': '30' },
      body: { message: 'Rate limit exceeded', errorcode: 50100, retryAfter: 25 },
      gives: { is: 'rate-limit', code: '50100', message: 'Rate limit exceeded', waitMs: 30_000 },
      control: {
        what: 'the wait in the body only',
        headers: {},
        gives: { is: 'rate-limit', code: '50100', message: 'Rate limit exceeded', waitMs: 25_000 },
      },
    },
    {
      what: 'an expired session',
      status: 401,
      body: fault('INVALID_SESSION_ID', 'Session expired or invalid'),
      gives: { is: 'unauthorized', code: 'INVALID_SESSION_ID', message: 'Session expired or invalid' },
    },
    {
      what: 'a denial',
      status: 403,
      body: fault('INSUFFICIENT_ACCESS', 'No'),
      gives: { is: 'forbidden', code: 'INSUFFICIENT_ACCESS', message: 'No' },
    },
    {
      what: 'something missing',
      status: 404,
      body: fault('NOT_FOUND', 'The requested resource does not exist'),
      gives: { is: 'not-found', code: 'NOT_FOUND', message: 'The requested resource does not exist' },
    },
    {
      what: 'a bad query',
      status: 400,
      body: fault('MALFORMED_QUERY', 'unexpected token: FORM'),
      gives: { is: 'bad-request', code: 'MALFORMED_QUERY', message: 'unexpected token: FORM' },
    },
  ],
};
