import type { MiddlewareHandler } from 'hono';

/** Set by the host's sections: their scripts may connect to where they come from. */
export const allowConnections = 'allowConnections';

/** Nothing but the administration's own stylesheet, script and pictures; no inline code, no frames, no other sites. */
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
  // Not `no-referrer`: browsers would then send `Origin: null` with the administration's own forms.
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
