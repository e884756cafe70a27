import type { Preset, PresetRule } from '../preset.js';
import { retryAfter } from './retry-after.js';

// Sources: https://www.w3.org/TR/2000/NOTE-SOAP-20000508/#_Toc478383507 (SOAP 1.1), https://www.w3.org/TR/soap12-part1/#soapfault
//          https://docs.oasis-open.org/wss-m/wss/v1.1.1/os/wss-SOAPMessageSecurity-v1.1.1-os.html (12, error handling)
/** A name, also as the last of the dotted names by which SOAP 1.1 refines a code: `Client.SessionExpired` (4.4.1). */
const says = (names: string, is: PresetRule['is']): PresetRule => ({
  when: { body: { path: 'fault.*', matches: new RegExp(`^(?:[\\w-]+\\.)*(?:${names})$`) } },
  is,
});

/**
 * SOAP of no product in particular: a failure is a fault, mostly with a 500. Its code says whose mistake it was, and often
 * no more: for a service's own fault codes, extend this preset.
 */
export const soap: Preset = {
  name: 'soap',
  body: 'soap',
  code: ['fault.subcode', 'fault.code'],
  message: ['fault.string'],
  rules: [
    // WS-Security's, then names that speak for themselves.
    says(
      'FailedAuthentication|InvalidSecurity(?:Token)?|SecurityTokenUnavailable|MessageExpired|AuthenticationFailed|NotAuthenticated|InvalidSession|SessionExpired|INVALID_SESSION_ID|SESSION_EXPIRED|Client\\.Authentication',
      'unauthorized',
    ),
    {
      ...says('REQUEST_LIMIT_EXCEEDED|RateLimitExceeded|TooManyRequests|Throttled', 'rate-limit'),
      wait: [retryAfter],
    },
    says('AccessDenied|PermissionDenied|NotAuthorized', 'forbidden'),
    says('NotFound|ObjectNotFound|RecordNotFound', 'not-found'),
    {
      when: { status: [400, 500], body: { path: 'fault.code', matches: /^(?:Client|Sender)(?:\.|$)/ } },
      is: 'bad-request',
    },
  ],
};
