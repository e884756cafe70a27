import { credentialHeaders } from '../../internal/index.js';
import type { SeenExchange } from '../result.js';
import { type Exchange, shorten } from './exchange.js';
import { maskedMark } from './mask.js';
import type { Prober } from './prober.js';
import { maskStrings } from './session-text.js';

const maxShownCharacters = 2000;
/** Of a longer body only the beginning is searched for secrets, and shown. */
const maxSearchedCharacters = 64 * 1024;
const secretHeaders = new Set([...credentialHeaders, 'set-cookie']);

const inChunks = { 'transfer-encoding': 'chunked' };

/** An exchange for a report, as it came: only secrets are masked, and long bodies cut. */
export function showExchange(
  { request, response, failure }: Exchange,
  { secrets, sessionNames, settings }: Prober,
): SeenExchange {
  const broken = response?.broken ?? failure;
  const isLogin = request.path === settings.initialize.path && request.method !== 'GET';
  const showHeaders = (headers: Iterable<[string, string]>) =>
    Object.fromEntries(
      [...headers].map(([name, value]) => {
        const isSecret = secretHeaders.has(name.toLowerCase()) || sessionNames.has(name.toLowerCase());
        return [name, isSecret ? maskedMark : secrets.mask(value)];
      }),
    );
  const showBody = (body: string, holdsSession: boolean) => {
    const head = body.slice(0, maxSearchedCharacters);
    return shorten(secrets.mask(holdsSession ? maskStrings(head) : head), maxShownCharacters);
  };
  return {
    request: {
      method: request.method,
      path: shorten(secrets.mask(request.path), 500),
      headers: showHeaders(Object.entries({ ...request.headers, ...(request.chunked && inChunks) })),
      ...(request.body === undefined ? {} : { body: showBody(request.body, isLogin) }),
    },
    ...(response && {
      response: {
        status: response.status,
        headers: showHeaders(response.headers),
        body: showBody(response.body, isLogin && response.status < 300),
      },
    }),
    ...(broken && { failure: secrets.mask(broken.text) }),
  };
}
