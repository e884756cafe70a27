/** Sessions that are not asked for, die of the wrong thing, or are refused in the wrong way. */
import { Connector, Failure } from './connector.mjs';
import { defect } from './registry.mjs';

const anonymous = { token: 'none', user: 'nobody' };

defect(
  'session-is-not-asked-for',
  { what: 'Records are read without a session.', rule: 'E2', shows: '\\b200\\b|without a session' },
  class extends Connector {
    noSession() {
      return undefined;
    }
    async authenticate(exchange) {
      return this.presentedToken(exchange) === undefined ? anonymous : super.authenticate(exchange);
    }
  },
);

defect(
  'any-session-will-do',
  { what: 'Whatever stands in the header is taken for a session.', rule: 'E2', shows: '\\b200\\b|not valid|dead' },
  class extends Connector {
    async authenticate(exchange) {
      const token = this.presentedToken(exchange);
      if (token === undefined) throw this.noSession(exchange);
      if (this.sessions.get(token)?.ended) throw this.endedSession(token);
      return { token, user: 'ada' };
    }
  },
);

defect(
  'fresh-session-is-refused',
  {
    what: "The header is looked up as `headers['X-Session']`, where Node has lower case: every session is refused.",
    rule: 'S1',
    shows: '\\b401\\b',
  },
  class extends Connector {
    presentedToken({ request }) {
      return request.headers['X-Session'];
    }
  },
);

defect(
  'no-session-is-a-403',
  { what: 'A request without a session is a 403.', rule: 'E2', shows: '\\b403\\b' },
  class extends Connector {
    noSession() {
      return new Failure(403, 'NO_SESSION', 'Log in first.');
    }
  },
);

defect(
  'no-session-is-a-redirect',
  { what: 'A request without a session is redirected to a login page.', rule: 'E2', shows: '\\b302\\b|redirect' },
  class extends Connector {
    noSession() {
      return new Failure(302, 'NO_SESSION', 'Log in first.', { headers: { location: '/login' } });
    }
  },
);

defect(
  'no-session-is-a-login-page',
  { what: 'A request without a session is a 200 with a login page.', rule: 'E2', shows: '\\b200\\b' },
  class extends Connector {
    sendFailure(exchange, failure) {
      if (failure.code !== 'NO_SESSION') return super.sendFailure(exchange, failure);
      const headers = { 'content-type': 'text/html; charset=utf-8' };
      this.sendText(exchange, 200, '<form action="/login" method="post"><input name="user"></form>', headers);
    }
  },
);

for (const status of [403, 404, 500]) {
  defect(
    `expired-session-is-a-${status}`,
    { what: `A session that has expired is a ${status}.`, rule: 'S4', shows: `\\b${status}\\b` },
    class extends Connector {
      endedSession() {
        return new Failure(status, 'SESSION_EXPIRED', 'The session has expired.');
      }
    },
  );
}

defect(
  'dead-session-is-quoted',
  { what: 'The 401 quotes the token that it refuses.', rule: 'E5', shows: 'session|token|secret|credential' },
  class extends Connector {
    unknownSession(token) {
      return new Failure(401, 'BAD_SESSION', `The session ${token} is not known.`);
    }
    endedSession(token) {
      return new Failure(401, 'SESSION_EXPIRED', `The session ${token} has expired.`);
    }
  },
);

defect(
  'renewal-gives-the-dead-session',
  {
    what: 'Tokens are cached by user, so a login after the end of a session hands out the dead one again.',
    rule: 'S4',
    shows: 'again|renew|new session|new login|\\b401\\b',
  },
  class extends Connector {
    byUser = new Map();
    openSession(user) {
      if (!this.byUser.has(user)) this.byUser.set(user, super.openSession(user));
      return this.byUser.get(user);
    }
    cleanup(exchange) {
      this.byUser.delete(exchange.session.user);
      super.cleanup(exchange);
    }
  },
);

defect(
  'one-request-at-a-time',
  {
    what: 'A session that is in use is refused with 401: requests in parallel fail.',
    rule: 'E2',
    shows: 'parallel|same time|concurren|at once|simultaneous|while',
  },
  class extends Connector {
    busy = new Set();
    async route(exchange) {
      const token = this.presentedToken(exchange);
      if (token === undefined) return super.route(exchange);
      if (this.busy.has(token)) throw new Failure(401, 'SESSION_IN_USE', 'The session is in use.');
      this.busy.add(token);
      try {
        await new Promise((resolve) => setTimeout(resolve, 40));
        await super.route(exchange);
      } finally {
        this.busy.delete(token);
      }
    }
  },
);

defect(
  'cleanup-ends-every-session',
  { what: 'cleanup ends the sessions of everybody.', rule: 'S1', shows: '\\b(other|every|all|another)\\b' },
  class extends Connector {
    cleanup(exchange) {
      this.sessions.clear();
      this.send(exchange, 204);
    }
  },
);

defect(
  'cleanup-fails-with-a-dead-session',
  { what: 'cleanup with a session that is over is a 500.', rule: 'S1', shows: '\\b500\\b' },
  class extends Connector {
    async authenticate(exchange) {
      if (exchange.path !== '/cleanup') return super.authenticate(exchange);
      if (this.presentedToken(exchange) === undefined) throw this.noSession(exchange);
      const session = this.sessions.get(this.presentedToken(exchange));
      if (session.ended) throw new TypeError('already closed');
      return { token: this.presentedToken(exchange), user: session.user };
    }
  },
);

defect(
  'cleanup-is-not-there',
  { what: 'cleanup is declared, and a 404.', rule: 'S1', shows: '\\b404\\b' },
  class extends Connector {
    routes(exchange) {
      return exchange.path === '/cleanup' ? undefined : super.routes(exchange);
    }
  },
);
