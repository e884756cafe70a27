/** Routes that answer with the wrong status, with a page, or not at all. */
import { Connector, Failure } from './connector.mjs';
import { defect, warning } from './registry.mjs';

const html = { 'content-type': 'text/html; charset=utf-8' };
const page = (title) =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;

defect(
  'unknown-route-is-a-page',
  { what: 'An unknown route is a 404 in HTML.', rule: 'E1', shows: 'HTML|JSON|content-type' },
  class extends Connector {
    sendFailure(exchange, failure) {
      if (failure.code !== 'NO_ROUTE') return super.sendFailure(exchange, failure);
      this.sendText(exchange, 404, page('Cannot GET'), html);
    }
  },
);

defect(
  'unknown-route-is-the-app',
  { what: 'Every unknown route is 200 with the index.html of a web app.', rule: 'E2', shows: '\\b200\\b' },
  class extends Connector {
    sendFailure(exchange, failure) {
      if (failure.code !== 'NO_ROUTE') return super.sendFailure(exchange, failure);
      this.sendText(exchange, 200, page('My connector'), html);
    }
  },
);

defect(
  'wrong-method-is-a-page',
  {
    what: 'A method that a route does not have is a 405 in HTML.',
    rule: 'E1',
    shows: 'HTML|JSON|content-type',
  },
  class extends Connector {
    sendFailure(exchange, failure) {
      if (failure.status !== 405) return super.sendFailure(exchange, failure);
      this.sendText(exchange, 405, page('Method Not Allowed'), { ...html, ...failure.headers });
    }
  },
);

defect(
  'large-body-is-a-page',
  { what: 'A body that is too large is a 413 in HTML.', rule: 'E4', shows: 'HTML|JSON|content-type' },
  class extends Connector {
    sendFailure(exchange, failure) {
      if (failure.status !== 413) return super.sendFailure(exchange, failure);
      this.sendText(exchange, 413, page('413 Request Entity Too Large'), html);
    }
  },
);

defect(
  'unknown-record-is-a-200',
  { what: 'A record that is not there is a 200 with an error in it.', rule: 'E2', shows: '\\b200\\b' },
  class extends Connector {
    noRecord(id) {
      return new Failure(200, 'NO_RECORD', `There is no record ${id}.`);
    }
  },
);

defect(
  'unknown-record-is-a-204',
  { what: 'A record that is not there is a 204.', rule: 'E2', shows: '\\b204\\b' },
  class extends Connector {
    readRecord(exchange, id) {
      if (!this.records.has(id)) return this.send(exchange, 204);
      return super.readRecord(exchange, id);
    }
  },
);

defect(
  'unknown-record-is-a-500',
  { what: 'A record that is not there makes the handler fail: 500.', rule: 'E2', shows: '\\b500\\b' },
  class extends Connector {
    async readRecord(exchange, id) {
      const { title } = this.records.get(id);
      this.send(exchange, 200, { id, title });
    }
  },
);

defect(
  'unknown-record-has-no-body',
  {
    what: 'A record that is not there is a 404 without a body.',
    rule: 'E1',
    shows: 'empty|no body|without a body|JSON',
  },
  class extends Connector {
    readRecord(exchange, id) {
      if (!this.records.has(id)) return this.send(exchange, 404);
      return super.readRecord(exchange, id);
    }
  },
);

defect(
  'unknown-record-hangs',
  {
    what: 'A record that is not there is never answered.',
    rule: 'E2',
    shows: '/records/0.*(time|within|no response|no answer|\\bms\\b|\\bs\\b)|(time|within|answer).*/records/0',
    declare: { timeoutMs: 3000 },
  },
  class extends Connector {
    async readRecord(exchange, id) {
      if (this.records.has(id)) await super.readRecord(exchange, id);
    }
  },
);

defect(
  'unknown-record-takes-seconds',
  {
    what: 'A record that is not there is looked for over and over, longer than the time-out that is declared.',
    rule: 'E2',
    shows: '/records/0.*(time|within|\\bms\\b|\\bs\\b)|(time|within).*/records/0',
    declare: { timeoutMs: 2000 },
  },
  class extends Connector {
    async readRecord(exchange, id) {
      if (!this.records.has(id)) await new Promise((resolve) => setTimeout(resolve, 4000));
      await super.readRecord(exchange, id);
    }
  },
);

defect(
  'invalid-record-is-a-422',
  { what: 'A payload that is not valid is a 422.', rule: 'E2', shows: '\\b422\\b' },
  class extends Connector {
    invalidRecord() {
      return new Failure(422, 'BAD_RECORD', 'The record is not valid.');
    }
  },
);

defect(
  'invalid-record-is-taken',
  { what: 'A payload that is not valid is stored: 201.', rule: 'E2', shows: '\\b201\\b' },
  class extends Connector {
    async createRecord(exchange) {
      const { title } = await this.readJson(exchange);
      this.send(exchange, 201, { id: 2, title });
    }
  },
);

defect(
  'broken-json-is-a-500',
  { what: 'Broken JSON in the body of a write is a 500.', rule: 'E2', shows: '\\b500\\b' },
  class extends Connector {
    async createRecord(exchange) {
      JSON.parse(await this.readBody(exchange));
      throw this.invalidRecord();
    }
  },
);

defect(
  'denial-is-a-401',
  { what: 'A denial is a 401, so the service logs in again for nothing.', rule: 'E2', shows: '\\b401\\b' },
  class extends Connector {
    admin() {
      throw new Failure(401, 'NOT_ALLOWED', 'Only administrators may read this.');
    }
  },
);

defect(
  'denial-is-an-empty-list',
  { what: 'What this user may not see is an empty list: 200.', rule: 'E2', shows: '\\b200\\b' },
  class extends Connector {
    admin(exchange) {
      this.send(exchange, 200, []);
    }
  },
);

warning(
  'head-fails',
  { what: 'HEAD is a 500.', rule: 'E4', shows: 'HEAD' },
  class extends Connector {
    async route(exchange) {
      if (exchange.method === 'HEAD') throw new TypeError('no handler');
      await super.route(exchange);
    }
  },
);

warning(
  'options-fails',
  { what: 'OPTIONS is a 500.', rule: 'E4', shows: 'OPTIONS' },
  class extends Connector {
    options() {
      throw new TypeError('no handler');
    }
  },
);

defect(
  'gzip-that-is-none',
  {
    what: 'Errors say `content-encoding: gzip` and are not compressed.',
    rule: 'E1',
    shows: 'gzip|encod|compress|decode',
  },
  class extends Connector {
    sendFailure(exchange, failure) {
      failure.headers = { ...failure.headers, 'content-encoding': 'gzip' };
      super.sendFailure(exchange, failure);
    }
  },
);
