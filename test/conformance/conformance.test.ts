import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Case,
  type CaseResult,
  ConformanceError,
  conformance,
  features,
  runConformance,
} from 'concordat/conformance';
import { createConnector, notFound, unauthorized } from 'concordat/connector';
import { toNodeHandler } from 'concordat/connector/node';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { goodPassword, modelConnector, soundDecisions, wrongPassword } from './helpers/model-connector.js';

const connector = createConnector({
  initialize: {
    parameters: z.object({ token: z.string() }),
    handler: ({ parameters }) => ({ 'x-token': parameters.token }),
  },
  session: z.object({ 'x-token': z.string() }),
  verify: (session) => session['x-token'] === 'canary-token',
});
connector.get('/issues', (c) => c.json([]));
const probes = { initialize: { parameters: { token: 'canary-token' } }, readable: '/issues' };

// The line that docs/conformance.md shows.
test.each(conformance({ fetch: connector.fetch, probes }))('$id: $title', ({ run }) => run());

const find = (cases: Case[], id: string) => cases.find((each) => each.id === id) as Case;
const broken = { unknownResource: () => ({ status: 400, code: 'X', message: 'm' }) };

describe('conformance()', () => {
  it('describes each case and leaves out those that do not apply', () => {
    const cases = conformance({ fetch: connector.fetch, probes });
    for (const { id, rule, title, why, severity } of cases) {
      expect(id).toMatch(/^[a-z-]+\.[a-z-]+$/);
      expect(rule).toMatch(/^[DEGWS]\d$/);
      expect([title, why].every((text) => text.length > 10)).toBe(true);
      expect(['error', 'warning']).toContain(severity);
    }
    const ids = cases.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('session.missing');
    expect(ids).not.toContain('rate-limit.status');
  });

  it('rejects a case that fails, with what was seen', async () => {
    const { baseUrl, config } = await modelConnector(broken);
    const { run } = find(conformance({ baseUrl, ...config }), 'routes.unknown-resource');
    const error = await run().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConformanceError);
    expect((error as Error).name).toBe('ConformanceError');
    expect((error as Error).message).toContain('GET /issues/999: 400; expected 404');
    expect((error as Error).message).toContain('  < 400');
  });

  it('resolves a case that holds (control)', async () => {
    const { baseUrl, config } = await modelConnector();
    const { run } = find(conformance({ baseUrl, ...config }), 'routes.unknown-resource');
    await expect(run()).resolves.toBeUndefined();
  });

  it('resolves a warning, and tells `onResult`', async () => {
    const { baseUrl, config } = await modelConnector({ options: 500 });
    const results: string[] = [];
    const onResult = ({ id, status }: CaseResult) => void results.push(`${id} ${status}`);
    await find(conformance({ baseUrl, ...config, onResult }), 'routes.options').run();
    expect(results).toEqual(['routes.options warning']);
  });

  it('sends the preflight of a browser: middleware for CORS may refuse any other OPTIONS in its own words', async () => {
    const sent: Headers[] = [];
    const withCors = (request: Request) => {
      if (request.method !== 'OPTIONS') return connector.fetch(request);
      sent.push(request.headers);
      const isPreflight = ['origin', 'access-control-request-method'].every((name) => request.headers.has(name));
      return isPreflight ? new Response(null, { status: 204 }) : new Response('Invalid Preflight', { status: 400 });
    };
    const report = await runConformance({ fetch: withCors, probes });
    expect(report.results.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(sent).not.toHaveLength(0); // control
  });

  it('rejects a case that cannot be judged: green would be a lie', async () => {
    const { baseUrl, config } = await modelConnector({ initializeStatus: 500 });
    const { run } = find(conformance({ baseUrl, ...config }), 'routes.readable');
    await expect(run()).rejects.toThrow('logging in failed (POST /initialize: 500)');
  });

  it.each([
    ['is right', {}],
    ['breaks a rule', broken],
    [
      'cannot be judged',
      { limitEnds: false, limit: () => ({ ...soundDecisions.limit(0, 4), headers: { 'x-wait-ms': '9999999' } }) },
    ],
  ])('agrees with `runConformance` on a connector that %s', async (_name, changes) => {
    const { baseUrl, config } = await modelConnector(changes);
    const report = await runConformance({ baseUrl, ...config });
    const rejected: string[] = [];
    for (const { id, run } of conformance({ baseUrl, ...config })) await run().catch(() => rejected.push(id));
    expect(rejected).toEqual(
      report.results.filter(({ status }) => ['failed', 'unjudged'].includes(status)).map(({ id }) => id),
    );
    expect(report.ok).toBe(rejected.length === 0);
  });
});

