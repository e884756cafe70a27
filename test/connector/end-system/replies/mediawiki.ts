import type { ErrorKind } from 'concordat';
import { type RecordedReply, type ReplySet, withoutWait } from '../reply-set.js';

const failure = (code: string, info: string) => ({
  error: { code, info, docref: 'See https://wiki.example/w/api.php' },
});
const lag = 'Waiting for 10.0.6.38: 7 seconds lagged.';

/** The form of errors that is the default, and those of `errorformat=plaintext`, which a header announces. */
function inBothForms(what: string, code: string, outcome: { is: ErrorKind; status?: number }): RecordedReply[] {
  const gives = { ...outcome, code, message: 'Said by the wiki' };
  return [
    { what, status: 200, body: failure(code, gives.message), gives },
    {
      what: `${what}, in the newer form`,
      status: 200,
      headers: { 'mediawiki-api-error': code },
      body: { errors: [{ code, text: gives.message }] },
      gives,
    },
  ];
}

export const mediawiki: ReplySet = {
  product: 'MediaWiki',
  checkedAgainst: 'recorded responses',
  replies: [
    {
      what: 'a lagging database',
      recorded: { from: 'https://phabricator.wikimedia.org/T33156' },
      status: 200,
      headers: { 'retry-after': '5', 'x-database-lag': '0', 'mediawiki-api-error': 'maxlag' },
      body: failure('maxlag', lag),
      gives: { is: 'rate-limit', code: 'maxlag', message: lag, waitMs: 5_000 },
      control: { what: 'a success', headers: {}, body: { query: { pages: [] } }, gives: 'success' },
    },
    {
      what: 'a limit',
      status: 200,
      body: failure('ratelimited', "You've exceeded your rate limit. Please wait some time and try again."),
      gives: {
        is: 'rate-limit',
        code: 'ratelimited',
        message: "You've exceeded your rate limit. Please wait some time and try again.",
        waitMs: 60_000,
      },
      control: { what: 'a page about limits', body: { parse: { title: 'ratelimited' } }, gives: 'success' },
    },
    {
      what: 'a limit in the newer form',
      status: 200,
      headers: { 'mediawiki-api-error': 'ratelimited' },
      body: { errors: [{ code: 'ratelimited', text: 'Slow down', module: 'edit' }] },
      gives: { is: 'rate-limit', code: 'ratelimited', message: 'Slow down', waitMs: 60_000 },
      control: {
        what: 'a success with warnings',
        headers: {},
        body: { warnings: [{ code: 'x' }], edit: {} },
        gives: 'success',
      },
    },
    {
      what: 'a limit at the edge',
      status: 429,
      headers: { 'retry-after': '1' },
      gives: { is: 'rate-limit', waitMs: 1_000 },
      control: withoutWait(60_000),
    },
    {
      what: 'a database that lags, in the newer form',
      status: 200,
      headers: { 'mediawiki-api-error': 'maxlag' },
      body: { errors: [{ code: 'maxlag', text: lag }] },
      gives: { is: 'rate-limit', code: 'maxlag', message: lag, waitMs: 5_000 },
      control: { what: 'a success', headers: {}, body: { query: {} }, gives: 'success' },
    },
    ...inBothForms('a session that is over', 'assertuserfailed', { is: 'unauthorized' }),
    ...inBothForms('a denial', 'permissiondenied', { is: 'forbidden' }),
    ...inBothForms('a page that is missing', 'missingtitle', { is: 'not-found' }),
    ...inBothForms('a parameter that is wrong', 'badvalue', { is: 'bad-request' }),
    ...inBothForms('a wiki that is locked', 'readonly', { is: 'other', status: 503 }),
  ],
};
