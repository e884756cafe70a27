import type { ReplySet } from '../reply-set.js';

const failure = (summary: string, error: object) => ({ error_summary: summary, error });

export const dropbox: ReplySet = {
  product: 'Dropbox',
  checkedAgainst: 'documentation only',
  replies: [
    {
      what: 'a limit',
      status: 429,
      headers: { 'retry-after': '300' },
      body: failure('too_many_requests/..', { reason: { '.tag': 'too_many_requests' }, retry_after: 299 }),
      gives: { is: 'rate-limit', code: 'too_many_requests', message: 'too_many_requests/..', waitMs: 300_000 },
      control: {
        what: 'the wait in the body only',
        headers: {},
        gives: { is: 'rate-limit', code: 'too_many_requests', message: 'too_many_requests/..', waitMs: 299_000 },
      },
    },
    {
      what: 'an expired token',
      status: 401,
      body: failure('expired_access_token/..', { '.tag': 'expired_access_token' }),
      gives: { is: 'unauthorized', code: 'expired_access_token', message: 'expired_access_token/..' },
    },
    {
      what: 'a denial',
      status: 403,
      body: failure('invalid_account_type/..', { '.tag': 'invalid_account_type' }),
      gives: { is: 'forbidden', code: 'invalid_account_type', message: 'invalid_account_type/..' },
    },
    {
      what: 'a path that is missing',
      status: 409,
      body: failure('path/not_found/..', { '.tag': 'path', path: { '.tag': 'not_found' } }),
      gives: { is: 'not-found', code: 'path', message: 'path/not_found/..' },
    },
    {
      what: 'a path that is taken',
      status: 409,
      body: failure('path/conflict/file/..', { '.tag': 'path', path: { '.tag': 'conflict' } }),
      gives: { is: 'bad-request', code: 'path', message: 'path/conflict/file/..' },
    },
    {
      what: 'arguments that are wrong, in plain text',
      status: 400,
      body: 'Error in call to API function',
      gives: { is: 'bad-request', message: 'Error in call to API function' },
    },
  ],
};
