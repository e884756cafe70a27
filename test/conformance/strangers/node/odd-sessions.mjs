/** Sessions and routes that are unusual, and right. */
import { Connector, Failure } from './connector.mjs';
import { odd } from './registry.mjs';

odd(
  'session-is-a-cookie-header',
  { what: 'The session is a `Cookie` header.' },
  class extends Connector {
    sessionBody(token) {
      return [{ key: 'Cookie', value: `sid=${token}; theme=dark`, sensitive: true }];
    }
    presentedToken({ request }) {
      return /\bsid=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
    }
  },
);

odd(
  'logins-share-a-session',
  { what: 'A login of a user whose session lives hands out that session again, so cleanup ends it for both.' },
  class extends Connector {
    openSession(user) {
      const living = [...this.sessions].find(([, session]) => session.user === user && !session.ended);
      return living ? living[0] : super.openSession(user);
    }
  },
);

odd(
  'wrong-password-is-a-403',
  { what: 'A wrong password is a 403 without the wait header.' },
  class extends Connector {
    loginRefused() {
      return new Failure(403, 'BAD_LOGIN', 'Wrong user or password.');
    }
  },
);

odd(
  'cleanup-forgives',
  { what: 'cleanup is a 204 with a dead session, and without one.' },
  class extends Connector {
    async authenticate(exchange) {
      if (exchange.path !== '/cleanup') return super.authenticate(exchange);
      return { token: this.presentedToken(exchange) };
    }
  },
);

odd(
  'login-is-a-201',
  { what: 'A good login is a 201 Created.' },
  class extends Connector {
    send(exchange, status, value, headers) {
      super.send(exchange, exchange.path === '/initialize' && status === 200 ? 201 : status, value, headers);
    }
  },
);

odd(
  'login-takes-the-array-only',
  { what: 'initialize takes the array of entries, and refuses an object with 400.' },
  class extends Connector {
    readParameters(json) {
      if (!Array.isArray(json)) throw new Failure(400, 'BAD_PARAMETERS', 'An array of entries is needed.');
      return super.readParameters(json);
    }
  },
);

odd(
  'unknown-routes-are-open',
  { what: 'A route that is not there is a 404 without a session, too.' },
  class extends Connector {
    async authenticate(exchange) {
      if (this.routes(exchange) === undefined) throw this.unknownRoute(exchange);
      return super.authenticate(exchange);
    }
  },
);

odd(
  'error-quotes-the-field',
  { what: 'The error of a refused record quotes what was sent, and a page that explains it.' },
  class extends Connector {
    invalidRecord() {
      const detail = 'title: "" is too short, see https://docs.example.com/api/records#title (POST /records)';
      return new Failure(400, 'VALIDATION/TITLE.min', 'The record {"title":""} is not valid.', { detail });
    }
  },
);

odd(
  'sliding-window',
  { what: 'The quota slides: 5 in any second and a half, and the wait is until the oldest of them is out of it.' },
  class extends Connector {
    taken = [];
    count(now = Date.now()) {
      this.taken = this.taken.filter((at) => at > now - this.quota.windowMs);
      if (this.taken.length >= this.quota.limit) throw this.limited(this.taken[0] + this.quota.windowMs - now);
      this.taken.push(now);
    }
  },
);

odd(
  'wait-with-a-margin',
  { what: 'Every wait is two seconds longer than it has to be, for safety.' },
  class extends Connector {
    waitHeaders(waitMs) {
      return super.waitHeaders(waitMs + 2000);
    }
  },
);

odd(
  'quota-is-announced',
  { what: 'Every response announces the tightest quota there is, in `RateLimit-Policy` and `RateLimit`.' },
  class extends Connector {
    quota = { limit: 10, windowMs: 2000, used: 0, endsAt: 0 };
    async route(exchange) {
      super.count();
      await super.route(exchange);
    }
    count() {}
    send(exchange, ...rest) {
      this.announce(exchange.response);
      super.send(exchange, ...rest);
    }
    announce(response) {
      const left = Math.max(0, this.quota.limit - this.quota.used);
      const seconds = Math.max(0, Math.ceil((this.quota.endsAt - Date.now()) / 1000));
      response.setHeader('RateLimit-Policy', '"all";q=10;w=2');
      response.setHeader('RateLimit', `"all";r=${left};t=${seconds}`);
    }
  },
);
