/** Logins that take what they must refuse, refuse what they must take, or hand out what is no session. */
import { Connector, Failure } from './connector.mjs';
import { defect } from './registry.mjs';

defect(
  'wrong-password-is-taken',
  { what: 'Any password logs in.', rule: 'S5', shows: '\\b200\\b|accept|logs in|session' },
  class extends Connector {
    async initialize(exchange) {
      const { user } = this.readParameters(await this.readJson(exchange));
      if (user === undefined) throw new Failure(400, 'BAD_PARAMETERS', '`user` is needed.');
      this.send(exchange, 200, this.sessionBody(this.openSession(user)));
    }
  },
);

for (const status of [200, 404, 500]) {
  defect(
    `wrong-password-is-a-${status}`,
    { what: `A wrong password is a ${status} with an error in it.`, rule: 'S5', shows: `\\b${status}\\b` },
    class extends Connector {
      loginRefused() {
        return new Failure(status, 'BAD_LOGIN', 'Wrong user or password.');
      }
    },
  );
}

defect(
  'wrong-password-is-echoed',
  { what: 'The error of a refused login quotes the password.', rule: 'E5', shows: 'password|secret' },
  class extends Connector {
    loginRefused({ user, password }) {
      return new Failure(401, 'BAD_LOGIN', 'Wrong user or password.', { detail: `${user}:${password}` });
    }
  },
);

defect(
  'broken-json-is-echoed',
  {
    what: 'The error of broken JSON for initialize quotes what was sent, password and all.',
    rule: 'E5',
    shows: 'secret|password|echo|quote|holds',
  },
  class extends Connector {
    brokenJson(text) {
      return new Failure(400, 'BROKEN_JSON', `Unexpected token in ${text}`);
    }
  },
);

defect(
  'initialize-fails-at-broken-json',
  { what: 'Broken JSON for initialize is a 500.', rule: 'E2', shows: '\\b500\\b' },
  class extends Connector {
    brokenJson(_text, { path }) {
      return path === '/initialize' ? this.unforeseen() : super.brokenJson();
    }
  },
);

defect(
  'initialize-takes-no-array',
  { what: 'initialize takes {"user": …} and no array of entries.', rule: 'S1', shows: 'array|\\[ ?\\{' },
  class extends Connector {
    readParameters(json) {
      return json;
    }
  },
);

defect(
  'initialize-is-a-get',
  { what: 'initialize takes GET only: POST is a 405.', rule: 'S1', shows: 'POST.*\\b405\\b|\\b405\\b.*POST' },
  class extends Connector {
    routes(exchange) {
      const handlers = super.routes(exchange);
      return exchange.path === '/initialize' ? { GET: handlers.POST } : handlers;
    }
  },
);

const sessions = {
  'session-is-nested': {
    what: 'The session is wrapped: {"session": {"x-session": …}}.',
    rule: 'S1',
    shows: '(`|"|\')session(`|"|\')',
    sessionBody: (token) => ({ session: { 'x-session': token } }),
  },
  'session-value-is-a-number': {
    what: 'A value of the session is a number.',
    rule: 'S1',
    shows: 'x-tenant-id',
    sessionBody: (token) => [
      { key: 'x-session', value: token, sensitive: true },
      { key: 'x-tenant-id', value: 1001, sensitive: false },
    ],
  },
  'session-has-names-for-keys': {
    what: 'Entries of the session are {"name", "value"}.',
    rule: 'S1',
    shows: '(no|missing|without|lacks?) [`"\']?key\\b|\\bkey[`"\']? (is )?(missing|undefined|absent)|[`"\']name\\b',
    sessionBody: (token) => [{ name: 'x-session', value: token, sensitive: true }],
  },
  'session-breaks-lines': {
    what: 'A value of the session is base64 broken into lines.',
    rule: 'S2',
    shows: 'control|line|\\\\n|character',
    sessionBody: (token) => [
      { key: 'x-session', value: token, sensitive: true },
      { key: 'x-ticket', value: `${'A'.repeat(76)}\n${'B'.repeat(20)}==`, sensitive: true },
    ],
  },
  'session-has-a-forbidden-name': {
    what: 'The session sets `content-type`.',
    rule: 'S2',
    shows: 'content-type',
    sessionBody: (token) => [
      { key: 'x-session', value: token, sensitive: true },
      { key: 'Content-Type', value: 'application/vnd.records+json', sensitive: false },
    ],
  },
  'session-names-one-header-twice': {
    what: 'The session has `x-session` and `X-Session`.',
    rule: 'S2',
    shows: 'twice|two|duplicate|several|more than once|again',
    sessionBody: (token) => [
      { key: 'x-session', value: token, sensitive: true },
      { key: 'X-Session', value: token, sensitive: true },
    ],
  },
  'session-is-not-sensitive': {
    what: 'Every value of the session is marked as not sensitive, the token too.',
    rule: 'E5',
    shows: 'sensitive',
    sessionBody: (token) => [{ key: 'x-session', value: token, sensitive: false }],
  },
};
for (const [name, { sessionBody, ...facts }] of Object.entries(sessions)) {
  const Stranger = class extends Connector {
    sessionBody = sessionBody;
  };
  defect(name, facts, Stranger);
}

defect(
  'session-is-a-cookie',
  {
    what: 'initialize sets a cookie and answers {"ok": true}.',
    rule: 'S1',
    shows: 'cookie|(`|"|\')ok(`|"|\')',
  },
  class extends Connector {
    async initialize(exchange) {
      const token = this.openSession('ada');
      const { user, password } = this.readParameters(await this.readJson(exchange));
      if (typeof user !== 'string') throw new Failure(400, 'BAD_PARAMETERS', '`user` is needed.');
      if (this.accounts[user] !== password) throw this.loginRefused();
      this.send(exchange, 200, { ok: true }, { 'set-cookie': `session=${token}; HttpOnly` });
    }
    presentedToken({ request }) {
      return /session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
    }
  },
);

defect(
  'login-is-silent',
  { what: 'A good login is a 204 without a session.', rule: 'S1', shows: '\\b204\\b|empty|no body' },
  class extends Connector {
    send(exchange, status, value, headers) {
      if (exchange.path !== '/initialize' || status !== 200) return super.send(exchange, status, value, headers);
      super.send(exchange, 204);
    }
  },
);

defect(
  'login-limit-without-header',
  {
    what: 'The third login within two seconds is a 403 without the wait header.',
    rule: 'W2',
    shows: 'initialize.*\\b403\\b|\\b403\\b.*initialize|wait header|retry-after',
  },
  class extends Connector {
    logins = [];
    openSession(user) {
      this.logins = this.logins.filter((at) => at > Date.now() - 2000);
      if (this.logins.length >= 2) throw new Failure(403, 'TOO_MANY_LOGINS', 'Too many logins, try again later.');
      this.logins.push(Date.now());
      return super.openSession(user);
    }
  },
);
