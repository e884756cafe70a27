import type { ErrorKind } from 'concordat';
import { type ReplySet, withoutWait } from '../reply-set.js';

const error = (code: string, rest: object = {}) => ({ ok: false, error: code, ...rest });
const answer = (what: string, code: string, is: ErrorKind, rest: object = {}) => ({
  what,
  status: 200,
  body: error(code),
  gives: { is, code, message: code, ...rest },
});

export const slack: ReplySet = {
  product: 'Slack',
  checkedAgainst: 'SDK source',
  replies: [
    {
      what: 'a limit',
      status: 429,
      headers: { 'retry-after': '30' },
      body: error('ratelimited'),
      gives: { is: 'rate-limit', code: 'ratelimited', message: 'ratelimited', waitMs: 30_000 },
      control: withoutWait(60_000, { code: 'ratelimited', message: 'ratelimited' }),
    },
    {
      what: 'a limit in a 200',
      status: 200,
      headers: { 'retry-after': '10' },
      body: error('ratelimited'),
      gives: { is: 'rate-limit', code: 'ratelimited', message: 'ratelimited', waitMs: 10_000 },
      control: {
        what: 'a success that has an error in its data',
        body: { ok: true, error: 'ratelimited' },
        gives: 'success',
      },
    },
    answer('an expired token', 'token_expired', 'unauthorized'),
    answer('a wrong token', 'invalid_auth', 'unauthorized'),
    answer('a scope that is missing', 'missing_scope', 'forbidden'),
    answer('a channel that is missing', 'channel_not_found', 'not-found'),
    answer('text that is missing', 'no_text', 'bad-request'),
    answer('a fault of Slack', 'internal_error', 'other', { status: 503 }),
    {
      what: 'arguments that are wrong',
      status: 200,
      body: error('invalid_arguments', {
        response_metadata: { messages: ['[ERROR] missing required field: channel'] },
      }),
      gives: { is: 'bad-request', code: 'invalid_arguments', message: '[ERROR] missing required field: channel' },
    },
    { what: 'a success', status: 200, body: { ok: true, channel: 'C1' }, gives: 'success' },
  ],
};
