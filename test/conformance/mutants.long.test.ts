import { gzipSync } from 'node:zlib';
import { runConformance } from 'concordat/conformance';
import { describe, expect, it, type TestContext } from 'vitest';
import {
  type Answer,
  type Asked,
  type Decisions,
  type Failure,
  fileAnswer,
  goodPassword,
  modelConnector,
  soundDecisions,
  wrongPassword,
} from './helpers/model-connector.js';

const sound = soundDecisions;
const body = (change: (failure: Failure) => unknown): Partial<Decisions> => ({
  writeError: (failure) => JSON.stringify(change(failure)),
});
/** Changes the failures of one code only. */
const only = (code: string, change: (failure: Failure) => Failure): Partial<Decisions> => ({
  failure: (failure) => (failure.code === code ? change(failure) : failure),
});
const answered = (status: number) => (): Failure => ({ status, code: 'WRONG', message: 'Answered otherwise' });

/** Changes how a file is handed out. */
const file = (change: (answer: Answer) => Partial<Answer>): Partial<Decisions> => ({
  file: (asked) => {
    const answer = fileAnswer(asked);
    return { ...answer, ...change(answer) };
  },
});

/** The whole file, as a connector answers it that takes bytes for UTF-8. */
function asText({ headers }: Answer): Answer {
  const body = Buffer.from(fileAnswer({ headers: {} }).body.toString());
  return { status: 200, headers: { ...headers, 'content-length': String(body.length) }, body };
}

/** Refuses a wrong parameter with another status. */
const documentedAs = (status: number): Partial<Decisions> => ({
  documented: (asked) => (asked.path.includes('limit=') ? answered(status)() : sound.documented(asked)),
});

/** Refuses a login without a password with another status. */
const withoutPassword = (status: number) => (asked: Asked) =>
  asked.body.includes('password') ? sound.refuseLogin(asked) : answered(status)();

const base64 = (text: string, encoding: BufferEncoding = 'base64') => Buffer.from(text).toString(encoding);

const limitedLogin = (): Failure => ({ ...answered(403)(), headers: { 'x-wait-ms': '1' } });

/** The body of a request without what no error may contain. */
const withoutSecrets = ({ body }: Asked) => body.replaceAll(/(?:concordat-)?canary[\w-]*/g, '');

/** What the parser says of broken JSON: V8 quotes ten characters from the first that it cannot read. */
function whatIsBroken({ body }: Asked): string {
  try {
    return JSON.parse(body);
  } catch (error) {
    return String(error);
  }
}

/** Changes how the second of the requests beyond the limit is refused, which are in flight at the same time. */
const second = (change: (failure: Failure) => Failure): Partial<Decisions> => ({
  limit: (wait, count) => (count === 5 ? change : (failure: Failure) => failure)(sound.limit(wait, count)),
});

/** Gives a code of their own to what other requests meet, too. */
const ownCodes: Partial<Decisions> = {
  brokenPayload: () => ({ ...sound.brokenPayload(), code: 'BAD_PAYLOAD' }),
  fileWithoutSession: () => ({ status: 401, code: 'NO_FILE', message: 'There is no session' }),
  missingSession: (asked) => ({ ...answered(401)(), code: asked.method === 'POST' ? 'NO_POST' : 'NO_SESSION' }),
};

/** Answers a failure of the end system with a page. */
const page = (html: string): Partial<Decisions> => ({
  writeError: (failure, asked) =>
    failure.code === 'END_SYSTEM_DOWN' ? `<!DOCTYPE html>${html}` : sound.writeError(failure, asked),
});

/** Quotes a header in the failures of one code. */
const quoting = (code: string, name: string): Partial<Decisions> => ({
  writeError: (failure, asked) => {
    const { message } = failure;
    const quoted = failure.code === code ? `${message}: ${asked.headers[name]}` : message;
    return sound.writeError({ ...failure, message: quoted }, asked);
  },
});

interface Mutant {
  name: string;
  changes: Partial<Decisions>;
  /** Every case that has to report it, and no other may. */
  caught: string[];
  /** The same in all but the one fact: nothing may be reported. */
  control: Partial<Decisions>;
  timeoutMs?: number;
}

/** The cases that look at the same body, content type and session from several sides. */
const bodies = ['errors.body', 'rate-limit.body'];

