import type { Preset, PresetRule } from '../preset.js';
import { retryAfter } from './retry-after.js';

// Sources: https://www.w3.org/TR/2000/NOTE-SOAP-20000508/#_Toc478383507 (SOAP 1.1), https://www.w3.org/TR/soap12-part1/#soapfault
//          https://docs.oasis-open.org/wss-m/wss/v1.1.1/os/wss-SOAPMessageSecurity-v1.1.1-os.html (12, error handling)
//          https://www.w3.org/TR/soap12-part2/#http-reqresp-binding-states (4: a fault is a 400 or 500; many servers say 200)
const hidden = [200];

/**
 * A name, also as the last of the dotted names by which SOAP 1.1 refines a code: `Client.SessionExpired` (4.4.1). In a failure
 * of any status, and in a success.
 */
const says = (names: string, rule: Omit<PresetRule, 'when'>): PresetRule[] => {
  const body = { path: 'fault.*', matches: new RegExp(`^(?:[\\w-]+\\.)*(?:${names})$`) };
  return [{ body }, { status: hidden, body }].map((when) => ({ when, ...rule }));
};

/**
 * SOAP of no product in particular: a failure is a fault, mostly with a 500, but also with a 200. Its code says whose mistake
 * it was, and often no more: for a service's own fault codes, extend this preset.
 */
export const soap: Preset = {
  name: 'soap',
  body: 'soap',
  code: ['fault.subcode', 'fault.code'],
  message: ['fault.string'],
  rules: [
    // WS-Security's, then names that speak for themselves.
    ...says(
      'FailedAuthentication|InvalidSecurity(?:Token)?|SecurityTokenUnavailable|MessageExpired|AuthenticationFailed|NotAuthenticated|InvalidSession|SessionExpired|INVALID_SESSION_ID|SESSION_EXPIRED|Client\\.Authentication',
      { is: 'unauthorized' },
    ),
    ...says('REQUEST_LIMIT_EXCEEDED|RateLimitExceeded|TooManyRequests|Throttled', {
      is: 'rate-limit',
      wait: [retryAfter],
    }),
    ...says('AccessDenied|PermissionDenied|NotAuthorized', { is: 'forbidden' }),
    ...says('NotFound|ObjectNotFound|RecordNotFound', { is: 'not-found' }),
    {
      when: { status: [...hidden, 400, 500], body: { path: 'fault.code', matches: /^(?:Client|Sender)(?:\.|$)/ } },
      is: 'bad-request',
    },
    { when: { status: hidden, body: { path: 'fault', matches: true } }, is: 'other' },
  ],
};
