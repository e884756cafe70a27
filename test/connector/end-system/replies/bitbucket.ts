import type { ReplySet } from '../reply-set.js';

const text = 'Rate limit for this resource has been exceeded';

export const bitbucket: ReplySet = {
  product: 'Bitbucket Cloud',
  checkedAgainst: 'recorded responses',
  replies: [
    {
      what: 'a rate limit in plain text',
      recorded: { from: 'https://github.com/MitjaBezensek/SharpBucket/issues/108', on: '2019-01-25' },
      status: 429,
      headers: { 'content-type': 'text/plain', 'x-request-count': '447' },
      body: text,
      gives: { is: 'rate-limit', message: text, waitMs: 300_000 },
      control: {
        what: 'one that says how long',
        headers: { 'content-type': 'text/plain', 'retry-after': '20' },
        gives: { is: 'rate-limit', message: text, waitMs: 20_000 },
      },
    },
    { what: 'no credentials', status: 401, body: '', gives: { is: 'unauthorized' } },
    {
      what: 'a denial',
      status: 403,
      body: { type: 'error', error: { message: 'Your credentials lack one or more required privilege scopes.' } },
      gives: { is: 'forbidden', message: 'Your credentials lack one or more required privilege scopes.' },
    },
    {
      what: 'something missing',
      status: 404,
      body: { type: 'error', error: { message: 'Repository ada/gone not found' } },
      gives: { is: 'not-found', message: 'Repository ada/gone not found' },
    },
    {
      what: 'a bad request',
      status: 400,
      body: { type: 'error', error: { message: 'Bad request' } },
      gives: { is: 'bad-request', message: 'Bad request' },
    },
  ],
};
