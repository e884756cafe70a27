import { date, epochSeconds, type ReplySet, withoutWait } from '../reply-set.js';

const failure = (message: string, detail: string | null) => ({ error: { message, detail }, status: 'failure' });

export const servicenow: ReplySet = {
  product: 'ServiceNow',
  checkedAgainst: 'documentation only',
  replies: [
    {
      what: 'a limit',
      status: 429,
      headers: {
        date,
        'x-ratelimit-limit': '100',
        'x-ratelimit-reset': epochSeconds(1800),
        'x-ratelimit-rule': 'Incidents',
      },
      body: failure('Rate limit exceeded', null),
      gives: { is: 'rate-limit', message: 'Rate limit exceeded', waitMs: 1_800_000 },
      control: withoutWait(60_000, { message: 'Rate limit exceeded' }),
    },
    {
      what: 'no session',
      status: 401,
      body: failure('User Not Authenticated', 'Required to provide Auth information'),
      gives: { is: 'unauthorized', message: 'User Not Authenticated' },
    },
    {
      what: 'a denial',
      status: 403,
      body: failure('Operation Failed', 'ACL'),
      gives: { is: 'forbidden', message: 'Operation Failed' },
    },
    {
      what: 'a record that is missing or hidden',
      status: 404,
      body: failure('No Record found', "Record doesn't exist or ACL restricts the record retrieval"),
      gives: { is: 'not-found', message: 'No Record found' },
    },
    {
      what: 'a bad table',
      status: 400,
      body: failure('Invalid table incidents', null),
      gives: { is: 'bad-request', message: 'Invalid table incidents' },
    },
  ],
};