describe('known failures', () => {
  const knownFailures = { 'routes.unknown-resource': 'ticket 7' };

  it('still run, and do not count', async () => {
    const { baseUrl, config } = await modelConnector(broken);
    const report = await runConformance({ baseUrl, ...config, knownFailures });
    const result = report.results.find(({ id }) => id === 'routes.unknown-resource');
    expect(result).toMatchObject({ status: 'known-failure', reason: 'ticket 7' });
    expect(result?.problems).toHaveLength(1);
    expect(report.ok).toBe(true);
  });

  it('do count when they are not listed (control)', async () => {
    const { baseUrl, config } = await modelConnector(broken);
    expect((await runConformance({ baseUrl, ...config })).ok).toBe(false);
  });

  it('do not count either when they cannot be judged, and the others still do', async () => {
    const { baseUrl, config } = await modelConnector({ cleanupStatus: 500 });
    const ids = ['cleanup.answers', 'cleanup.ends-session', 'cleanup.dead-session', 'cleanup.other-sessions'];
    const known = (some: string[]) => Object.fromEntries(some.map((id) => [id, 'ticket 7']));
    const all = await runConformance({ baseUrl, ...config, knownFailures: known(ids) });
    expect([all.ok, all.counts['known-failure']]).toEqual([true, 4]);
    const some = await runConformance({ baseUrl, ...config, knownFailures: known(ids.slice(1)) });
    expect([some.ok, some.counts.failed]).toEqual([false, 1]);
  });

  it('are reported when they start to pass', async () => {
    const { baseUrl, config } = await modelConnector();
    const list = [{ id: 'routes.unknown-resource', reason: 'ticket 7' }];
    const report = await runConformance({ baseUrl, ...config, knownFailures: list });
    expect(report.counts).toMatchObject({ fixed: 1, failed: 0 });
    expect(report.ok).toBe(false);
    const { run } = find(conformance({ baseUrl, ...config, knownFailures: list }), 'routes.unknown-resource');
    await expect(run()).rejects.toThrow('Remove it from `knownFailures`');
  });
});

