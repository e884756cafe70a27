// A connector that allows 100 requests a second and ends all sessions every ten. It counts what passed, what was
// refused, and logins.
import { createServer } from 'node:http';
import { listen } from '../listen.js';
import { QuotaCounter } from '../sync/quota.js';
import { answerCommands } from '../worker.js';

export interface Ledger {
  readonly passed: number;
  readonly refused: number;
  readonly logins: number;
}

const lifeMs = 10_000;
const counter = new QuotaCounter({ limit: 100, windowMs: 1000, windows: 'grid' });
let logins = 0;
const epoch = () => String(Math.floor(Date.now() / lifeMs));

const server = createServer((request, response) => {
  request.resume();
  if (request.url === '/initialize') {
    logins++;
    return reply(200, `{"x-session":"${epoch()}"}`);
  }
  if (request.headers['x-session'] !== epoch()) {
    return reply(401, '{"errors":{"code":"UNAUTHORIZED","message":"The session has ended"}}');
  }
  const waitMs = counter.take(Date.now());
  if (waitMs === undefined) return reply(200, '{"id":7}');
  return reply(403, '{"errors":{"code":"RATE_LIMITED","message":"Too many requests"}}', {
    'retry-after': String(Math.ceil(waitMs)),
  });

  function reply(status: number, body: string, headers: Record<string, string> = {}): void {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length, ...headers });
    response.end(body);
  }
});

answerCommands({
  listen: () => listen(server),
  ledger: (): Ledger => {
    const { accepted, refused } = counter.tally;
    return { passed: accepted, refused, logins };
  },
});
