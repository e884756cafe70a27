/** Error bodies that are not those of the contract, or that say too much. */
import { Connector, Failure } from './connector.mjs';
import { defect, warning } from './registry.mjs';

const bodies = {
  'error-is-a-string': {
    what: 'Errors are {"error": "text"}.',
    shows: '\\berrors\\b',
    errorBody: ({ message }) => ({ error: message }),
  },
  'error-not-wrapped': {
    what: '`code` and `message` are at the top of the body, not inside `errors`.',
    shows: '\\berrors\\b',
    errorBody: ({ code, message }) => ({ code, message }),
  },
  'errors-are-a-list': {
    what: '`errors` is a list of errors.',
    shows: 'array|list',
    errorBody: ({ code, message }) => ({ errors: [{ code, message }] }),
  },
  'errors-are-a-string': {
    what: 'The error is encoded twice: `errors` is a string of JSON.',
    shows: 'errors.*(string|text)|object',
    errorBody: ({ code, message }) => ({ errors: JSON.stringify({ code, message }) }),
  },
  'code-is-missing': {
    what: 'Errors have no `code`.',
    shows: '\\bcode\\b',
    errorBody: ({ message }) => ({ errors: { message } }),
  },
  'code-is-empty': {
    what: '`code` is the empty string.',
    shows: '\\bcode\\b',
    errorBody: ({ message }) => ({ errors: { code: '', message } }),
  },
  'code-is-an-object': {
    what: '`code` is an object.',
    shows: '\\bcode\\b',
    errorBody: ({ code, status, message }) => ({ errors: { code: { status, name: code }, message } }),
  },
  'code-is-the-status': {
    what: '`code` is the status, as a number.',
    shows: '\\bcode\\b',
    errorBody: ({ status, message }) => ({ errors: { code: status, message } }),
  },
  'message-is-a-list': {
    what: '`message` is a list of messages, as validators make them.',
    shows: 'message.*(array|list|string|text)',
    errorBody: ({ code, message }) => ({ errors: { code, message: [message] } }),
  },
  'detail-is-null': {
    what: '`detail` is null where there is nothing to add.',
    shows: '\\bdetail\\b',
    errorBody: ({ code, message, detail = null }) => ({ errors: { code, message, detail } }),
  },
  'detail-is-empty': {
    what: '`detail` is the empty string where there is nothing to add.',
    shows: '\\bdetail\\b',
    errorBody: ({ code, message, detail = '' }) => ({ errors: { code, message, detail } }),
  },
  'detail-is-an-object': {
    what: '`detail` is an object of fields.',
    shows: '\\bdetail\\b',
    errorBody: ({ code, message, detail }) => ({ errors: { code, message, detail: detail && { title: [detail] } } }),
  },
};
for (const [name, { errorBody, ...facts }] of Object.entries(bodies)) {
  const Stranger = class extends Connector {
    errorBody = errorBody;
  };
  defect(name, { rule: 'E1', ...facts }, Stranger);
}

defect(
  'detail-has-no-end',
  { what: 'A refused record is described in 300 KB of `detail`.', rule: 'E5', shows: '\\bdetail\\b' },
  class extends Connector {
    invalidRecord() {
      const detail = 'title: must not be empty; '.repeat(12_000);
      return new Failure(400, 'BAD_RECORD', 'The record is not valid.', { detail });
    }
  },
);

defect(
  'errors-are-text',
  { what: 'The JSON of errors goes out as text/plain.', rule: 'E1', shows: 'content-type|application/json' },
  class extends Connector {
    sendFailure(exchange, failure) {
      const headers = { ...failure.headers, 'content-type': 'text/plain; charset=utf-8' };
      this.send(exchange, failure.status, this.errorBody(failure), headers);
    }
  },
);

defect(
  'failure-is-a-stack-trace',
  { what: 'A failure is answered with the stack trace as text.', rule: 'E4', shows: 'stack|JSON|content-type' },
  class extends Connector {
    report(exchange) {
      const { stack } = new TypeError("Cannot read properties of undefined (reading 'rows')");
      this.sendText(exchange, 500, stack, { 'content-type': 'text/plain; charset=utf-8' });
    }
  },
);

warning(
  'stack-trace-in-detail',
  { what: 'The `detail` of a failure is its stack trace.', rule: 'E4', shows: 'stack' },
  class extends Connector {
    report() {
      const { stack } = new TypeError("Cannot read properties of undefined (reading 'rows')");
      throw new Failure(500, 'INTERNAL_ERROR', 'The connector failed.', { detail: stack });
    }
  },
);

warning(
  'message-names-an-internal-host',
  { what: 'A failure names the address of the database.', rule: 'E4', shows: 'host|address|internal' },
  class extends Connector {
    report() {
      throw new Failure(500, 'ECONNREFUSED', 'connect ECONNREFUSED db-01.corp.internal (10.20.0.17:5432)');
    }
  },
);

warning(
  'message-holds-a-connection-string',
  {
    what: 'A failure quotes the URL of the database, password and all.',
    rule: 'E4',
    shows: 'password|credential|secret|host',
  },
  class extends Connector {
    report() {
      throw new Failure(500, 'DB_ERROR', 'cannot open postgres://app:s3cr3t-Passw0rd@db-01.corp.internal:5432/records');
    }
  },
);

warning(
  'message-names-a-server-path',
  { what: 'A failure names a file of the server.', rule: 'E4', shows: '\\bpaths?\\b|\\bfile' },
  class extends Connector {
    report() {
      throw new Failure(500, 'ENOENT', "ENOENT: no such file or directory, open '/srv/connector/config/tenants.json'");
    }
  },
);

defect(
  'wait-header-on-every-error',
  { what: 'Every error carries `Retry-After: 0`.', rule: 'W2', shows: 'retry-after|wait header' },
  class extends Connector {
    sendFailure(exchange, failure) {
      failure.headers = { 'Retry-After': '0', ...failure.headers };
      super.sendFailure(exchange, failure);
    }
  },
);

defect(
  'denial-with-wait-header',
  {
    what: 'A denial carries `Retry-After: 60`.',
    rule: 'W2',
    shows:
      '(denial|denied|forbidden|not allowed).*(retry-after|wait header)|(retry-after|wait header).*(denial|denied)',
  },
  class extends Connector {
    admin() {
      const headers = { 'Retry-After': '60' };
      throw new Failure(403, 'NOT_ALLOWED', 'Only administrators may read this.', { headers });
    }
  },
);
