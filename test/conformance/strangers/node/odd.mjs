/** Connectors that are unusual, and right. */
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Connector, Failure } from './connector.mjs';
import { odd } from './registry.mjs';

odd('plain', { what: 'The connector that the others are made of.' }, Connector);

odd(
  'header-case',
  { what: 'Names of headers are in upper case, and so is the key of the session.' },
  class extends Connector {
    sessionBody(token) {
      return [{ key: 'X-SESSION', value: token, sensitive: true }];
    }
    waitHeaders(waitMs) {
      return { 'RETRY-AFTER': super.waitHeaders(waitMs)['Retry-After'] };
    }
  },
);

odd(
  'extra-headers',
  { what: 'Every response has cookies and a dozen headers that mean nothing here.' },
  class extends Connector {
    sendText(exchange, status, text, headers) {
      super.sendText(exchange, status, text, {
        'set-cookie': ['a=1; HttpOnly', 'b=2'],
        'x-request-id': randomUUID(),
        'cache-control': 'no-store',
        'strict-transport-security': 'max-age=31536000',
        vary: 'accept-encoding',
        via: '1.1 gateway',
        ...headers,
      });
    }
  },
);

odd(
  'extra-members',
  { what: 'Entries of the session and records have members that the contract does not know.' },
  class extends Connector {
    sessionBody(token) {
      return [{ key: 'x-session', value: token, sensitive: true, label: 'Session', type: 'string' }];
    }
    records = new Map([['1', { id: 1, title: 'A lamp', errors: null, code: 7, links: { self: '/records/1' } }]]);
  },
);

odd(
  'wait-is-a-date',
  { what: '`Retry-After` is an HTTP-date.' },
  class extends Connector {
    waitHeaders(waitMs) {
      return { 'Retry-After': new Date(Math.ceil((Date.now() + waitMs) / 1000) * 1000).toUTCString() };
    }
  },
);

odd(
  'clock-is-wrong',
  { what: '`Retry-After` is an HTTP-date by a clock that is 2 hours slow, and so is `Date`.' },
  class extends Connector {
    waitHeaders(waitMs) {
      const now = Date.now() - 7_200_000;
      return {
        Date: new Date(now).toUTCString(),
        'Retry-After': new Date(Math.ceil((now + waitMs) / 1000) * 1000).toUTCString(),
      };
    }
  },
);

odd(
  'wait-header-of-its-own',
  {
    what: 'The wait is in `X-Wait-Ms`, in milliseconds, which is declared.',
    declare: { rateLimit: { header: 'X-Wait-Ms', format: 'milliseconds' } },
  },
  class extends Connector {
    waitHeaders(waitMs) {
      return { 'X-Wait-Ms': String(waitMs) };
    }
  },
);

odd(
  'longer-limit',
  { what: 'A limit lasts 6 seconds.' },
  class extends Connector {
    quota = { limit: 3, windowMs: 6000, used: 0, endsAt: 0 };
  },
);

odd(
  'limit-for-everything',
  { what: 'The quota counts every request, logins and refusals too, before anybody is asked for a session.' },
  class extends Connector {
    quota = { limit: 12, windowMs: 1500, used: 0, endsAt: 0 };
    async route(exchange) {
      super.count();
      await super.route(exchange);
    }
    count() {}
  },
);

odd(
  'login-limit',
  { what: 'Two logins in two seconds are allowed; the third is a limit, with the header.' },
  class extends Connector {
    logins = [];
    openSession(user) {
      this.logins = this.logins.filter((at) => at > Date.now() - 2000);
      if (this.logins.length >= 2) throw this.limited(this.logins[0] + 2000 - Date.now());
      this.logins.push(Date.now());
      return super.openSession(user);
    }
  },
);

odd(
  'session-is-a-record',
  { what: 'The session is an object of names and values.' },
  class extends Connector {
    sessionBody(token) {
      return { 'x-session': token };
    }
  },
);

odd(
  'session-has-several-headers',
  { what: 'The session is a bearer token, a tenant that is no secret, and a region.' },
  class extends Connector {
    sessionBody(token) {
      return [
        { key: 'Authorization', value: `Bearer ${token}`, sensitive: true },
        { key: 'X-Tenant', value: 'production', sensitive: false },
        { key: 'X-Region', value: 'eu-west-1', sensitive: false },
      ];
    }
    presentedToken({ request }) {
      if (request.headers['x-tenant'] !== 'production') return undefined;
      return /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    }
  },
);

odd(
  'one-session-per-user',
  { what: 'A login ends the session before it.' },
  class extends Connector {
    openSession(user) {
      this.sessions.clear();
      return super.openSession(user);
    }
  },
);

odd(
  'wrong-password-is-a-400',
  { what: 'A wrong password is a 400.' },
  class extends Connector {
    loginRefused() {
      return new Failure(400, 'BAD_LOGIN', 'Wrong user or password.');
    }
  },
);

odd(
  'chunked-and-indented',
  { what: 'JSON is indented and sent in chunks.' },
  class extends Connector {
    encode(value) {
      return JSON.stringify(value, null, 2);
    }
    sendText({ response }, status, text, headers = {}) {
      response.writeHead(status, headers);
      for (const line of text.split('\n')) response.write(`${line}\n`);
      response.end();
    }
  },
);

odd(
  'gzip-when-asked',
  { what: 'Responses are compressed for whoever takes gzip, errors too.' },
  class extends Connector {
    send(exchange, status, value, headers = {}) {
      const asked = /\bgzip\b/.test(exchange.request.headers['accept-encoding'] ?? '');
      if (value === undefined || !asked) return super.send(exchange, status, value, headers);
      const body = gzipSync(this.encode(value));
      const type = { 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' };
      exchange.response.writeHead(status, { 'content-length': body.length, ...type, ...headers }).end(body);
    }
  },
);

odd(
  'slow',
  { what: 'Every request but a search takes 400 ms.' },
  class extends Connector {
    async route(exchange) {
      if (exchange.path !== '/search') await new Promise((resolve) => setTimeout(resolve, 400));
      await super.route(exchange);
    }
  },
);
