import { date, type ReplySet, withoutWait } from '../reply-set.js';

export const jiraCloud: ReplySet = {
  product: 'Jira Cloud',
  checkedAgainst: 'documentation only',
  replies: [
    {
      what: 'a burst',
      status: 429,
      headers: { 'retry-after': '5', 'ratelimit-reason': 'jira-burst-based' },
      body: { errorMessages: ['Rate limit exceeded.'], errors: {} },
      gives: { is: 'rate-limit', message: 'Rate limit exceeded.', waitMs: 5_000 },
      control: withoutWait(60_000, { message: 'Rate limit exceeded.' }),
    },
    {
      what: 'a reset without seconds',
      status: 429,
      headers: { date, 'x-ratelimit-reset': '2030-01-01T00:10Z', 'ratelimit-reason': 'jira-quota-tenant-based' },
      gives: { is: 'rate-limit', waitMs: 600_000 },
      control: withoutWait(60_000),
    },
    {
      what: 'the header of the beta',
      status: 429,
      headers: { 'beta-retry-after': '12' },
      gives: { is: 'rate-limit', waitMs: 12_000 },
      control: withoutWait(60_000),
    },
    {
      what: 'an overload that says how long',
      status: 503,
      headers: { 'retry-after': '30' },
      gives: { is: 'rate-limit', waitMs: 30_000 },
      control: { what: 'an outage', headers: {}, gives: { is: 'other', status: 503 } },
    },
    {
      what: 'no session',
      status: 401,
      body: { message: 'Client must be authenticated to access this resource.', 'status-code': 401 },
      gives: { is: 'unauthorized', message: 'Client must be authenticated to access this resource.' },
    },
    {
      what: 'a denial',
      status: 403,
      body: { errorMessages: ['You do not have permission to view this board.'], errors: {} },
      gives: { is: 'forbidden', message: 'You do not have permission to view this board.' },
    },
    {
      what: 'an issue that is missing',
      status: 404,
      body: { errorMessages: ['Issue does not exist or you do not have permission to see it.'], errors: {} },
      gives: { is: 'not-found', message: 'Issue does not exist or you do not have permission to see it.' },
    },
    {
      what: 'fields that are wrong',
      status: 400,
      body: {
        errorMessages: [],
        errors: { summary: 'You must specify a summary of the issue.', project: 'project is required' },
      },
      gives: {
        is: 'bad-request',
        message: 'summary: You must specify a summary of the issue.; project: project is required',
      },
    },
  ],
};
