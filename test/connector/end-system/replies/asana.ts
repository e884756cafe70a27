import { type ReplySet, withoutWait } from '../reply-set.js';

const says = (message: string) => ({ errors: [{ message, help: 'For more information see the documentation.' }] });
const tooMany = 'You have made too many requests recently. Please, be chill.';

export const asana: ReplySet = {
  product: 'Asana',
  checkedAgainst: 'documentation only',
  replies: [
    {
      what: 'a limit',
      status: 429,
      headers: { 'retry-after': '30' },
      body: says(tooMany),
      gives: { is: 'rate-limit', message: tooMany, waitMs: 30_000 },
      control: withoutWait(60_000, { message: tooMany }),
    },
    {
      what: 'no token',
      status: 401,
      body: says('Not Authorized'),
      gives: { is: 'unauthorized', message: 'Not Authorized' },
    },
    { what: 'a denial', status: 403, body: says('Forbidden'), gives: { is: 'forbidden', message: 'Forbidden' } },
    {
      what: 'something missing',
      status: 404,
      body: says('task: Not a recognized ID: 7'),
      gives: { is: 'not-found', message: 'task: Not a recognized ID: 7' },
    },
    {
      what: 'two fields that are wrong',
      status: 400,
      body: { errors: [{ message: 'workspace: Missing input' }, { message: 'name: Too long' }] },
      gives: { is: 'bad-request', message: 'workspace: Missing input; name: Too long' },
    },
    {
      what: 'a premium feature',
      status: 402,
      body: says('Payment Required'),
      gives: { is: 'other', status: 402, message: 'Payment Required' },
    },
  ],
};
