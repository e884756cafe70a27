import { createConnectorClient } from 'concordat/client';
import { type SimulateConnectorOptions, simulateConnector } from 'concordat/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

it.each<[string, unknown]>([
  ['options', null],
  ['ratelimit', { ratelimit: {} }],
  ['rateLimit.limit', { rateLimit: { windowMs: 1 } }],
  ['rateLimit.limit', { rateLimit: { limit: 0, windowMs: 1 } }],
  ['rateLimit.windowMs', { rateLimit: { limit: 1, windowMs: '1s' } }],
  ['rateLimit.format', { rateLimit: { limit: 1, windowMs: 1, format: 'minutes' } }],
  ['rateLimit.header', { rateLimit: { limit: 1, windowMs: 1, header: 'a b' } }],
  ['rateLimit.window', { rateLimit: { limit: 1, windowMs: 1, window: 'tumbling' } }],
  ['rateLimit.scope', { rateLimit: { limit: 1, windowMs: 1, scope: 'user' } }],
  ['rateLimit.burst', { rateLimit: { limit: 1, windowMs: 1, burst: 3 } }],
  ['session', { session: true }],
  ['session.ttl', { session: { ttl: 5 } }],
  ['session.ttlMs', { session: { ttlMs: 0 } }],
  ['session.maxRequests', { session: { maxRequests: 1.5 } }],
  ['session.refuseFreshMs', { session: { refuseFreshMs: -1 } }],
  ['session.refuseFreshRequests', { session: { refuseFreshRequests: -1 } }],
  ['session.header', { session: { header: 'host' } }],
  ['credentials', { credentials: 'ada' }],
  ['credentials', { credentials: { user: 7 } }],
  ['initializePath', { initializePath: 'login' }],
  ['cleanupPath', { cleanupPath: '' }],
  ['basePath', { basePath: 'api' }],
  ['routes', { routes: { issues: {} } }],
  ['routes', { routes: { login: {} } }],
  ['resources', { resources: [] }],
  ['resources', { resources: { 'a/b': [] } }],
  ['resources.issues', { resources: { issues: {} } }],
  ['resources.issues', { resources: { issues: [{ title: 'no id' }] } }],
  ['resources.issues', { resources: { issues: [{ id: 7 }, { id: '7' }] } }], // one path for both
  ['faults', { faults: {} }],
  ['faults[0]', { faults: ['reset'] }],
  ['faults[0].kind', { faults: [{ kind: 'explode' }] }],
  ['faults[0].kind', { faults: [{ kind: 'toString' }] }],
  ['faults[1].on', { faults: [{ kind: 'reset' }, { kind: 'reset', on: 'get /issues' }] }],
  ['faults[0].at', { faults: [{ kind: 'reset', at: 0 }] }],
  ['faults[0].message', { faults: [{ kind: 'status', status: 503, message: ' ' }] }],
  ['faults[0].headers', { faults: [{ kind: 'status', status: 503, headers: { 'a b': '1' } }] }],
  ['faults[0].headers', { faults: [{ kind: 'body', body: '', headers: { a: '1\n2' } }] }],
  ['faults[0].status', { faults: [{ kind: 'truncated', status: 204 }] }], // has no body to cut
  ['faults[0].status', { faults: [{ kind: 'never-ending', status: 304 }] }],
  ['faults[0].at', { faults: [{ kind: 'reset', at: [] }] }], // would never happen
  ['faults[0].at', { faults: [{ kind: 'reset', at: [1, 1] }] }],
  ['faults[0].every', { faults: [{ kind: 'reset', every: 0 }] }],
  ['faults[0].times', { faults: [{ kind: 'reset', times: 0 }] }],
  ['at', { faults: [{ kind: 'reset', at: 1, every: 2 }] }],
  ['faults[0].status', { faults: [{ kind: 'status' }] }],
  ['faults[0].status', { faults: [{ kind: 'status', status: 200 }] }],
  ['faults[0].status', { faults: [{ kind: 'html', status: 700 }] }],
  ['faults[0].delayMs', { faults: [{ kind: 'slow' }] }],
  ['faults[0].format', { faults: [{ kind: 'limit', format: 'wrong' }] }],
  ['faults[0].waitMs', { faults: [{ kind: 'limit', waitMs: -1 }] }],
  ['faults[0].bytes', { faults: [{ kind: 'huge', bytes: 0 }] }],
  ['faults[0].body', { faults: [{ kind: 'body' }] }],
  ['faults[0].tims', { faults: [{ kind: 'reset', tims: 1 }] }],
  ['faults[0].delayMs', { faults: [{ kind: 'status', status: 503, delayMs: '1s' }] }],
  ['faults[0].delayMs', { faults: [{ kind: 'hang', delayMs: 100 }] }],
  [
    'rateLimit[1].limit',
    {
      rateLimit: [
        { limit: 1, windowMs: 1 },
        { limit: 0, windowMs: 1 },
      ],
    },
  ],
  ['rateLimit.on', { rateLimit: { limit: 1, windowMs: 1, on: 'issues' } }],
  ['latency', { latency: -1 }],
  ['seed', { seed: 0.5 }],
  ['faults[0].processed', { faults: [{ kind: 'hang', processed: true }] }],
  ['faults[0].processed', { faults: [{ kind: 'reset', processed: 'yes' }] }],
  ['faults[0].header', { faults: [{ kind: 'limit', header: 'a b' }] }],
  ['faults[0].headers', { faults: [{ kind: 'body', body: '', headers: { a: 1 } }] }],
  ['faults[0].message', { faults: [{ kind: 'status', status: 503, message: 7 }] }],
  ['onEntry', { onEntry: 'log' }],
  ['maxJournalEntries', { maxJournalEntries: -1 }],
  ['clock', { clock: {} }],
])('a wrong `%s` is a TypeError that names it: %j', (name, options) => {
  expect(() => simulateConnector(options as SimulateConnectorOptions)).toThrow(TypeError);
  expect(() => simulateConnector(options as SimulateConnectorOptions)).toThrow(`\`${name}\``);
});

