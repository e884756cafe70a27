import { date, epochMilliseconds, type ReplySet, withoutWait } from '../reply-set.js';

export const generic: ReplySet = {
  product: 'anything else',
  checkedAgainst: 'RFC 9110, RFC 6585',
  replies: [
    {
      what: 'a limit',
      status: 403,
      headers: { 'retry-after': '30' },
      body: { code: 'SLOW', message: 'Slow' },
      gives: { is: 'rate-limit', code: 'SLOW', message: 'Slow', waitMs: 30_000 },
      control: { what: 'a denial', headers: {}, gives: { is: 'forbidden', code: 'SLOW', message: 'Slow' } },
    },
    {
      what: 'an empty quota with a reset to be guessed',
      status: 403,
      headers: { date, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': epochMilliseconds(9) },
      gives: { is: 'rate-limit', waitMs: 9_000 },
      control: {
        what: 'quota left',
        headers: { date, 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': epochMilliseconds(9) },
        gives: { is: 'forbidden' },
      },
    },
    {
      what: 'an outage that says how long',
      status: 503,
      headers: { 'retry-after': '9' },
      gives: { is: 'rate-limit', waitMs: 9_000 },
      control: { what: 'an outage', headers: {}, gives: { is: 'other', status: 503 } },
    },
    {
      what: 'a limit',
      status: 429,
      headers: { 'ratelimit-reset': '5' },
      gives: { is: 'rate-limit', waitMs: 5_000 },
      control: withoutWait(60_000),
    },
    { what: 'no session', status: 401, gives: { is: 'unauthorized' } },
    { what: 'a denial', status: 403, gives: { is: 'forbidden' } },
    { what: 'something missing', status: 404, gives: { is: 'not-found' } },
    {
      what: 'a bad request',
      status: 422,
      body: { errors: [{ code: 'X', message: 'm' }] },
      gives: { is: 'bad-request', code: 'X', message: 'm' },
    },
    {
      what: 'an empty quota of the newer header',
      status: 403,
      headers: { 'ratelimit-remaining': '0', 'ratelimit-reset': '5' },
      gives: { is: 'rate-limit', waitMs: 5_000 },
      control: {
        what: 'quota left',
        headers: { 'ratelimit-remaining': '7', 'ratelimit-reset': '5' },
        gives: { is: 'forbidden' },
      },
    },
    {
      what: 'an empty quota of the standard header',
      status: 403,
      headers: { ratelimit: '"default";r=0;t=30' },
      gives: { is: 'rate-limit', waitMs: 30_000 },
      control: { what: 'quota left', headers: { ratelimit: '"default";r=07;t=30' }, gives: { is: 'forbidden' } },
    },
    {
      what: 'an empty quota beside one that is not',
      status: 403,
      headers: { ratelimit: '"day";r=900, "burst"; t=5; r=0' },
      gives: { is: 'rate-limit', waitMs: 5_000 },
      control: { what: 'another parameter', headers: { ratelimit: '"day";r=900;for=0' }, gives: { is: 'forbidden' } },
    },
    { what: 'a conflict', status: 409, gives: { is: 'bad-request', code: 'CONFLICT' } },
    { what: 'a time-out', status: 408, gives: { is: 'other', status: 504 } },
    { what: 'an overload', status: 529, gives: { is: 'other', status: 503 } },
    {
      what: 'a success that looks like a failure',
      status: 200,
      body: { ok: false, error: { code: 'X' } },
      gives: 'success',
    },
  ],
};