const mutants: Mutant[] = [
  // Error bodies
  {
    name: 'writes an `errors` array (E1)',
    changes: body(({ code, message }) => ({ errors: [{ code, message }] })),
    caught: bodies,
    control: body(({ code, message }) => ({ errors: { code, message } })),
  },
  {
    name: 'writes numeric codes (E1)',
    changes: body(({ message }) => ({ errors: { code: 42, message } })),
    caught: bodies,
    control: body(({ message }) => ({ errors: { code: '42', message } })),
  },
  {
    name: 'writes an empty message (E1)',
    changes: body(({ code }) => ({ errors: { code, message: '' } })),
    caught: bodies,
    control: body(({ code }) => ({ errors: { code, message: 'm' } })),
  },
  {
    name: 'writes a blank code (E1)',
    changes: body(({ message }) => ({ errors: { code: ' ', message } })),
    caught: bodies,
    control: body(({ message }) => ({ errors: { code: 'c', message } })),
  },
  {
    name: 'writes a member that the contract does not know (E1)',
    changes: body(({ code, message }) => ({ errors: { code, message }, timestamp: 'now' })),
    caught: bodies,
    control: body(({ code, message }) => ({ errors: { code, message, detail: 'now' } })),
  },
  {
    name: 'writes `detail` as null (E1)',
    changes: body(({ code, message }) => ({ errors: { code, message, detail: null } })),
    caught: bodies,
    control: body(({ code, message }) => ({ errors: { code, message, detail: undefined } })),
  },
  {
    name: 'writes `detail` as an object (E1)',
    changes: body(({ code, message }) => ({ errors: { code, message, detail: { id: 7 } } })),
    caught: bodies,
    control: body(({ code, message }) => ({ errors: { code, message, detail: '{"id":7}' } })),
  },
  {
    name: 'answers an unknown route with the HTML of its framework (E1)',
    changes: {
      writeError: (failure, asked) =>
        failure.code === 'NO_ROUTE' ? '<h1>Not Found</h1>' : sound.writeError(failure, asked),
    },
    caught: ['errors.body'],
    control: { writeError: (failure, asked) => sound.writeError(failure, asked) },
  },
  {
    name: 'writes an empty `detail` (E1)',
    changes: body(({ code, message }) => ({ errors: { code, message, detail: '' } })),
    caught: bodies,
    control: body(({ code, message }) => ({ errors: { code, message, detail: '-' } })),
  },
  {
    name: 'writes a byte order mark (E1)',
    changes: { writeError: (failure, asked) => `\ufeff${sound.writeError(failure, asked)}` },
    caught: bodies,
    control: { writeError: (failure, asked) => `\n${sound.writeError(failure, asked)}` },
  },
  {
    name: 'writes errors in windows-1252 (E1)',
    changes: {
      writeError: ({ code }) => Buffer.from(`{"errors":{"code":"${code}","message":"nicht verf\u00fcgbar"}}`, 'latin1'),
    },
    caught: bodies,
    control: {
      writeError: ({ code }) => Buffer.from(`{"errors":{"code":"${code}","message":"nicht verf\u00fcgbar"}}`),
    },
  },
  { name: 'answers errors with an empty body (E1)', changes: { writeError: () => '' }, caught: bodies, control: {} },
  {
    name: 'calls its errors text/plain (E1)',
    changes: { errorType: 'text/plain' },
    caught: ['errors.content-type', 'rate-limit.body'],
    control: { errorType: 'application/json' },
  },
  {
    name: 'calls its errors application/problem+json (E1)',
    changes: { errorType: 'application/problem+json' },
    caught: ['errors.content-type', 'rate-limit.body'],
    control: { errorType: 'application/json;charset="UTF-8"' },
  },
  {
    name: 'writes errors without a content type (E1)',
    changes: { errorType: '' },
    caught: ['errors.content-type', 'rate-limit.body'],
    control: {},
  },
  {
    name: 'calls its errors JSON in Latin-1 (E1)',
    changes: { errorType: 'application/json; charset=iso-8859-1' },
    caught: ['errors.content-type', 'rate-limit.body'],
    control: { errorType: 'application/json; charset=utf-8' },
  },
  {
    name: 'puts the whole request into `detail` (E5)',
    changes: {
      writeError: (failure, asked) =>
        sound.writeError(
          { ...failure, ...(failure.code === 'BAD_JSON' ? { detail: withoutSecrets(asked) } : {}) },
          asked,
        ),
    },
    caught: ['errors.detail-is-bounded'],
    control: {
      writeError: (failure, asked) =>
        sound.writeError(
          { ...failure, ...(failure.code === 'BAD_JSON' ? { detail: withoutSecrets(asked).slice(0, 8192) } : {}) },
          asked,
        ),
    },
  },
  {
    name: 'shows an internal host in `detail` (E4)',
    changes: only('NO_ISSUE', (failure) => ({ ...failure, detail: 'connect ECONNREFUSED db-01.corp.internal' })),
    caught: ['errors.no-internals'],
    control: only('NO_ISSUE', (failure) => ({
      ...failure,
      detail: 'see https://docs.example.com/usr/issues#id at db-01',
    })),
  },
  {
    name: 'shows an internal address in `detail` (E4)',
    changes: only('NO_ISSUE', (failure) => ({ ...failure, detail: 'connect ECONNREFUSED 10.2.0.1:5432' })),
    caught: ['errors.no-internals'],
    control: only('NO_ISSUE', (failure) => ({
      ...failure,
      detail: 'It needs version 10.2.0.1 or v10.3.0.1, and has Version: 10.1.0.0',
    })),
  },
  {
    name: 'puts a stack trace of JavaScript into `detail` (E4)',
    changes: only('NO_ISSUE', (failure) => ({ ...failure, detail: new Error('x').stack as string })),
    caught: ['errors.no-stack-trace'],
    control: only('NO_ISSUE', (failure) => ({ ...failure, detail: 'Look at: the id' })),
  },
  {
    name: 'puts a traceback of Python into `message` (E4)',
    changes: only('NO_ISSUE', (failure) => ({
      ...failure,
      message: 'Traceback (most recent call last):\n  File "a.py"',
    })),
    caught: ['errors.no-stack-trace'],
    control: only('NO_ISSUE', (failure) => ({ ...failure, message: 'File "a.py"' })),
  },
  {
    name: 'puts a stack trace of Java into `detail` (E4)',
    changes: only('NO_ISSUE', (failure) => ({
      ...failure,
      detail: 'java.lang.Error: x\n\tat org.example.Issues$Find.<init>(Issues.java:7)',
    })),
    caught: ['errors.no-stack-trace'],
    control: only('NO_ISSUE', (failure) => ({ ...failure, detail: 'Closed.\nat 5:30:00 (local time)\nat once: no' })),
  },
  {
    name: 'answers with the page of Express for an error (E4)',
    changes: page('<pre>Error: x<br> &nbsp; &nbsp;at Layer.handleRequest (/app/router/layer.js:152:17)</pre>'),
    caught: ['errors.body', 'errors.no-stack-trace'],
    control: only('NO_ISSUE', (failure) => ({ ...failure, detail: 'Closed<br>&nbsp;at 5:30 (local time)' })),
  },
  {
    name: 'answers with a page that shows an internal address (E4)',
    changes: page('<pre>Error: connect ECONNREFUSED 10.0.0.5:5432</pre>'),
    caught: ['errors.body', 'errors.no-internals'],
    control: {},
  },
  {
    name: 'answers with a page that has a link (E1)',
    changes: page('<a href="/app/status/page.html">status</a>'),
    caught: ['errors.body'],
    control: {},
  },
  // The wait header
  {
    name: 'sends the wait header with a denial (W2)',
    changes: { denial: () => ({ ...sound.denial()!, headers: { 'x-wait-ms': '1' } }) },
    caught: ['errors.denial-without-wait-header'],
    control: { denial: () => ({ ...sound.denial()!, headers: { 'x-wait': '1' } }) },
  },
  {
    name: 'sends a wait with a denial that is longer than the kit waits (W2)',
    changes: { denial: () => ({ ...sound.denial()!, headers: { 'x-wait-ms': '60000' } }) },
    caught: ['errors.denial-without-wait-header'],
    control: { denial: () => ({ ...sound.denial()!, headers: { 'retry-after': '60' } }) },
  },
  {
    name: 'sends the wait header with a 404 (W2)',
    changes: { unknownResource: () => ({ ...sound.unknownResource()!, headers: { 'x-wait-ms': '1' } }) },
    caught: ['errors.no-wait-header'],
    control: { unknownResource: () => ({ ...sound.unknownResource()!, headers: { 'retry-after': '1' } }) },
  },
  {
    name: 'answers a limit with 429 (W3)',
    changes: { limit: (waitMs) => ({ ...sound.limit(waitMs, 4), status: 429 }) },
    caught: ['rate-limit.status'],
    control: { limit: (waitMs) => ({ ...sound.limit(waitMs, 4), status: 403 }) },
  },
  {
    name: 'answers for what is missing with 429 (W3)',
    changes: { unknownResource: () => ({ ...sound.unknownResource()!, status: 429, headers: { 'x-wait-ms': '1' } }) },
    caught: ['routes.unknown-resource', 'responses.too-many-requests'],
    control: { unknownResource: () => sound.unknownResource() },
  },
  {
    name: 'answers a limit with 503 (W3)',
    changes: { limit: (waitMs) => ({ ...sound.limit(waitMs, 4), status: 503 }) },
    caught: ['rate-limit.status'],
    control: {},
  },
  {
    name: 'leaves the wait header out (W2)',
    changes: { limit: (waitMs) => ({ ...sound.limit(waitMs, 4), headers: {} }) },
    caught: ['rate-limit.wait-header'],
    control: { limit: (waitMs) => ({ ...sound.limit(waitMs, 4), headers: { 'X-Wait-Ms': String(waitMs) } }) },
  },
  {
    name: 'writes the wait with a unit (W4)',
    changes: { limit: (waitMs) => ({ ...sound.limit(waitMs, 4), headers: { 'x-wait-ms': `${waitMs}ms` } }) },
    caught: ['rate-limit.wait-format'],
    control: { limit: (waitMs) => ({ ...sound.limit(waitMs, 4), headers: { 'x-wait-ms': `${waitMs}` } }) },
  },
  {
    name: 'writes the wait with a fraction (W4)',
    changes: { limit: (waitMs) => ({ ...sound.limit(waitMs, 4), headers: { 'x-wait-ms': `${waitMs}.5` } }) },
    caught: ['rate-limit.wait-format'],
    control: {},
  },
  {
    name: 'writes the moment where a duration is agreed upon (W7)',
    changes: {
      limit: (waitMs) => ({ ...sound.limit(waitMs, 4), headers: { 'x-wait-ms': String(Date.now() + waitMs) } }),
    },
    caught: ['rate-limit.wait-unit'],
    control: { limit: (waitMs) => ({ ...sound.limit(waitMs, 4), headers: { 'x-wait-ms': String(waitMs + 400) } }) },
  },
  {
    name: 'asks to wait for two days (W7)',
    changes: {
      limitEnds: false,
      limit: (wait) => ({ ...sound.limit(wait, 4), headers: { 'x-wait-ms': '172800000' } }),
    },
    caught: ['rate-limit.wait-length'],
    control: {},
  },
  {
    name: 'sends two waits that disagree (W4)',
    changes: { limit: (wait) => ({ ...sound.limit(wait, 4), headers: { 'x-wait-ms': `${wait}, ${wait + 100}` } }) },
    caught: ['rate-limit.one-wait'],
    control: { limit: (wait) => ({ ...sound.limit(wait, 4), headers: { 'x-wait-ms': `${wait + 50}, ${wait + 50}` } }) },
  },
  ...(
    [
      ['with a 429', 429, { 'x-wait-ms': '20' }, 'rate-limit.status'],
      ['without the wait', 403, {}, 'rate-limit.wait-header'],
      ['with a 500', 500, {}, 'rate-limit.parallel'],
    ] as const
  ).map(([how, status, headers, caught]) => ({
    name: `refuses another request at the limit ${how} (W2, W3)`,
    changes: { elsewhereAtLimit: () => ({ ...answered(status)(), headers }) },
    caught: status === 429 ? [caught, 'responses.too-many-requests'] : [caught],
    control: { elsewhereAtLimit: (wait: number) => sound.limit(wait, 4) },
  })),
  {
    name: 'fails beside the limit (E2)',
    changes: { belowLimit: (count) => (count === 3 ? answered(500)() : undefined) },
    caught: ['rate-limit.parallel'],
    control: {},
  },
  {
    name: 'is too slow for its own limit',
    changes: { limitedTakesMs: 300, hasLimit: false },
    caught: ['rate-limit.speed'],
    control: { limitedTakesMs: 300 },
  },
  {
    name: 'writes a limit without a body (E1)',
    changes: { writeError: (failure, asked) => (failure.code === 'TOO_MANY' ? '' : sound.writeError(failure, asked)) },
    caught: ['rate-limit.body'],
    control: {},
  },
  {
    name: 'asks for a wait that is too short (W7)',
    changes: { limitEnds: false },
    caught: ['rate-limit.resumes'],
    control: { limitEnds: true },
  },
  {
    name: 'refuses the second request beyond the limit without the wait header (W2)',
    changes: second((failure) => ({ ...failure, headers: {} })),
    caught: ['rate-limit.wait-header'],
    control: second((failure) => failure),
  },
  {
    name: 'refuses the second request beyond the limit with a page and a 429 (W3)',
    changes: {
      ...second((failure) => ({ ...failure, status: 429 })),
      writeError: (failure, asked) =>
        failure.status === 429 ? '<h1>Slow down</h1>' : sound.writeError(failure, asked),
    },
    caught: ['rate-limit.status', 'rate-limit.body'],
    control: {},
  },
  {
    name: 'refuses the second request beyond the limit with a 400 (E2)',
    changes: second((failure) => ({ ...failure, status: 400, headers: {} })),
    caught: ['rate-limit.parallel'],
    control: {},
  },
  {
    name: 'has no limit at all',
    changes: { hasLimit: false },
    caught: ['rate-limit.reached'],
    control: {},
  },
  // What cases provoke themselves
  ...(
    [
      ['BAD_PAYLOAD', 'broken JSON'],
      ['NO_FILE', 'a file without a session'],
      ['NO_POST', 'a POST without a session'],
    ] as const
  ).map(([code, what]) => ({
    name: `answers ${what} with the page of its framework (E1)`,
    changes: {
      ...ownCodes,
      writeError: (failure: Failure, asked: Asked) =>
        failure.code === code ? '<h1>Error</h1>' : sound.writeError(failure, asked),
    },
    caught: ['errors.body'],
    control: ownCodes,
  })),
  {
    name: 'quotes the session in the refusal of broken JSON (E5)',
    changes: {
      ...ownCodes,
      ...quoting('BAD_PAYLOAD', 'x-session'),
    },
    caught: ['secrets.session'],
    control: { ...ownCodes, ...quoting('BAD_PAYLOAD', 'x-none') },
  },
  {
    name: 'quotes `authorization` in the refusal of a request without a session (E5)',
    changes: quoting('NO_SESSION', 'authorization'),
    caught: ['secrets.credentials'],
    control: quoting('NO_SESSION', 'x-none'),
  },
  {
    name: 'quotes a dead session at one route only (E5)',
    changes: {
      deadSession: ({ path, headers }) => ({
        ...answered(401)(),
        message: `It has ended${path === '/secret' ? `: ${headers['x-session']}` : ''}`,
      }),
    },
    caught: ['secrets.dead-session'],
    control: { deadSession: answered(401) },
  },
  {
    name: 'writes a message without end (E8)',
    changes: only('NO_ISSUE', (failure) => ({ ...failure, message: 'long '.repeat(2000) })),
    caught: ['errors.detail-is-bounded'],
    control: only('NO_ISSUE', (failure) => ({ ...failure, message: 'long '.repeat(1600) })),
  },
  {
    name: 'has a route that looks for its resource before the session (E2)',
    changes: { missingSession: (asked) => (asked.path === '/issues/999' ? undefined : sound.missingSession(asked)) },
    caught: ['session.missing'],
    control: {
      missingSession: (asked) =>
        asked.path === '/issues/999' ? sound.unknownRoute(asked) : sound.missingSession(asked),
    },
  },
  {
    name: 'hands a file to a dead session (E2)',
    changes: { deadSession: (asked) => (asked.path === '/file' ? undefined : sound.deadSession(asked)) },
    caught: ['files.session'],
    control: { deadSession: (asked) => sound.deadSession(asked) },
  },
  {
    name: 'writes an error as a success (S1)',
    changes: { readable: answered(200) },
    caught: ['routes.readable'],
    control: {},
  },
  {
    name: 'names a charset that there is not (D1)',
    changes: { dataType: 'application/json; charset=utf-9' },
    caught: ['routes.body'],
    control: { dataType: 'application/json; charset=utf-8' },
  },
  {
    name: 'sends JSON as text (D1)',
    changes: { dataType: 'text/plain; charset=utf-8' },
    caught: ['routes.no-page'],
    control: { dataType: 'application/vnd.issues+json' },
  },
  {
    name: 'hands the login page of the end system through (D1)',
    changes: { dataType: 'text/html; charset=utf-8' },
    caught: ['routes.no-page'],
    control: { dataType: 'application/json; charset=utf-8' },
  },
  // Announced quotas
  {
    name: 'announces a quota that cannot be read (W8)',
    changes: { announcement: () => ({ 'ratelimit-policy': '100;w=60', ratelimit: 'limit=100, remaining=50' }) },
    caught: ['quota.readable'],
    control: { announcement: () => ({ 'ratelimit-policy': '"default";q=3;w=60', ratelimit: '"default";r=0;t=1' }) },
  },
  {
    name: 'announces a quota of bytes without saying how many (W8)',
    changes: { announcement: () => ({ 'ratelimit-policy': '"bytes";w=60' }) },
    caught: ['quota.readable'],
    control: { announcement: () => ({ 'ratelimit-policy': '"bytes";q=9;w=60;qu="content-bytes"' }) },
  },
  {
    name: 'does not announce its quota to a login (W8)',
    changes: { announcement: ({ path }) => (path === '/initialize' ? {} : { 'ratelimit-policy': '"a";q=3;w=60' }) },
    caught: ['quota.everywhere'],
    control: { announcement: () => ({ 'ratelimit-policy': '"a";q=3;w=60' }) },
  },
  {
    name: 'does not announce its quota when it refuses (W8)',
    changes: { announcement: (_asked, status) => (status === 403 ? {} : { ratelimit: '"a";r=1' }) },
    caught: ['quota.everywhere'],
    control: { announcement: (_asked, status) => ({ ratelimit: `"a";r=${status === 403 ? 0 : 1}` }) },
  },
  {
    name: 'announces the same rest of its quota with every response (W8)',
    changes: { announcement: () => ({ ratelimit: '"a";r=30;t=1, "b";r=100;t=60' }) },
    caught: ['quota.kept'],
    control: { announcement: () => ({ ratelimit: '"a";r=0;t=1, "b";r=100;t=60' }) },
  },
  {
    name: 'refuses before the announced quota is used up (W8)',
    changes: { announcement: () => ({ 'ratelimit-policy': '"a";q=10000;w=60, "b";q=20000;w=3600' }) },
    caught: ['quota.kept'],
    control: { announcement: () => ({ 'ratelimit-policy': '"a";q=10000;w=60, "b";q=3;w=3600' }) },
  },
  // Connections
  {
    name: 'serves one connection at a time (G1)',
    changes: { servesAllConnections: false },
    caught: ['connections.parallel'],
    control: {},
    timeoutMs: 5000,
  },
  {
    name: 'leaves the body of a refused POST unread (S4)',
    changes: { leavesBodies: true },
    caught: ['session.refused-post'],
    control: {},
  },
  {
    name: 'does not read a body in chunks (D2)',
    changes: { readsChunks: false },
    caught: ['session.chunked-body'],
    control: { readsChunks: true },
  },
  // Sessions
  {
    name: 'takes one request of a session at a time (S3)',
    changes: { sharesSessions: false },
    caught: ['session.parallel'],
    control: {},
  },
  {
    name: 'gives simultaneous requests the responses of each other (S3)',
    changes: { mixesUp: true },
    caught: ['session.parallel'],
    control: {
      unknownResource: () => ({ ...answered(404)(), detail: crypto.randomUUID() }), // never the same
    },
  },
  {
    name: 'marks nothing of the session as sensitive (E5)',
    changes: { session: (id) => [{ key: 'x-session', value: id, sensitive: false }] },
    caught: ['session.sensitive'],
    control: {
      session: (id) => [
        { key: 'x-session', value: id, sensitive: true },
        { key: 'x-org', value: 'a', sensitive: false },
      ],
    },
  },
  {
    name: 'refuses the third login with a 403 that is no limit (W2)',
    changes: { mostLogins: 2 },
    caught: ['logins.repeated'],
    control: { mostLogins: 20 },
  },
  {
    name: 'answers 200 without a session (E2)',
    changes: { missingSession: () => undefined },
    caught: ['session.missing', 'session.refused-post'],
    control: {},
  },
  ...(
    [
      ['a resource that is denied', /^GET .secret$/, undefined],
      ['HEAD', /^HEAD /, undefined],
      ['POST', /^POST /, 'session.refused-post'],
    ] as const
  ).flatMap(([what, request, caught]) => {
    const open = (refuse: (asked: Asked) => Failure | undefined) => (asked: Asked) =>
      request.test(`${asked.method} ${asked.path}`) ? undefined : refuse(asked);
    const missing = {
      name: `asks for no session at ${what} (E2)`,
      changes: { missingSession: open(sound.missingSession) },
      caught: [caught ?? 'session.missing'],
      control: {},
    };
    // A body may be checked before the session is looked up.
    if (caught !== undefined) return missing;
    return [
      missing,
      {
        name: `takes any session at ${what} (E2)`,
        changes: { deadSession: open(sound.deadSession) },
        caught: ['session.dead'],
        control: {},
      },
    ];
  }),
  {
    name: 'answers 403 without a session (E2)',
    changes: { missingSession: answered(403) },
    caught: ['session.missing', 'session.refused-post'],
    control: { missingSession: answered(401) },
  },
  {
    name: 'takes any session (E2)',
    changes: { deadSession: () => undefined },
    caught: ['session.dead', 'session.expired', 'files.session', 'cleanup.ends-session'],
    control: {},
  },
  {
    name: 'answers 400 to a dead session (E2)',
    changes: { deadSession: answered(400) },
    caught: ['session.dead', 'session.expired', 'files.session', 'cleanup.ends-session'],
    control: { deadSession: answered(401) },
  },
  { name: 'never lets a session expire (S4)', changes: { expires: false }, caught: ['session.expired'], control: {} },
  {
    name: 'hands out no session that works the second time (S4)',
    changes: { newSessionsWork: false },
    caught: ['session.renewal'],
    control: { newSessionsWork: true },
  },
  {
    name: 'hands out the session as a number (S1)',
    changes: { session: () => 7 },
    caught: ['session.answer'],
    control: {},
  },
  {
    name: 'hands out entries without `sensitive` (S1)',
    changes: { session: (id) => [{ key: 'x-session', value: id }] },
    caught: ['session.answer'],
    control: { session: (id) => [{ key: 'x-session', value: id, sensitive: true }] },
  },
  {
    name: 'hands out a value that is no text (S1)',
    changes: {
      session: (id) => [
        { key: 'x-session', value: id, sensitive: true },
        { key: 'x-org', value: 7, sensitive: false },
      ],
    },
    caught: ['session.answer'],
    control: {
      session: (id) => [
        { key: 'x-session', value: id, sensitive: true },
        { key: 'x-org', value: '7', sensitive: false },
      ],
    },
  },
  {
    name: 'hands out the session as a plain object (S1)',
    changes: { session: (id) => ({ 'x-session': id }) },
    caught: ['session.answer-is-array'],
    control: {},
  },
  {
    name: 'hands out a header with a line break (S2)',
    changes: { session: (id) => [{ key: 'x-session', value: `${id}\r\nx-admin: 1`, sensitive: true }] },
    caught: ['session.header-safe'],
    control: {},
  },
  {
    name: 'hands out the header Host (S2)',
    changes: {
      session: (id) => [
        { key: 'x-session', value: id, sensitive: true },
        { key: 'Host', value: 'h', sensitive: false },
      ],
    },
    caught: ['session.header-safe'],
    control: {
      session: (id) => [
        { key: 'x-session', value: id, sensitive: true },
        { key: 'x-host', value: 'h', sensitive: false },
      ],
    },
  },
  ...[' acme', 'acme ', 'acme\t'].map((value) => ({
    name: `hands out the value ${JSON.stringify(value)}, which a header loses (S2)`,
    changes: {
      session: (id: string) => [
        { key: 'x-session', value: id, sensitive: true },
        { key: 'x-tenant', value, sensitive: false },
      ],
    },
    caught: ['session.header-safe'],
    control: {
      session: (id: string) => [
        { key: 'x-session', value: id, sensitive: true },
        { key: 'x-tenant', value: 'ac me', sensitive: false },
      ],
    },
  })),
  {
    name: 'hands out a header twice (S2)',
    changes: {
      session: (id) => [
        { key: 'x-session', value: id, sensitive: true },
        { key: 'X-Session', value: id, sensitive: true },
      ],
    },
    caught: ['session.header-safe'],
    control: {},
  },
  {
    name: 'fails at logging in (S1)',
    changes: { initializeStatus: 500 },
    caught: ['session.initialize'],
    control: { initializeStatus: 201 },
  },
  {
    name: 'logs in with a wrong password (S5)',
    changes: { refuseLogin: () => undefined },
    caught: ['session.wrong-password'],
    control: {},
  },
  {
    name: 'answers 500 to a wrong password (S5)',
    changes: { refuseLogin: answered(500) },
    caught: ['session.wrong-password', 'validation.initialize-parameters'],
    control: { refuseLogin: answered(400) },
  },
  {
    name: 'answers a wrong password with a rate limit (S5)',
    changes: { refuseLogin: limitedLogin },
    caught: ['session.wrong-password', 'validation.initialize-parameters', 'errors.no-wait-header'],
    control: { refuseLogin: answered(403) },
  },
  // Requests that are wrong
  {
    name: 'answers 500 to broken JSON for initialize (E2)',
    changes: { brokenJson: answered(500) },
    caught: ['validation.initialize-broken-json'],
    control: { brokenJson: answered(400) },
  },
  {
    name: 'answers 500 to parameters that are none (S1)',
    changes: { brokenParameters: answered(500) },
    caught: ['validation.initialize-parameters'],
    control: { brokenParameters: answered(401) },
  },
  {
    name: 'answers 500 to a login without the password (S5)',
    changes: { refuseLogin: withoutPassword(500) },
    caught: ['validation.initialize-parameters'],
    control: { refuseLogin: withoutPassword(403) },
  },
  {
    name: 'answers 404 to a login without the password (S5)',
    changes: { refuseLogin: withoutPassword(404) },
    caught: ['validation.initialize-parameters'],
    control: { refuseLogin: ({ body }) => (body.includes('password') ? sound.refuseLogin({} as never) : undefined) },
  },
  {
    name: 'answers a login without the password in a body of its own (E1)',
    changes: {
      refuseLogin: withoutPassword(400),
      writeError: (failure, asked) => (failure.code === 'WRONG' ? '{}' : sound.writeError(failure, asked)),
    },
    caught: ['errors.body'],
    control: { refuseLogin: withoutPassword(400) },
  },
  {
    name: 'answers 422 to an invalid payload (E2)',
    changes: { invalidPayload: answered(422) },
    caught: ['validation.payload'],
    control: { invalidPayload: answered(400) },
  },
  {
    name: 'takes an invalid payload (E2)',
    changes: { invalidPayload: () => undefined },
    caught: ['validation.payload'],
    control: {},
  },
  {
    name: 'answers 500 to broken JSON (E2)',
    changes: { brokenPayload: answered(500) },
    caught: ['validation.broken-json'],
    control: { brokenPayload: answered(400) },
  },
  // Routes
  {
    name: 'fails at a request that is right (S1)',
    changes: { readable: answered(500) },
    caught: ['routes.readable'],
    control: {},
  },
  {
    name: 'answers 200 for a resource that is not there (E2)',
    changes: { unknownResource: () => undefined },
    caught: ['routes.unknown-resource'],
    control: {},
  },
  {
    name: 'answers 400 for a resource that is not there (E2)',
    changes: { unknownResource: answered(400) },
    caught: ['routes.unknown-resource'],
    control: { unknownResource: answered(404) },
  },
  {
    name: 'answers 200 to an unknown route (E2)',
    changes: { unknownRoute: () => undefined },
    caught: ['routes.unknown-route'],
    control: {},
  },
  {
    name: 'answers 401 to an unknown route in spite of a session (E2)',
    changes: { unknownRoute: answered(401) },
    caught: ['routes.unknown-route'],
    control: { unknownRoute: ({ headers }) => answered(headers['x-session'] === undefined ? 401 : 404)() },
  },
  {
    name: 'answers a denial with 401 (E2)',
    changes: { denial: answered(401) },
    caught: ['routes.denial'],
    control: { denial: answered(403) },
  },
  {
    name: 'tells a failure as a success (E4)',
    changes: { defect: () => undefined },
    caught: ['routes.failure'],
    control: { defect: answered(500) },
  },
  { name: 'fails at HEAD (E2)', changes: { head: 500 }, caught: ['routes.head'], control: { head: 405 } },
  { name: 'fails at OPTIONS (E2)', changes: { options: 500 }, caught: ['routes.options'], control: { options: 405 } },
  {
    name: 'answers 500 to a huge body (E4)',
    changes: { huge: answered(500) },
    caught: ['routes.huge-body'],
    control: { huge: () => 'close' },
  },
  {
    name: 'never answers a huge body (E4)',
    changes: { huge: () => 'hang' },
    caught: ['routes.huge-body'],
    control: { huge: answered(400) },
  },
  {
    name: 'echoes the session in an error (E5)',
    changes: {
      writeError: (failure, asked) =>
        sound.writeError({ ...failure, detail: `with ${asked.headers['x-session']}` }, asked),
    },
    caught: ['secrets.dead-session', 'secrets.session'],
    control: { writeError: (failure, asked) => sound.writeError({ ...failure, detail: 'with x-session' }, asked) },
  },
  {
    name: 'echoes a session that it refuses (E5)',
    changes: {
      writeError: (failure, asked) =>
        sound.writeError(
          failure.code === 'SESSION_ENDED' ? { ...failure, detail: `${asked.headers['x-session']}` } : failure,
          asked,
        ),
    },
    caught: ['secrets.dead-session'],
    control: { writeError: (failure, asked) => sound.writeError({ ...failure, detail: 'with x-session' }, asked) },
  },
  {
    name: 'echoes broken JSON (E5)',
    changes: {
      writeError: (failure, asked) =>
        sound.writeError(
          failure.code === 'BAD_JSON' ? { ...failure, detail: asked.body.slice(0, 500) } : failure,
          asked,
        ),
    },
    caught: ['secrets.broken-json'],
    control: {
      writeError: (failure, asked) =>
        sound.writeError(
          failure.code === 'BAD_JSON' ? { ...failure, detail: asked.body.slice(0, 20) } : failure,
          asked,
        ),
    },
  },
  {
    name: 'quotes what its parser says of broken JSON (E5)',
    changes: {
      writeError: (failure, asked) =>
        sound.writeError(failure.code === 'BAD_JSON' ? { ...failure, detail: whatIsBroken(asked) } : failure, asked),
    },
    caught: ['secrets.broken-json'],
    control: only('BAD_JSON', (failure) => ({ ...failure, detail: 'SyntaxError: Unexpected token at position 103' })),
  },
  {
    name: 'echoes the wrong password (E5)',
    changes: { refuseLogin: ({ body }) => ({ ...sound.refuseLogin({} as never)!, detail: body }) },
    caught: ['secrets.parameters'],
    control: { refuseLogin: () => ({ ...sound.refuseLogin({} as never)!, detail: 'alice' }) },
  },
  ...(
    [
      ['inside Basic credentials', `Basic ${base64(`alice:${wrongPassword}`)}`],
      ['in base64', `/login/${base64(wrongPassword)}`],
      ['inside base64url', `?${base64(JSON.stringify({ user: 'al', password: wrongPassword }), 'base64url')}`],
      ['as a URL writes it', `/login?pw=${encodeURIComponent(wrongPassword)}`],
      [
        'in small letters of a URL',
        `/login?pw=${encodeURIComponent(wrongPassword).replace(/%../g, (byte) => byte.toLowerCase())}`,
      ],
      ['as JSON in ASCII writes it', JSON.stringify(wrongPassword).replace('é', '\\u00e9')],
    ] as const
  ).map(([where, detail]) => ({
    name: `echoes the wrong password ${where} (E5)`,
    changes: { refuseLogin: () => ({ ...sound.refuseLogin({} as never)!, detail }) },
    caught: ['secrets.parameters'],
    control: {
      refuseLogin: () => ({ ...sound.refuseLogin({} as never)!, detail: `Basic ${base64('alice:another-password')}` }),
    },
  })),
  {
    name: 'echoes the session in base64 (E5)',
    changes: {
      writeError: (failure, asked) => {
        const detail = `token ${base64(`${asked.headers['x-session']}`)}`;
        return sound.writeError(failure.code === 'NO_ISSUE' ? { ...failure, detail } : failure, asked);
      },
    },
    caught: ['secrets.session'],
    control: {},
  },
  ...(
    [
      ['as it is', `password=${goodPassword}`],
      ['as a URL writes it', `GET /?pw=${goodPassword.replaceAll('-', '%2D')}`],
    ] as const
  ).map(([where, detail]) => ({
    name: `quotes the password of the login in a failure, ${where} (E5)`,
    changes: only('END_SYSTEM_DOWN', (failure) => ({ ...failure, detail })),
    caught: ['secrets.session'],
    control: only('END_SYSTEM_DOWN', (failure) => ({ ...failure, detail: 'alice, password=[redacted]' })),
  })),
  ...(['authorization', 'cookie', 'x-api-key'] as const).map((name) => ({
    name: `echoes ${name} in an error (E5)`,
    changes: {
      writeError: (failure: Failure, asked: { headers: Record<string, string> }) =>
        sound.writeError({ ...failure, detail: `${asked.headers[name]}` }, asked as never),
    },
    caught: ['secrets.credentials'],
    control: { writeError: (failure: Failure) => sound.writeError({ ...failure, detail: name }, {} as never) },
  })),
  // Files
  {
    name: 'hands out a file that was read as text (D1)',
    changes: { file: (asked) => asText(fileAnswer(asked)) },
    caught: ['files.bytes'],
    control: file(({ body }) => ({ body: Buffer.from(body as Buffer) })),
  },
  {
    name: 'breaks off in the middle of a file (D2)',
    changes: file(({ body }) => ({ body: (body as Buffer).subarray(0, 400), breaks: true })),
    caught: ['files.whole'],
    control: file(({ headers: { 'content-length': _, ...headers } }) => ({ headers })),
  },
  {
    name: 'compresses a file for everybody (D2)',
    changes: file(({ headers: { 'content-length': _, ...headers }, body }) => ({
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: gzipSync(body),
    })),
    caught: ['files.whole'],
    control: file(({ headers }) => ({ headers: { ...headers, 'content-encoding': 'identity' } })),
  },
  {
    name: 'calls a picture JSON (D1)',
    changes: file(({ headers }) => ({ headers: { ...headers, 'content-type': 'application/json' } })),
    caught: ['files.content-type'],
    control: file(({ headers }) => ({ headers: { ...headers, 'content-type': 'Image/PNG; name=x' } })),
  },
  {
    name: 'answers the whole file as its rest (D2)',
    changes: {
      file: (asked) => ({ ...fileAnswer({ headers: {} }), status: asked.headers.range === undefined ? 200 : 206 }),
    },
    caught: ['files.range'],
    control: { file: () => fileAnswer({ headers: {} }) },
  },
  {
    name: 'hands out a file to anybody (E2)',
    changes: { fileWithoutSession: () => undefined },
    caught: ['files.session'],
    control: { fileWithoutSession: answered(401) },
  },
  // Cleaning up
  {
    name: 'fails at cleanup (S1)',
    changes: { cleanupStatus: 500 },
    caught: ['cleanup.answers'],
    control: { cleanupStatus: 200 },
  },
  {
    name: 'says that there is a body in a 204 (D1)',
    changes: { cleanupHeaders: { 'content-length': '11' } },
    caught: ['responses.no-content'],
    control: { cleanupHeaders: { 'content-length': '0' } },
  },
  {
    name: 'keeps the session after cleanup (S1)',
    changes: { cleanupEndsSession: false },
    caught: ['cleanup.ends-session'],
    control: {},
  },
  {
    name: 'fails at cleanup with a session that is over (S1)',
    changes: { cleanupOfDeadSession: 500 },
    caught: ['cleanup.dead-session'],
    control: { cleanupOfDeadSession: 204 },
  },
  ...[400, 403, 404].flatMap((status) => [
    {
      name: `answers ${status} to cleanup with a session that is over (S1)`,
      changes: { cleanupOfDeadSession: status },
      caught: ['cleanup.dead-session'],
      control: { cleanupOfDeadSession: 401 },
    },
    {
      name: `answers ${status} to cleanup without a session (E2)`,
      changes: { cleanupWithoutSession: status },
      caught: ['cleanup.without-session'],
      control: { cleanupWithoutSession: 401 },
    },
  ]),
  {
    name: 'ends every session at cleanup (S1)',
    changes: { cleanupEndsOthers: true },
    caught: ['cleanup.other-sessions'],
    control: { keepsOlderSessions: false },
  },
  {
    name: 'ends the only session of an account at the cleanup of an older one (S1)',
    changes: { keepsOlderSessions: false, cleanupEndsOthers: true },
    caught: ['cleanup.other-sessions'],
    control: { keepsOlderSessions: false, cleanupOfDeadSession: 204 },
  },
  {
    name: 'fails at cleanup without a session (E2)',
    changes: { cleanupWithoutSession: 500 },
    caught: ['cleanup.without-session'],
    control: { cleanupWithoutSession: 204 },
  },
  // What its OpenAPI document does not allow
  {
    name: 'hands out a document of another version (E2)',
    changes: { document: () => ({ swagger: '2.0' }) },
    caught: ['openapi.document'],
    control: { document: () => ({ ...(sound.document() as object), openapi: '3.0.3' }) },
  },
  {
    name: 'has a route that asks for no session (E2)',
    changes: { documented: (asked) => (asked.headers['x-session'] ? sound.documented(asked) : undefined) },
    caught: ['openapi.session'],
    control: { documented: (asked) => (asked.headers['x-session'] ? sound.documented(asked) : answered(401)()) },
  },
  ...(
    [
      ['fails on', 500, 'openapi.server-error', 400],
      ['refuses with a 409', 409, 'openapi.refusal', 403],
    ] as const
  ).map(([what, status, caught, right]) => ({
    name: `${what} what its document does not allow (E2)`,
    changes: documentedAs(status),
    caught: [caught],
    control: documentedAs(right),
  })),
  {
    name: 'serves what its document does not allow (E2)',
    changes: { documented: (asked) => (asked.path.includes('limit=') ? undefined : sound.documented(asked)) },
    caught: ['openapi.refusal'],
    control: { documented: (asked) => sound.documented(asked) },
  },
  {
    name: 'writes the body of its framework for a wrong parameter (E1)',
    changes: {
      writeError: (failure, asked) =>
        failure.code === 'BAD_LIMIT' ? '<h1>Bad Request</h1>' : sound.writeError(failure, asked),
    },
    caught: ['openapi.body'],
    control: { writeError: (failure, asked) => sound.writeError(failure, asked) },
  },
];

