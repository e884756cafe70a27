/** Limits that are not a 403 with a wait that can be believed. */
import { Connector, Failure } from './connector.mjs';
import { defect, warning } from './registry.mjs';

for (const status of [429, 503]) {
  defect(
    `limit-is-a-${status}`,
    { what: `A limit is a ${status}.`, rule: 'W3', shows: `\\b${status}\\b` },
    class extends Connector {
      limited(waitMs) {
        return new Failure(status, 'QUOTA_USED_UP', 'Too many searches.', { headers: this.waitHeaders(waitMs) });
      }
    },
  );
}

const unit = 'unit|millisecond|epoch|since 1970|already over|too long';
const over = 'already over|over (after|long)|early|earlier|sooner|too long|longer than';
const waits = {
  'wait-in-milliseconds': {
    what: '`Retry-After` is in milliseconds: 1500 for a second and a half.',
    rule: 'W4',
    shows: unit,
    waitHeaders: (waitMs) => ({ 'Retry-After': String(waitMs) }),
  },
  'wait-in-epoch-seconds': {
    what: '`Retry-After` is the moment in seconds since 1970.',
    rule: 'W4',
    shows: unit,
    waitHeaders: (waitMs) => ({ 'Retry-After': String(Math.ceil((Date.now() + waitMs) / 1000)) }),
  },
  'wait-in-epoch-milliseconds': {
    what: '`Retry-After` is the moment in milliseconds since 1970.',
    rule: 'W4',
    shows: unit,
    waitHeaders: (waitMs) => ({ 'Retry-After': String(Date.now() + waitMs) }),
  },
  'wait-is-zero': {
    what: '`Retry-After` is rounded down to 0.',
    rule: 'W4',
    shows: '\\b0\\b|zero|round|too short|still|not over',
    waitHeaders: () => ({ 'Retry-After': '0' }),
  },
  'wait-is-too-short': {
    what: '`Retry-After` is always 1, and the limit lasts 4 seconds.',
    rule: 'W7',
    shows: 'still|not over|too short|after the wait',
    windowMs: 4000,
    waitHeaders: () => ({ 'Retry-After': '1' }),
  },
  'wait-is-an-hour': {
    what: '`Retry-After` is always 3600, and the limit is over after a second and a half.',
    rule: 'W7',
    shows: over,
    waitHeaders: () => ({ 'Retry-After': '3600' }),
  },
  'wait-has-a-fraction': {
    what: '`Retry-After` is 1.482.',
    rule: 'W4',
    shows: '1\\.\\d+.*|fraction|whole|cannot be read|not readable|unreadable',
    waitHeaders: (waitMs) => ({ 'Retry-After': (waitMs / 1000).toFixed(3) }),
  },
  'wait-has-a-word': {
    what: '`Retry-After` is "2 seconds".',
    rule: 'W4',
    shows: '2 seconds|1 seconds',
    waitHeaders: (waitMs) => ({ 'Retry-After': `${Math.ceil(waitMs / 1000)} seconds` }),
  },
  'wait-date-has-an-offset': {
    what: '`Retry-After` is a date with an offset instead of GMT.',
    rule: 'W4',
    shows: '\\+0200|GMT|HTTP-date|cannot be read|unreadable',
    waitHeaders(waitMs) {
      const local = new Date(Math.ceil((Date.now() + waitMs) / 1000) * 1000 + 7_200_000).toUTCString();
      return { 'Retry-After': local.replace('GMT', '+0200') };
    },
  },
  'wait-date-is-local-time': {
    what: '`Retry-After` is a date that says GMT and means local time, two hours ahead.',
    rule: 'W4',
    shows: `${over}|GMT|zone`,
    waitHeaders(waitMs) {
      const local = new Date(Math.ceil((Date.now() + waitMs) / 1000) * 1000 + 7_200_000);
      return { 'Retry-After': local.toUTCString() };
    },
  },
  'two-waits-disagree': {
    what: 'A limit has `Retry-After` twice: 2, and 120 of a proxy. The longest counts.',
    rule: 'W4',
    shows: 'two|twice|several|disagree|\\b120\\b|2 min',
    waitHeaders: (waitMs) => ({ 'Retry-After': [String(Math.ceil(waitMs / 1000)), '120'] }),
  },
  'wait-under-another-name': {
    what: 'The wait is in `X-RateLimit-Reset`, which nobody was told.',
    rule: 'W2',
    shows: 'retry-after|wait header',
    waitHeaders: (waitMs) => ({ 'X-RateLimit-Reset': String(Math.ceil(waitMs / 1000)) }),
  },
};
for (const [name, { waitHeaders, windowMs = 1500, ...facts }] of Object.entries(waits)) {
  const Stranger = class extends Connector {
    quota = { limit: 5, windowMs, used: 0, endsAt: 0 };
    waitHeaders = waitHeaders;
  };
  defect(name, facts, Stranger);
}

defect(
  'wait-is-in-the-body',
  { what: 'The wait is in the message only.', rule: 'W2', shows: 'retry-after|wait header' },
  class extends Connector {
    limited(waitMs) {
      return new Failure(403, 'QUOTA_USED_UP', `Too many searches, retry after ${Math.ceil(waitMs / 1000)} s.`);
    }
  },
);

defect(
  'limit-is-text',
  { what: 'The body of a limit is the text "Too many requests".', rule: 'E1', shows: 'JSON|content-type|text/plain' },
  class extends Connector {
    sendFailure(exchange, failure) {
      if (failure.code !== 'QUOTA_USED_UP') return super.sendFailure(exchange, failure);
      const headers = { ...failure.headers, 'content-type': 'text/plain' };
      this.sendText(exchange, failure.status, 'Too many requests', headers);
    }
  },
);

defect(
  'parallel-requests-fail-at-the-limit',
  {
    what: 'Where requests meet at the limit, some of them are a 500.',
    rule: 'E2',
    shows: '\\b500\\b',
  },
  class extends Connector {
    refusing = false;
    count() {
      try {
        super.count();
      } catch (limit) {
        if (this.refusing) throw new TypeError('the bucket is locked');
        this.refusing = true;
        setTimeout(() => {
          this.refusing = false;
        }, 5);
        throw limit;
      }
    }
  },
);

defect(
  'limit-is-a-closed-connection',
  {
    what: 'A request beyond the quota gets no response: the connection is closed.',
    rule: 'E2',
    shows: 'connection|closed|no response|no answer|socket|reset|fetch failed',
  },
  class extends Connector {
    async search(exchange) {
      try {
        this.count();
      } catch {
        return void exchange.request.socket.destroy();
      }
      this.send(exchange, 200, [...this.records.values()]);
    }
  },
);

warning(
  'too-slow-for-its-limit',
  {
    what: 'A search takes half a second and 30 a second are allowed, so nobody gets as far as the limit.',
    rule: 'E2',
    shows: 'slow|takes|took|fast|per second|a second',
  },
  class extends Connector {
    quota = { limit: 30, windowMs: 1000, used: 0, endsAt: 0 };
    async search(exchange) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await super.search(exchange);
    }
  },
);