describe('what is sent', () => {
  it('never writes unless that is allowed', async () => {
    const sent: string[] = [];
    const fetch = (request: Request) => {
      sent.push(`${request.method} ${new URL(request.url).pathname}`);
      return connector.fetch(request);
    };
    const writing = {
      ...probes,
      invalid: { method: 'POST', path: '/issues', json: {} },
      expire: { request: 'POST /e' },
    };
    const { results } = await runConformance({ fetch, probes: writing });
    expect(sent.filter((line) => !/^(GET|HEAD|OPTIONS) |^POST \/initialize$/.test(line))).toEqual([]);
    expect(results.find(({ id }) => id === 'validation.payload')?.reason).toContain('may write: needs `allowWrites`');

    await runConformance({ fetch, probes: writing, allowWrites: true });
    expect(sent).toContain('POST /issues');
  });

  it('leaves out each of the first four parameters of a login once, but no address (S5)', async () => {
    const logins: string[] = [];
    const fetch = async (request: Request) => {
      const entries: unknown = await request.json().catch(() => undefined);
      if (!Array.isArray(entries) || entries.some((entry) => parameters[entry?.key] === undefined))
        return Response.json({ errors: { code: 'NO', message: 'No' } }, { status: 400 });
      const keys = entries.map(({ key }: { key: string }) => key);
      logins.push(
        Object.keys(parameters)
          .filter((key) => !keys.includes(key))
          .join(),
      );
      return Response.json([{ key: 'x-token', value: 'canary-token', sensitive: true }]);
    };
    const check = async () => {
      logins.length = 0;
      await runConformance({ fetch, probes: { initialize: { parameters } } });
      return logins.filter((leftOut) => leftOut !== '');
    };
    let parameters: Record<string, string> = {
      url: 'https://h/x',
      host: 'h.example.com:80',
      ip: '10.0.0.7',
      user: 'a@b.example',
    };
    expect(await check()).toEqual(['user', 'url,host,ip,user']);
    parameters = { token: 'canary-only' };
    expect(await check()).toEqual(['token']);
    parameters = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`p${index}`, 'canary']));
    expect(await check()).toHaveLength(5);
    for (const address of ['localhost:8080', 'jira.example.com/jira', '[2001:db8::1]:443']) {
      parameters = { where: address, serverName: 'db01', user: 'canary' };
      expect(await check()).toEqual(['user', 'where,serverName,user']);
    }
  });

  it('sends a login again at most once where the connection closes, and the huge one never (S5)', async () => {
    const refused: number[] = [];
    const server = createServer(async (request, response) => {
      const body: Buffer[] = [];
      for await (const chunk of request) body.push(chunk);
      const text = String(Buffer.concat(body));
      if (request.url !== '/initialize') return void response.writeHead(404).end();
      if (text === JSON.stringify([{ key: 'token', value: 'canary-right', sensitive: true }]))
        return void response.end('[{"key":"x-token","value":"canary-token","sensitive":true}]');
      if (text !== '') refused.push(text.length); // a GET is no login
      return void request.socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const initialize = { parameters: { token: 'canary-right' }, wrongParameters: { token: 'canary-wrong' } };
    await runConformance({ baseUrl, probes: { initialize } });
    const times = new Map<number, number>();
    for (const length of refused) times.set(length, (times.get(length) ?? 0) + 1);
    expect(Math.max(...times.values())).toBe(2);
    expect(times.get(Math.max(...refused))).toBe(1);
  });

  it.each([
    ['expire.action', 'session.expired', { expire: { action: () => Promise.reject(new Error('no admin')) } }],
    ['limit.before', 'rate-limit.status', { limit: { before: () => Promise.reject(new Error('no admin')) } }],
  ])('says that `probes.%s` fails, and judges the rest', async (name, id, changes) => {
    const { baseUrl, config } = await modelConnector();
    const { results } = await runConformance({ baseUrl, ...config, probes: { ...config.probes, ...changes } });
    const { status, reason } = results.find((result) => result.id === id) as CaseResult;
    expect([status, reason]).toEqual(['unjudged', `could not be checked: \`probes.${name}\` failed: no admin`]);
    expect(results.find((result) => result.id === 'routes.readable')?.status).toBe('passed');
  });

  it('says that a login is missing when the readable request gets a 401 without one: the connector may be right', async () => {
    const { baseUrl } = await modelConnector();
    const { results, counts } = await runConformance({ baseUrl, probes: { readable: '/issues' } });
    expect(counts.failed).toBe(0);
    const { status, reason } = results.find(({ id }) => id === 'routes.readable') as CaseResult;
    expect([status, reason]).toEqual(['unjudged', expect.stringContaining('401; it needs a session: give the')]);
  });

  it.each(['http://user:canary@h', 'http://h?a=1', 'http://h#a'])('refuses the `baseUrl` %s', async (baseUrl) => {
    await expect(runConformance({ baseUrl })).rejects.toThrow('`baseUrl` must have no user, query or fragment');
  });

  it('skips the cases of an OpenAPI document from which no request can be derived', async () => {
    const post = { post: { security: [{ session: [] }] } };
    const document = { openapi: 3.1, paths: { '/issues': post } }; // YAML without quotes
    const { results } = await runConformance({ fetch: connector.fetch, probes, openapi: { document } });
    const { status, reason } = results.find(({ id }) => id === 'openapi.session') as CaseResult;
    expect([status, reason]).toEqual([
      'skipped',
      'could not be checked: no request can be derived from the OpenAPI document; those that may write need `allowWrites`',
    ]);
  });

  it.each([
    ['the example of a parameter', { example: 'ABC-7' }, ['/keys/ABC-7']],
    ['its named examples', { examples: { one: { value: 'DEF-8' } } }, ['/keys/DEF-8']],
    ['a value that is none for the path, which may be a 404', {}, ['/keys/concordat']],
  ])('sends %s', async (_what, example, expected) => {
    const schema = { type: 'string', pattern: '^[A-Z]+-[0-9]+$' };
    const parameters = [{ name: 'key', in: 'path', required: true, schema, ...example }];
    const document = { openapi: '3.1.0', paths: { '/keys/{key}': { get: { parameters, security: [{ s: [] }] } } } };
    const sent: string[] = [];
    const fetch = (request: Request) => {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith('/keys/') && !request.headers.has('x-token')) sent.push(pathname);
      if (!pathname.startsWith('/keys/')) return connector.fetch(request);
      return /^\/keys\/[A-Z]+-[0-9]+$/.test(pathname) ? unauthorized() : notFound();
    };
    const { results } = await runConformance({ fetch, probes, openapi: { document } });
    expect(sent).toEqual(expected);
    expect(results.find(({ id }) => id === 'openapi.session')).toMatchObject({ status: 'passed' });
  });

  it('keeps the path of `baseUrl`', async () => {
    const { baseUrl, config } = await modelConnector();
    const report = await runConformance({ baseUrl: `${baseUrl}/api/`, ...config });
    expect(report.target).toBe(`${baseUrl}/api`);
    expect(report.results.find(({ id }) => id === 'session.initialize')?.problems[0]?.message).toContain('404');
  });

  it('logs in again when the session dies meanwhile, as the service does (S4)', async () => {
    const { baseUrl, config } = await modelConnector({ keepsOlderSessions: false });
    expect((await runConformance({ baseUrl, ...config })).ok).toBe(true);
  });

  it('checks a declared feature only, and says why the others are skipped', async () => {
    const { baseUrl, config } = await modelConnector({ limit: () => ({ status: 429, code: 'X', message: 'm' }) });
    const report = await runConformance({ baseUrl, ...config, features: ['session'] });
    expect(report.ok).toBe(true);
    expect(report.results.find(({ id }) => id === 'rate-limit.status')).toMatchObject({
      status: 'skipped',
      reason: 'the feature `rate-limit` is not declared',
    });
  });

  it('reports a 429 that it meets anywhere, and does not stop at waiting for it (W3)', async () => {
    const { baseUrl, config } = await modelConnector();
    const { limit: _, ...probes } = config.probes;
    let sent = 0;
    const refuse = (): Promise<Response> =>
      Promise.resolve(
        Response.json({ errors: { code: 'SLOW', message: 'm' } }, { status: 429, headers: { 'x-wait-ms': '0' } }),
      );
    const check = async (isRefused: () => boolean) => {
      const fetch = (request: Request) => (isRefused() ? refuse() : globalThis.fetch(request));
      const report = await runConformance({ baseUrl, ...config, probes, fetch });
      return { ok: report.ok, ...report.results.find(({ id }) => id === 'responses.too-many-requests') };
    };
    const found = await check(() => ++sent % 10 === 0);
    expect(found).toMatchObject({ ok: false, status: 'failed' });
    expect(found.problems?.[0]?.message).toContain(': 429; expected a 403 with x-wait-ms');
    expect(await check(() => false)).toMatchObject({ ok: true, status: 'passed' });
  });

  it('says that the wait was not checked where no limit is declared', async () => {
    const { baseUrl, config } = await modelConnector();
    const { limit: _, ...probes } = config.probes;
    const reasonOf = async (options: object) => {
      const { results } = await runConformance({ baseUrl, ...config, probes, ...options });
      const { status, reason } = results.find(({ id }) => id === 'rate-limit.wait-unit') as CaseResult;
      return [status, reason];
    };
    expect(await reasonOf({})).toEqual(['skipped', 'the feature `rate-limit` is not declared']);
    expect(await reasonOf({ features: ['rate-limit'] })).toEqual(['skipped', 'needs `probes.limit`']);
  });

  it('asks again before a wait that is too long ends, and says when the limit is still on', async () => {
    const limit = (wait: number) => ({ ...soundDecisions.limit(wait, 4), headers: { 'x-wait-ms': '3600000' } });
    const { baseUrl, config } = await modelConnector({ limit, limitEnds: false });
    const { results, ok } = await runConformance({ baseUrl, ...config });
    const unjudged = { status: 'unjudged', reason: expect.stringContaining('lasts 3600 s') };
    expect(results.find(({ id }) => id === 'rate-limit.resumes')).toMatchObject(unjudged);
    expect(results.find(({ id }) => id === 'rate-limit.wait-unit')).toMatchObject(unjudged);
    expect(ok).toBe(false);
  });

  it('does not wait for a 503 with a wait that a failing end system is answered with (W3)', async () => {
    const down = { status: 503, code: 'DOWN', message: 'The end system is down', headers: { 'x-wait-ms': '60000' } };
    const { baseUrl, config } = await modelConnector({ defect: () => down });
    expect((await runConformance({ baseUrl, ...config })).results.filter(({ status }) => status !== 'passed')).toEqual(
      [],
    );
  });

  it('sends again what found its connection closed, and tells when that is closed every time', async () => {
    const seen = new Map<string, number>();
    const closing = (times: number) => (request: Request) => {
      if (request.headers.get('x-token') !== 'canary-token') return connector.fetch(request);
      const path = `${request.method} ${new URL(request.url).pathname}`;
      seen.set(path, (seen.get(path) ?? 0) + 1);
      if (path === 'GET /issues/0' && (seen.get(path) ?? 0) <= times)
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) });
      return connector.fetch(request);
    };
    const judged = async (times: number) => {
      seen.clear();
      const { results } = await runConformance({ fetch: closing(times), probes: { ...probes, unknown: '/issues/0' } });
      return results.find(({ id }) => id === 'routes.unknown-resource');
    };
    expect(await judged(1)).toMatchObject({ status: 'passed' });
    const message = 'GET /issues/0: the connection was closed without a response; expected a response';
    expect(await judged(Number.POSITIVE_INFINITY)).toMatchObject({ status: 'failed', problems: [{ message }] });
  });

  it('is not misled by a server that closes every idle connection at the worst moment', async () => {
    const served = new WeakSet<object>();
    const server = createServer((request, response) => {
      if (served.has(request.socket)) return request.socket.destroy();
      served.add(request.socket);
      return toNodeHandler(connector)(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { results } = await runConformance({ baseUrl: `http://127.0.0.1:${port}`, probes });
    server.close();
    expect(results.filter(({ status }) => status === 'failed')).toEqual([]);
  });

  it('bounds each request in time', async () => {
    const fetch = () => new Promise<Response>(() => {});
    const { results } = await runConformance({ fetch, timeoutMs: 5 });
    expect(results.find(({ id }) => id === 'routes.unknown-route')).toMatchObject({
      status: 'failed',
      problems: [{ message: expect.stringContaining('no response within 5 ms') }],
    });
  });
});

it.each([
  [true, 'failed'],
  [false, 'passed'],
])("tells whether requests without a login get each other's responses (mixed up: %s)", async (mixesUp, expected) => {
  let last = '';
  const fetch = async (request: Request) => {
    last = request.url;
    await new Promise((resolve) => setTimeout(resolve, 5));
    const url = mixesUp ? last : request.url;
    return url.endsWith('/issues') ? Response.json([]) : notFound();
  };
  const { results } = await runConformance({ fetch, features: [], probes: { readable: '/issues' } });
  const { status, problems } = results.find(({ id }) => id === 'connections.parallel') as CaseResult;
  expect(status).toBe(expected);
  const route = 'GET /concordat-conformance/no-such-route';
  const message = `GET /issues: 404 among different simultaneous requests; this is the response to ${route}`;
  expect(problems.map((problem) => problem.message)).toEqual(mixesUp ? [message] : []);
});

it('does not blame the connection where simultaneous requests get a 503 (S3)', async () => {
  const { baseUrl, config } = await modelConnector();
  let inFlight = 0;
  const fetch = async (request: Request) => {
    if (inFlight > 0) return Response.json({ errors: { code: 'BUSY', message: 'Busy' } }, { status: 503 });
    inFlight++;
    return globalThis.fetch(request).finally(() => inFlight--);
  };
  const { results } = await runConformance({ baseUrl, ...config, fetch });
  const { status, problems } = results.find(({ id }) => id === 'session.parallel') as CaseResult;
  const message = 'GET /issues: 503 among simultaneous requests with one session; alone it is a success';
  expect([status, problems[0]?.message]).toEqual(['failed', message]);
});

it('takes a product that is overloaded by many simultaneous requests for no mix-up of responses (S3)', async () => {
  const { baseUrl, config } = await modelConnector();
  let inFlight = 0;
  let refusals = 0;
  const fetch = async (request: Request) => {
    if (inFlight >= 4) {
      refusals++;
      return Response.json({ errors: { code: 'BUSY', message: 'Busy' } }, { status: 503 });
    }
    inFlight++;
    return globalThis.fetch(request).finally(() => inFlight--);
  };
  const { results } = await runConformance({ baseUrl, ...config, fetch });
  const { status, problems } = results.find(({ id }) => id === 'session.parallel') as CaseResult;
  expect([status, problems]).toEqual(['passed', []]);
  expect(refusals).toBeGreaterThan(0);
});

it('does not blame the chunks of a login for a failure that happens once (D2)', async () => {
  const { baseUrl, config } = await modelConnector();
  let failures = 0;
  const fetch = (request: Request) => {
    const isChunked = request.headers.get('connection') === 'close';
    const down = { errors: { code: 'DOWN', message: 'Down' } };
    return isChunked && ++failures === 1 ? Response.json(down, { status: 503 }) : globalThis.fetch(request);
  };
  const { results } = await runConformance({ baseUrl, ...config, fetch });
  expect(failures).toBe(2);
  expect(results.find(({ id }) => id === 'session.chunked-body')?.status).toBe('passed');
});

it.each([
  [1100, '; expected a 403. The slowest took 1 s: was it held back?'],
  [0, '; expected a 403'],
])('says that a limit that is not reached may hold requests back (for %d ms)', async (heldMs, expected) => {
  const { baseUrl, config } = await modelConnector({ hasLimit: false });
  let sent = 0;
  const fetch = async (request: Request) => {
    const isHeld = request.url.endsWith('/limited') && ++sent === 3;
    await new Promise((resolve) => setTimeout(resolve, isHeld ? heldMs : 0));
    return globalThis.fetch(request);
  };
  const { results } = await runConformance({ baseUrl, ...config, fetch });
  const message = String(results.find(({ id }) => id === 'rate-limit.reached')?.problems[0]?.message);
  expect(message.slice(message.indexOf(';'))).toBe(expected);
});

it('asks elsewhere as soon as one request is refused: the limit may be over before the last of a batch is (W2)', async () => {
  const { baseUrl, config } = await modelConnector();
  let refusals = 0;
  let answered = () => {};
  const elsewhere = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const fetch = async (request: Request) => {
    const isOther = refusals > 0 && request.method === 'POST' && request.url.endsWith('/issues');
    if (isOther) {
      answered();
      return Response.json({ errors: { code: 'DOWN', message: 'Down' } }, { status: 500 });
    }
    const response = await globalThis.fetch(request);
    if (request.url.endsWith('/limited') && response.status === 403 && ++refusals > 1) await elsewhere;
    return response;
  };
  const { run } = find(conformance({ baseUrl, ...config, fetch }), 'rate-limit.parallel');
  const { result } = (await run().catch((error) => error)) as ConformanceError;
  expect(result.problems.map(({ message }) => message)).toEqual([
    'POST /issues: 500 while the limit holds; expected what it gets otherwise, or a 403',
  ]);
});

describe('the cleanup of another session (S1)', () => {
  const judged = async (changes: Parameters<typeof modelConnector>[0], requestsEach = Number.POSITIVE_INFINITY) => {
    const { baseUrl, config } = await modelConnector(changes);
    const requests = new Map<string, number>();
    const fetch = async (request: Request) => {
      const session = request.headers.get('x-session') ?? '';
      const count = (requests.get(session) ?? 0) + 1;
      requests.set(session, count);
      return count > requestsEach && session !== '' ? unauthorized() : globalThis.fetch(request);
    };
    const cleanup = conformance({ baseUrl, ...config, fetch }).find(({ id }) => id === 'cleanup.other-sessions')!;
    return cleanup.run().catch(({ result }: ConformanceError) => [result.status, result.problems[0]?.message]);
  };
  const found = ['failed', 'GET /issues: 401 after the cleanup of another session, which ended this one, too'];

  it.each([true, false])(
    'must not end this one (an account keeps several sessions: %s)',
    async (keepsOlderSessions) => {
      expect(await judged({ keepsOlderSessions, cleanupEndsOthers: true })).toEqual(found);
      expect(await judged({ keepsOlderSessions })).toBeUndefined();
      expect(await judged({ keepsOlderSessions, cleanupOfDeadSession: 204 })).toBeUndefined();
    },
  );

  it('is not blamed where a session ends by itself after a request', async () => {
    expect(await judged({}, 1)).toBeUndefined();
  });
});

describe('a declared file', () => {
  const statuses = async (response: () => Response, file = {}) => {
    const { results } = await runConformance({ fetch: response, probes: { file: { request: '/f', ...file } } });
    return Object.fromEntries(results.map(({ id, status }) => [id, status]));
  };
  const headers = { 'content-type': 'application/octet-stream' };

  it('is checked as far as it is known', async () => {
    const response = () => new Response(new Uint8Array([0xff, 0xfe]), { headers });
    expect(await statuses(response)).toMatchObject({ 'files.whole': 'passed', 'files.bytes': 'skipped' });
    expect(await statuses(response, { bytes: 2 })).toMatchObject({ 'files.bytes': 'passed' });
    expect(await statuses(response, { bytes: 3 })).toMatchObject({ 'files.bytes': 'failed' });
  });

  it('has the length that is said, also where no network counts along (D2)', async () => {
    const says = (length: string) => () => new Response('abc', { headers: { ...headers, 'content-length': length } });
    expect(await statuses(says('4'))).toMatchObject({ 'files.whole': 'failed' });
    expect(await statuses(says('3'))).toMatchObject({ 'files.whole': 'passed' });
  });

  it('is compressed only where the request accepts that (D2)', async () => {
    const encoded = (encoding: string) => () =>
      new Response('abc', { headers: { ...headers, 'content-encoding': encoding, 'content-length': '3' } });
    const accepting = { request: { path: '/f', headers: { 'Accept-Encoding': 'gzip' } } };
    expect(await statuses(encoded('gzip'))).toMatchObject({ 'files.whole': 'failed' });
    expect(await statuses(encoded('gzip'), accepting)).toMatchObject({ 'files.whole': 'passed' });
    expect(await statuses(encoded('Identity'))).toMatchObject({ 'files.whole': 'passed' });
  });

  it('may be text where that is declared (D1)', async () => {
    const response = () => new Response('a;b', { headers: { 'content-type': 'text/csv' } });
    expect(await statuses(response)).toMatchObject({ 'files.content-type': 'failed' });
    expect(await statuses(response, { contentType: 'text/csv' })).toMatchObject({ 'files.content-type': 'passed' });
  });

  it('is in no report, and a file that is not there is said once', async () => {
    const { results } = await runConformance({
      fetch: () => new Response('the file', { headers }),
      probes: { file: { request: '/f', bytes: 1 } },
    });
    const text = JSON.stringify(results.find(({ id }) => id === 'files.bytes'));
    expect(text).toContain('[8 bytes]');
    expect(text).not.toContain('the file');
    expect(await statuses(() => new Response(null, { status: 404 }), { bytes: 1 })).toMatchObject({
      'files.whole': 'failed',
      'files.bytes': 'unjudged',
      'files.content-type': 'unjudged',
    });
  });
});

describe('secrets', () => {
  it('are in no report, however much of them the connector echoes (E5)', async () => {
    const echo = (text: string) => JSON.stringify({ errors: { code: 'X', message: text, extra: text } });
    const { baseUrl, config } = await modelConnector({
      writeError: (_failure, asked) =>
        echo(`${asked.body} ${JSON.stringify(asked.headers)} ${encodeURIComponent(asked.body)}`),
      session: (id) => [{ key: 'x-session', value: id, sensitive: false }],
    });
    const report = await runConformance({ baseUrl, ...config });
    expect(report.ok).toBe(false);
    const text = JSON.stringify(report);
    for (const secret of [goodPassword, wrongPassword, 'canary-session', 'concordat-canary'])
      expect(text).not.toContain(secret);
    expect(text).toContain('[masked]');
  });

  /** A connector in this process that reads a login as `refuse` says, and has nothing else. */
  const loginAlone = async (
    parameters: Record<string, string>,
    refuse: (given: Record<string, string>) => string | undefined,
  ) => {
    const fetch = async (request: Request) => {
      if (!request.url.endsWith('/initialize')) return error(401, 'No session');
      const entries: unknown = await request.json().catch(() => undefined);
      if (!Array.isArray(entries)) return error(400, 'Not a list');
      const given = Object.fromEntries(entries.map((entry) => [String(entry?.key), String(entry?.value)]));
      const refusal = refuse(given);
      return refusal === undefined
        ? Response.json([{ key: 'x-session', value: 'canary-session', sensitive: true }])
        : error(403, refusal);
    };
    const error = (status: number, message: string) => Response.json({ errors: { code: 'NO', message } }, { status });
    const wrongParameters = { ...parameters, password: 'canary-wrong' };
    const { results } = await runConformance({ fetch, probes: { initialize: { parameters, wrongParameters } } });
    return results.filter(({ status }) => status === 'failed').map(({ id }) => id);
  };
  const missingIn = (given: Record<string, string>, names: string[]) => names.find((name) => given[name] === undefined);

  it('that were not sent are not looked for: a refusal may name what is missing (E5)', async () => {
    const parameters = { user: 'alice', password: 'password' };
    const failed = await loginAlone(parameters, (given) => {
      const missing = missingIn(given, ['user', 'password']);
      if (missing !== undefined) return `${missing} is missing`;
      return given.password === 'password' ? undefined : 'Wrong';
    });
    expect(failed).not.toContain('secrets.parameters');
  });

  it('of accounts that are locked after three failures in a row do no harm', async () => {
    const parameters = { tenant: 'acme', project: 'web', user: 'alice', password: 'canary-right' };
    let failures = 0;
    const failed = await loginAlone(parameters, (given) => {
      if (failures >= 3) return 'The account is locked.';
      const isRight = missingIn(given, Object.keys(parameters)) === undefined && given.password === 'canary-right';
      failures = isRight ? 0 : failures + 1;
      return isRight ? undefined : 'Wrong';
    });
    expect(failures).toBeLessThan(3);
    expect(failed).not.toContain('logins.repeated');
  });

  it('of a login without a parameter are looked for in its refusal (E5)', async () => {
    const { baseUrl, config } = await modelConnector();
    const judged = async (detailOf: (body: string) => string) => {
      const fetch = async (request: Request) => {
        const body = request.url.endsWith('/initialize') ? await request.clone().text() : '';
        if (body.includes('user') || !body.includes(goodPassword)) return globalThis.fetch(request);
        const errors = { code: 'NO_USER', message: 'user is missing', detail: detailOf(body) };
        return Response.json({ errors }, { status: 400 });
      };
      const { results } = await runConformance({ baseUrl, ...config, fetch });
      return results.filter(({ status }) => status !== 'passed');
    };
    expect(await judged((body) => body.replace(goodPassword, '…'))).toEqual([]);
    const [found, ...others] = await judged((body) => btoa(body));
    expect(found).toMatchObject({ id: 'secrets.parameters', status: 'failed' });
    expect(found?.problems[0]?.message).toContain('the response contains the value of "password"');
    const shown = String(found?.problems[0]?.seen?.response?.body);
    expect(shown).toContain('[masked]');
    expect(atob(/"detail":"([\w+/=]*)/.exec(shown)?.[1] ?? '')).not.toContain(goodPassword);
    expect(others).toEqual([]);
  });

  it('of a record are those whose names say so: an error may name an address (E5)', async () => {
    const { baseUrl, config } = await modelConnector({
      defect: () => ({ ...soundDecisions.defect()!, detail: 'GET https://h.example/x' }),
    });
    const judged = async (parameters: Record<string, string>) => {
      const probes = { ...config.probes, initialize: { ...config.probes.initialize, parameters } };
      const { results } = await runConformance({ baseUrl, ...config, probes });
      return results.find(({ id }) => id === 'secrets.session')?.status;
    };
    expect(await judged({ user: 'alice', url: 'https://h.example/x', password: goodPassword })).toBe('passed');
    expect(await judged({ user: 'alice', otherToken: 'https://h.example/x', password: goodPassword })).toBe('failed');
  });

  it.each([
    ['nope', '{"user":"alice","password":"nope"}', 'failed'],
    ['nope', "password 'nope'", 'failed'],
    ['wrong', 'login?password=wrong&user=alice', 'failed'],
    ['wrong', 'password: wrong', 'failed'],
    ['wrong', 'https://alice:wrong@host/', 'failed'],
    ['hunter2', 'with hunter2 as the password', 'failed'],
    ['hunter2', 'with hunter23', 'passed'],
    ['wrong', 'The wrong password. Error: wrong user', 'passed'],
    ['password', 'The password is missing: {"password": null}', 'passed'],
    ['1234', 'id 1234', 'passed'],
    ['abc', '"abc"', 'skipped'], // decision 10
    ['alice', '"alice"', 'skipped'], // which is no secret
  ])('that are as short or ordinary as %j are found where they stand alone: %s is %s', async (password, detail, is) => {
    const { baseUrl, config } = await modelConnector({
      refuseLogin: () => ({ status: 401, code: 'NO', message: 'Wrong password', detail }),
    });
    const initialize = { ...config.probes.initialize, wrongParameters: { user: 'alice', password } };
    const { results } = await runConformance({ baseUrl, ...config, probes: { ...config.probes, initialize } });
    const { status, reason } = results.find(({ id }) => id === 'secrets.parameters') as CaseResult;
    expect(status).toBe(is);
    if (is === 'skipped') expect(reason).toContain('`probes.initialize.wrongParameters` has no secret that');
  });

  it.each([
    ['PHP', String.raw`canary\/7<ä>`],
    ['Go', String.raw`canary/7\u003cä\u003e`],
    ['Python', String.raw`canary/7<\u00e4>`],
  ])('are found as the JSON of %s writes them', async (_, written) => {
    const fetch = ({ method, url }: Request) =>
      method === 'POST' && url.endsWith('/initialize')
        ? Response.json([{ key: 'x-session', value: 'canary-session', sensitive: true }])
        : new Response(`{"message":"${written}"}`, { status: 500, headers: { 'content-type': 'application/json' } });
    const parameters = { user: 'ada', password: 'canary/7<ä>' };
    const text = JSON.stringify(await runConformance({ fetch, probes: { initialize: { parameters } } }));
    expect(text).toContain('[masked]');
    expect(text).not.toContain(JSON.stringify(written).slice(1, -1));
  });
});

describe('a login that cannot be read', () => {
  const token = 'canary-token-0123456789';
  const judged = async (body: string, headers: Record<string, string> = {}) => {
    const fetch = ({ method, url }: Request) =>
      method === 'POST' && url.endsWith('/initialize')
        ? new Response(body, { headers: { 'content-type': 'application/json', ...headers } })
        : Response.json({ errors: { code: 'NO', message: `Not with ${token}` } }, { status: 404 });
    const report = await runConformance({ fetch, probes: { initialize: { parameters: { a: 'b' } } } });
    const result = report.results.find(({ id }) => id === 'session.answer');
    return {
      message: result?.problems[0]?.message,
      body: result?.problems[0]?.seen?.response?.body,
      text: JSON.stringify(report),
    };
  };

  it.each([
    ['a string', JSON.stringify(token), 'the body is a string', '"[masked]"'],
    [
      'an object in an object',
      `{ "session":{"x-session":"${token}"}}`,
      '`session` is an object',
      '{ "session":{"x-session":"[masked]"}}',
    ],
    [
      'a value that is no string',
      `[{"key":"x-session","value":"${token}","sensitive":true},  {"key":"x-org","value":1001,"sensitive":false}]`,
      'entry 2 ("x-org"): `value` is a number; expected a string',
      '[{"key":"x-session","value":"[masked]","sensitive":true},  {"key":"x-org","value":[masked],"sensitive":false}]',
    ],
    [
      'another name for `key`',
      `[{"name":"${token}","value":"a"}]`,
      '`key` is missing (it has `name`, `value`)',
      '[{"name":"[masked]","value":"[masked]"}]',
    ],
    ['text', `token=${token}`, 'the body is not JSON', '[masked]'],
  ])('%s: names what is wrong, and shows it as it came without its secrets', async (_name, sent, message, shown) => {
    const seen = await judged(sent);
    expect(seen.message).toContain(message);
    expect(seen.body).toBe(shown);
    expect(seen.text).not.toContain(token);
  });

  it('tells of a session in a cookie, and masks it', async () => {
    const seen = await judged('{"ok":true}', { 'set-cookie': `sid=${token}; HttpOnly` });
    expect(seen.message).toContain(
      '`ok` is a boolean; expected an array of {key, value, sensitive}; the service does not read cookies',
    );
    expect(seen.text).not.toContain(token);
  });
});

describe('wrong options', () => {
  it.each([
    [{}, '`baseUrl` or `fetch`'],
    [{ baseUrl: 'ftp://x' }, '`baseUrl` must be an http or https URL'],
    [{ baseUrl: 'http://h', probes: { readabel: '/' } }, '`probes.readabel` is not an option'],
    [{ baseUrl: 'http://h', probes: { expire: {} } }, '`probes.expire` must have waitMs, request or action'],
    [{ baseUrl: 'http://h', probes: { readable: 'issues' } }, '`probes.readable` must be a request'],
    [{ baseUrl: 'http://h', probes: { limit: {} } }, '`probes.limit` needs a `request`'],
    [
      { baseUrl: 'http://h', probes: { initialize: { parameters: 7 } } },
      '`probes.initialize.parameters` must be an array',
    ],
    [{ baseUrl: 'http://h', probes: { file: { sha256: 'x' } } }, '`probes.file.request`'],
    [
      { baseUrl: 'http://h', probes: { file: { request: '/f', sha256: 'abc' } } },
      '`probes.file.sha256` must have 64 hexadecimal digits',
    ],
    [{ baseUrl: 'http://h', probes: { file: { request: '/f', bytes: -1 } } }, '`probes.file.bytes`'],
    [{ baseUrl: 'http://h', features: ['sessions'] }, '`features[0]`'],
    [{ baseUrl: 'http://h', knownFailures: { 'no.case': 'x' } }, '"no.case", which is not the id of a case'],
    [{ baseUrl: 'http://h', knownFailures: { 'errors.body': ' ' } }, '`knownFailures'],
    [{ baseUrl: 'http://h', rateLimit: { header: 'a b' } }, '`rateLimit.header` must be the name of a header'],
    [{ baseUrl: 'http://h', timeoutMs: -1 }, '`timeoutMs`'],
    [
      { baseUrl: 'http://h', probes: { limit: { tims: 3 } } },
      '`probes.limit.tims` is not an option: did you mean `times`?',
    ],
    [{ baseUrl: 'http://h', probes: { readable: { pth: '/' } } }, '`probes.readable.pth` is not an option'],
  ])('%j is a TypeError that names it', async (options, message) => {
    expect(() => conformance(options as never)).toThrow(TypeError);
    expect(() => conformance(options as never)).toThrow(message);
    await expect(runConformance(options as never)).rejects.toThrow(message);
  });

  it('lists the features', () => {
    expect(features).toEqual(['session', 'validation', 'access', 'cleanup', 'rate-limit']);
  });
});
