import { type Outcome, type ReplySet, withoutWait } from '../reply-set.js';

const limit = (policyName: string, message: string) => ({
  status: 'error',
  message,
  errorType: 'RATE_LIMIT',
  policyName,
});
const gives = (message: string, waitMs: number): Outcome => ({ is: 'rate-limit', code: 'RATE_LIMIT', message, waitMs });
const headers = { 'x-hubspot-ratelimit-interval-milliseconds': '12000', 'x-hubspot-ratelimit-remaining': '0' };
const rolling = 'You have reached your ten_secondly_rolling limit.';
const category = (name: string, message: string) => ({ status: 'error', message, correlationId: 'c', category: name });

export const hubspot: ReplySet = {
  product: 'HubSpot',
  checkedAgainst: 'SDK source',
  replies: [
    {
      what: 'the limit of ten seconds',
      status: 429,
      headers,
      body: limit('TEN_SECONDLY_ROLLING', rolling),
      gives: gives(rolling, 12_000),
      control: { what: 'without headers', headers: {}, gives: gives(rolling, 10_000) },
    },
    {
      what: 'the per-second limit',
      recorded: { from: 'https://github.com/HGData/mk-node-hubspot/issues/89', on: '2018-05-22' },
      status: 429,
      headers,
      body: {
        ...limit('SECONDLY', 'You have reached your secondly limit.'),
        correlationId: '6828d000',
        requestId: 'ce6a6a91',
      },
      gives: gives('You have reached your secondly limit.', 1_000),
      control: {
        what: 'that of ten seconds',
        body: limit('TEN_SECONDLY_ROLLING', rolling),
        gives: gives(rolling, 12_000),
      },
    },
    {
      what: 'the limit of a day, with the header of the short window',
      status: 429,
      headers,
      body: limit('DAILY', 'You have reached your daily limit.'),
      gives: gives('You have reached your daily limit.', 3_600_000),
      control: {
        what: 'that of ten seconds',
        body: limit('TEN_SECONDLY_ROLLING', rolling),
        gives: gives(rolling, 12_000),
      },
    },
    ...(
      [
        ['DAILY', 7_200, 3_600_000],
        ['SECONDLY', 20, 1_000],
      ] as const
    ).map(([policy, seconds, fallbackMs]) => ({
      what: `the limit ${policy}, which says how long`,
      status: 429,
      headers: { ...headers, 'retry-after': `${seconds}` },
      body: limit(policy, 'Too many.'),
      gives: gives('Too many.', seconds * 1_000),
      control: { what: 'without the wait header', headers, gives: gives('Too many.', fallbackMs) },
    })),
    {
      what: 'a lock that says how long',
      status: 423,
      headers: { 'retry-after': '20' },
      gives: { is: 'rate-limit', waitMs: 20_000 },
      control: withoutWait(2_000),
    },
    {
      what: 'a move to another data centre',
      status: 477,
      headers: { 'retry-after': '7200' },
      gives: { is: 'rate-limit', waitMs: 7_200_000 },
      control: withoutWait(60_000),
    },
    {
      what: 'a lock of two seconds',
      status: 423,
      gives: { is: 'rate-limit', waitMs: 2_000 },
      control: {
        what: 'the same with words',
        body: { message: 'locked' },
        gives: { is: 'rate-limit', waitMs: 2_000, message: 'locked' },
      },
    },
    {
      what: 'an expired token',
      status: 401,
      body: category('EXPIRED_AUTHENTICATION', 'The OAuth token used to make this call expired.'),
      gives: {
        is: 'unauthorized',
        code: 'EXPIRED_AUTHENTICATION',
        message: 'The OAuth token used to make this call expired.',
      },
    },
    {
      what: 'a scope that is missing',
      status: 403,
      body: category('MISSING_SCOPES', 'Scopes'),
      gives: { is: 'forbidden', code: 'MISSING_SCOPES', message: 'Scopes' },
    },
    {
      what: 'something missing',
      status: 404,
      body: category('OBJECT_NOT_FOUND', 'Gone'),
      gives: { is: 'not-found', code: 'OBJECT_NOT_FOUND', message: 'Gone' },
    },
    {
      what: 'a property that is wrong',
      status: 400,
      body: category('VALIDATION_ERROR', 'Wrong'),
      gives: { is: 'bad-request', code: 'VALIDATION_ERROR', message: 'Wrong' },
    },
  ],
};