it.each<[string, unknown]>([
  ['steps', {}],
  ['steps[0]', ['login']],
  ['steps[0].path', [{ path: '/issues' }]],
  ['steps[0].on', [{ on: 'issues' }]],
  ['steps[0].times', [{ times: 0 }]],
  ['steps[1].reply', [{}, { reply: 'reset' }]],
  ['steps[0].reply.kind', [{ reply: { kind: 'reste' } }]],
  ['steps[0].reply.delayMs', [{ reply: { kind: 'hang', delayMs: 100 } }]],
  ['steps[0].reply.times', [{ reply: { kind: 'reset', times: 2 } }]],
])('a wrong `%s` is a TypeError that names it: %j', (name, steps) => {
  const connector = simulateConnector();
  expect(() => connector.script(steps as never)).toThrow(TypeError);
  expect(() => connector.script(steps as never)).toThrow(`\`${name}\``);
  connector.assertAllConsumed();
});

describe('a mistake of the test’s own functions is a 500 that says so, in process and on a port alike', () => {
  const rateLimit = { limit: () => 0, windowMs: 1000 };
  it.each<[string, SimulateConnectorOptions]>([
    [
      '`faults().times` is not an option: there are `kind`,',
      { faults: () => ({ kind: 'slow', delayMs: 1, times: 1 }) as never },
    ],
    ['`faults().kind` must be one of status, limit', { faults: () => ({ kind: 'resett' }) as never }],
    ['`latency()` must be a number of milliseconds', { latency: () => Number.NaN }],
    ['`delayMs()` must be a number of milliseconds', { faults: [{ kind: 'slow', delayMs: () => -1 }] }],
    ['`rateLimit.limit()` must be a whole number', { rateLimit }],
    [
      'Error: thrown by onEntry',
      {
        onEntry() {
          throw new Error('thrown by onEntry');
        },
      },
    ],
  ])('%s', async (message, options) => {
    const connector = simulateConnector({ session: false, ...options });
    await using server = await connector.listen();
    for (const response of [await connector.fetch('http://c.test/'), await fetch(server.url)]) {
      const errors = { code: 'TEST_MISTAKE', message: expect.stringContaining(message) };
      expect([response.status, await response.json()]).toEqual([501, { errors }]);
      const { status, error } = connector.journal.at(-1)!;
      expect([status, String(error)]).toEqual([501, expect.stringContaining(message)]);
    }
  });
});

