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
      what: 'a bad request with several messages',
      status: 422,
      body: {
        errors: [
          { code: 'X', field: 'name', message: 'Too short' },
          { code: 'Y', field: 'date', message: 'No date' },
        ],
      },
      gives: { is: 'bad-request', code: 'X', message: 'Too short; No date' },
    },
    {
      what: 'a bad request as in OAuth 2',
      status: 400,
      body: { error: 'invalid_grant', error_description: 'The code has expired' },
      gives: { is: 'bad-request', code: 'invalid_grant', message: 'The code has expired' },
      control: {
        what: 'a status text',
        body: { error: 'Bad Request', message: 'The code has expired' },
        gives: { is: 'bad-request', code: 'BAD_REQUEST', message: 'The code has expired' },
      },
    },
    {
      what: 'a bad request as in JSON:API',
      status: 422,
      body: {
        errors: [
          { code: 'X', title: 'Invalid', detail: 'No name' },
          { title: 'Invalid', detail: 'No date' },
        ],
      },
      gives: { is: 'bad-request', code: 'X', message: 'No name; No date' },
    },
    {
      what: 'a bad request with titles alone',
      status: 422,
      body: { errors: [{ title: 'Invalid name' }] },
      gives: { is: 'bad-request', message: 'Invalid name' },
    },
    {
      what: 'a bad request with a detail in `error`',
      status: 422,
      body: { error: { code: 'X', title: 'Invalid', detail: 'No name' } },
      gives: { is: 'bad-request', code: 'X', message: 'No name' },
    },
    {
      what: 'a bad request with a list of messages',
      status: 422,
      body: { errors: ['No name', 'No date'] },
      gives: { is: 'bad-request', message: 'No name; No date' },
    },
    {
      what: 'a bad request with messages by field, as in Rails and ASP.NET',
      status: 422,
      body: { title: 'Validation failed', errors: { name: ['is too long'], date: ['is missing', 'is no date'] } },
      gives: { is: 'bad-request', message: 'name: is too long; date: is missing; is no date' },
    },
    {
      what: 'a bad request as in FastAPI',
      status: 422,
      body: { detail: [{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }] },
      gives: { is: 'bad-request', message: 'Field required' },
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
