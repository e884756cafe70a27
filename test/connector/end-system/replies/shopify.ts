import { type ReplySet, withoutWait } from '../reply-set.js';

const failure = (code: string, message: string) => ({ errors: [{ message, extensions: { code } }] });
const cost = (currentlyAvailable: number) => ({
  cost: {
    requestedQueryCost: 752,
    actualQueryCost: null,
    throttleStatus: { maximumAvailable: 1000.0, currentlyAvailable, restoreRate: 50.0 },
  },
});
const throttled = { is: 'rate-limit', code: 'THROTTLED', message: 'Throttled' } as const;
const exceeded = 'Exceeded 2 calls per second for api client. Reduce request rates to resume uninterrupted service.';

export const shopify: ReplySet = {
  product: 'Shopify (REST and GraphQL)',
  checkedAgainst: 'recorded responses',
  replies: [
    {
      what: 'a GraphQL limit, (752 − 666) points at 50 a second',
      recorded: { from: 'https://community.shopify.com/t/throttled/254776' },
      status: 200,
      body: { ...failure('THROTTLED', 'Throttled'), extensions: cost(666) },
      gives: { ...throttled, waitMs: 1_720 },
      control: {
        what: 'the same budget after a success',
        body: { data: { shop: { name: 'x' } }, extensions: cost(666) },
        gives: 'success',
      },
    },
    {
      what: 'a GraphQL limit with an empty budget',
      status: 200,
      body: { ...failure('THROTTLED', 'Throttled'), extensions: cost(0) },
      gives: { ...throttled, waitMs: 15_040 },
      control: {
        what: 'without a budget',
        body: failure('THROTTLED', 'Throttled'),
        gives: { ...throttled, waitMs: 2_000 },
      },
    },
    {
      what: 'a GraphQL limit without a budget, in a 429',
      status: 429,
      headers: { 'retry-after': '9' },
      body: failure('THROTTLED', 'Throttled'),
      gives: { ...throttled, waitMs: 9_000 },
      control: withoutWait(2_000, { code: 'THROTTLED', message: 'Throttled' }),
    },
    {
      what: 'a REST limit',
      status: 429,
      headers: { 'retry-after': '4.0', 'x-shopify-shop-api-call-limit': '40/40' },
      body: { errors: exceeded },
      gives: { is: 'rate-limit', message: exceeded, waitMs: 4_000 },
      control: withoutWait(2_000, { message: exceeded }),
    },
    {
      what: 'a token that is wrong',
      status: 401,
      body: { errors: '[API] Invalid API key or access token (unrecognized login or wrong password)' },
      gives: {
        is: 'unauthorized',
        message: '[API] Invalid API key or access token (unrecognized login or wrong password)',
      },
    },
    {
      what: 'a GraphQL denial',
      status: 200,
      body: failure('ACCESS_DENIED', 'Access denied'),
      gives: { is: 'forbidden', code: 'ACCESS_DENIED', message: 'Access denied' },
    },
    {
      what: 'a GraphQL fault',
      status: 200,
      body: failure('INTERNAL_SERVER_ERROR', 'Oops'),
      gives: { is: 'other', status: 502, code: 'INTERNAL_SERVER_ERROR', message: 'Oops' },
    },
    {
      what: 'a query that is wrong',
      status: 200,
      body: { errors: [{ message: "Field 'x' doesn't exist" }, { message: 'Nor y' }] },
      gives: { is: 'bad-request', message: "Field 'x' doesn't exist; Nor y" },
    },
    {
      what: 'a REST denial',
      status: 403,
      body: { errors: 'This action requires merchant approval' },
      gives: { is: 'forbidden', message: 'This action requires merchant approval' },
    },
    {
      what: 'something missing',
      status: 404,
      body: { errors: 'Not Found' },
      gives: { is: 'not-found', message: 'Not Found' },
    },
    {
      what: 'fields that are wrong',
      status: 422,
      body: { errors: { title: ["can't be blank"] } },
      gives: { is: 'bad-request', message: "title: can't be blank" },
    },
    {
      what: 'a mutation with user errors',
      status: 200,
      body: { data: { productCreate: { userErrors: [{ message: 'x' }] } } },
      gives: 'success',
    },
  ],
};