it('says what was probably meant', () => {
  const options = { faults: [{ kind: 'reset', tims: 1 }] };
  const message = '`faults[0].tims` is not an option: did you mean `times`? There are `kind`, `delayMs`, ';
  expect(() => simulateConnector(options as never)).toThrow(message);
});

it('a route with a query is refused, because it would match nothing', () => {
  const message = 'must be without the query "?page=2": write "GET /issues", and look at `query` in a function';
  const routes = { 'GET /issues?page=2': {} };
  expect(() => simulateConnector({ routes })).toThrow(new TypeError(`\`routes\` ${message}.`));
  const faults = [{ kind: 'reset', on: 'GET /issues?page=2' }] as const;
  expect(() => simulateConnector({ faults })).toThrow(`\`faults[0].on\` ${message}`);
});

const paths = { initializePath: '/anmelden/über', cleanupPath: '/abmelden' };
it.each<[string, SimulateConnectorOptions]>([
  ['login', {}],
  ['cleanup', {}],
  ['POST /initialize', {}],
  ['/initialize', { session: false }],
  ['GET /initialize', {}],
  ['POST /cleanup', {}],
  ['/cleanup', {}],
  ['POST /anmelden/über', paths],
  ['POST /abmelden', paths],
  [
    '/login',
    { recording: { version: 1, recordedAt: '', initialize: { path: '/login', session: ['x-id'] }, exchanges: [] } },
  ],
])('a route that would never be called is refused, and what to use is named: %s', (route, options) => {
  const instead = "use a step of `script`, a fault, or a fetch handler with `login: 'routes'`";
  const message = `\`routes\` cannot replace "${route}": ${instead}.`;
  expect(() => simulateConnector({ ...options, routes: { [route]: {} } })).toThrow(new TypeError(message));
});

it.each<[string, SimulateConnectorOptions]>([
  ['POST /initialize', paths],
  ['GET /cleanup', {}],
  ['/initialize/:id', {}],
  ['/*', {}],
  ['POST', { initializePath: '/' }],
])('other routes stay what they are (control): %s', (route, options) => {
  expect(() => simulateConnector({ ...options, routes: { [route]: {} } })).not.toThrow();
});

it('says what a key of `routes` may be, and that of `on`', () => {
  const route = 'a route such as \'GET /issues/:id\', got "a".';
  expect(() => simulateConnector({ routes: { a: {} } })).toThrow(new TypeError(`\`routes\` must be ${route}`));
  const faults = [{ kind: 'reset', on: 'a' }] as const;
  expect(() => simulateConnector({ faults })).toThrow(`must be 'login', 'cleanup' or ${route}`);
});

it('what is right is taken (control)', () => {
  expect(() =>
    simulateConnector({
      rateLimit: [
        { limit: 1, windowMs: 1, format: 'huge', header: 'x-wait', window: 'sliding', scope: 'session', on: 'login' },
      ],
      latency: 0,
      seed: 0,
      session: { ttlMs: 1, maxRequests: 1, refuseFreshMs: 0, refuseFreshRequests: 0, header: 'authorization' },
      credentials: {},
      basePath: '/api/',
      routes: { 'GET /issues/:id': { id: 7 }, POST: () => 'posted' },
      resources: { issues: [{ id: 'a' }] },
      faults: [{ kind: 'status', status: 599, on: '/issues', at: [1, 2], times: 2 }],
    }),
  ).not.toThrow();
});

it('paths are those of a URL, which has them percent-encoded', async () => {
  const connector = simulateConnector({ basePath: '/büro', initializePath: '/anmeldung/über' });
  const { url, close } = await connector.listen();
  onTestFinished(close);
  const client = createConnectorClient({ baseUrl: url, initialize: { path: '/anmeldung/über', parameters: {} } });
  onTestFinished(() => client.close());
  await client.get('/issues');
  expect(connector.journal.map(({ kind, status }) => [kind, status])).toEqual([
    ['login', 200],
    ['request', 200],
  ]);
});

it('a port that is taken is the system’s error', async () => {
  const first = await simulateConnector().listen();
  await expect(simulateConnector().listen(first.port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await first.close();
  await first.close();
});