async function report(
  changes: Partial<Decisions>,
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  timeoutMs?: number,
) {
  const { baseUrl, config } = await modelConnector(changes, onTestFinished);
  return runConformance({ baseUrl, ...config, timeoutMs: timeoutMs ?? config.timeoutMs });
}

const reported = ({ results }: Awaited<ReturnType<typeof report>>) =>
  results.filter(({ status }) => status === 'failed' || status === 'warning').map(({ id }) => id);

describe.concurrent('a connector that', () => {
  for (const { name, changes, caught, control, timeoutMs } of mutants) {
    it(`${name} is caught`, async (context) => {
      expect(reported(await report(changes, context, timeoutMs)).sort()).toEqual([...caught].sort());
    });
    if (Object.keys(control).length > 0) {
      it(`${name} is caught, and its control is not`, async (context) => {
        expect(reported(await report(control, context))).toEqual([]);
      });
    }
  }
});

describe('the model connector', () => {
  it('keeps every rule, and every case looks at it (control of all mutants)', async (context) => {
    const { results, ok } = await report({}, context);
    expect(results.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(ok).toBe(true);
  });

  it('without a limit, passes nothing that is about refusals', async (context) => {
    const { results } = await report({ hasLimit: false }, context);
    const passed = results.filter(({ id, status }) => id.startsWith('rate-limit.') && status === 'passed');
    expect(passed.map(({ id }) => id)).toEqual(['rate-limit.speed', 'rate-limit.wait-unit']);
  });

  it('has a mutant for every case', async (context) => {
    const { results } = await report({}, context);
    const caught = new Set(mutants.flatMap((mutant) => mutant.caught));
    expect(results.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
  });
});
