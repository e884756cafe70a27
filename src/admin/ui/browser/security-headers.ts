import type { MiddlewareHandler } from 'hono';

/** Set for the host's sections, whose scripts may connect to the same origin. */
export const allowConnections = 'allowConnections';

/** Only the administration's own stylesheet, script and images; no inline code, no frames, no other sites. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const headers = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // Not `no-referrer`, with which browsers send `Origin: null` with the administration's own forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

export const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
  if (c.get(allowConnections) === true) {
    c.res.headers.set('content-security-policy', `${contentSecurityPolicy}; connect-src 'self'`);
  }
  if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store');
};
