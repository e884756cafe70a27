import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { ConformanceConfig } from 'concordat/conformance';
import { onTestFinished } from 'vitest';

export const goodPassword = 'canary-good-password';
/** It is written in other ways in JSON, in URLs and in base64. */
export const wrongPassword = 'canary-wrong pass/word é';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
  /** Ends the connection when the body has gone out. */
  breaks?: boolean;
}

export interface Asked {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** What went wrong, before it is written. */
export interface Failure {
  status: number;
  code: string;
  message: string;
  detail?: string;
  headers?: Record<string, string>;
}

/** No text decoder leaves it as it is. */
const fileContent = Buffer.from(Array.from({ length: 1000 }, (_, index) => (index * 7) % 256));

/** A file, or the part of it that was asked for. */
export function fileAnswer({ headers }: Pick<Asked, 'headers'>): Answer {
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
  const body = fileContent.subarray(from);
  const about = { 'content-type': 'image/png', 'content-length': String(body.length), etag: '"1"' };
  if (from === 0) return { status: 200, headers: about, body };
  return { status: 206, headers: { ...about, 'content-range': `bytes ${from}-999/1000` }, body };
}

const modelDocument = {
  openapi: '3.1.0',
  security: [{ session: [] }],
  paths: {
    '/documented/{number}': {
      get: {
        parameters: [
          { name: 'number', in: 'path', required: true, schema: { type: 'integer' } },
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
        ],
      },
    },
  },
};

/** Every decision of a connector that keeps the contract. A mutant replaces one. */
export const soundDecisions = {
  /** The body of an error. */
  writeError: ({ code, message, detail }: Failure, _asked: Asked): string | Buffer =>
    JSON.stringify({ errors: { code, message, detail } }),
  errorType: 'application/json; charset=utf-8',
  /** Changes a failure as a whole. */
  failure: (failure: Failure, _asked: Asked): Failure => failure,
  /** What initialize answers with. */
  session: (id: string): unknown => [{ key: 'x-session', value: id, sensitive: true }],
  initializeStatus: 200,
  /** How wrong credentials are refused. */
  refuseLogin: (_asked: Asked): Failure | undefined => ({
    status: 401,
    code: 'WRONG_PASSWORD',
    message: 'The password is wrong',
  }),
  brokenJson: (): Failure => ({ status: 400, code: 'BAD_JSON', message: 'The body is no JSON' }),
  brokenParameters: (): Failure => ({ status: 400, code: 'BAD_PARAMETERS', message: 'The parameters are none' }),
  missingSession: (_asked: Asked): Failure | undefined => ({
    status: 401,
    code: 'NO_SESSION',
    message: 'There is no session',
  }),
  deadSession: (_asked: Asked): Failure | undefined => ({
    status: 401,
    code: 'SESSION_ENDED',
    message: 'The session has ended',
  }),
  expires: true,
  /** How many logins there may be. */
  mostLogins: Number.POSITIVE_INFINITY,
  /** Whether requests of one session may be in flight at the same time. */
  sharesSessions: true,
  /** Whether requests in flight at the same time all get what the last of them asked for. */
  mixesUp: false,
  /** Whether connections other than the first are served. */
  servesAllConnections: true,
  /** Whether the body of a refused POST is left unread, so that the next request on its connection begins with it. */
  leavesBodies: false,
  /** Whether bodies without a length are read. */
  readsChunks: true,
  keepsOlderSessions: true,
  newSessionsWork: true,
  unknownRoute: (_asked: Asked): Failure | undefined => ({
    status: 404,
    code: 'NO_ROUTE',
    message: 'There is no such route',
  }),
  unknownResource: (): Failure | undefined => ({
    status: 404,
    code: 'NO_ISSUE',
    message: 'There is no such issue',
    detail: 'issue 999',
  }),
  invalidPayload: (): Failure | undefined => ({ status: 400, code: 'BAD_ISSUE', message: 'title is missing' }),
  brokenPayload: (): Failure => ({ status: 400, code: 'BAD_JSON', message: 'The body is no JSON' }),
  denial: (): Failure | undefined => ({ status: 403, code: 'DENIED', message: 'This is not for you' }),
  defect: (): Failure | undefined => ({
    status: 502,
    code: 'END_SYSTEM_DOWN',
    message: 'The end system does not answer',
  }),
  hasLimit: true,
  /** How a request beyond the limit is refused; `count` is 4 for the first of them. */
  limit: (wait: number, _count: number): Failure => ({
    status: 403,
    code: 'TOO_MANY',
    message: 'Slow down',
    headers: { 'x-wait-ms': String(wait) },
  }),
  readable: (): Failure | undefined => undefined,
  /** The content type of a success. */
  dataType: 'application/json',
  file: fileAnswer,
  /** What the route of the file answers without a session. */
  fileWithoutSession: (): Failure | undefined => ({ status: 401, code: 'NO_SESSION', message: 'There is no session' }),
  head: 200,
  options: 204,
  /** What becomes of a body that is too large. */
  huge: (): Failure | 'hang' | 'close' => ({ status: 413, code: 'TOO_LARGE', message: 'The body is too large' }),
  diesOfHugeBody: false,
  cleanupStatus: 204,
  cleanupHeaders: {} as Record<string, string>,
  cleanupEndsSession: true,
  cleanupEndsOthers: false,
  cleanupOfDeadSession: 401,
  cleanupWithoutSession: 401,
  /** What a request below the limit meets, by its number. */
  belowLimit: (_count: number): Failure | undefined => undefined,
  /** What another request meets while the limit holds. */
  elsewhereAtLimit: (_wait: number): Failure | undefined => undefined,
  limitedTakesMs: 0,
  limitEnds: true,
  document: (): unknown => modelDocument,
  /** What the route of the document answers, which asks for a session by itself. */
  documented: ({ headers, path }: Asked): Failure | undefined => {
    if (headers['x-session'] === undefined) return { status: 401, code: 'NO_SESSION', message: 'There is no session' };
    if (!/^\/documented\/\d+(?:\?|$)/.test(path))
      return { status: 404, code: 'NO_DOCUMENT', message: 'There is no such document' };
    return /limit=\D/.test(path) ? { status: 400, code: 'BAD_LIMIT', message: 'limit is no number' } : undefined;
  },
  /** What answers tell about the quota. */
  announcement: (_asked: Asked, _status: number): Record<string, string> => ({}),
};
export type Decisions = typeof soundDecisions;

const largestBody = 1024 * 1024;
const waitMs = 20;

/**
 * A connector of plain node:http, sound but for what `changes` replaces; closed when the test ends. Tests that run at the same
 * time have to hand in the `onTestFinished` of their own: the global one belongs to whichever test began last.
 */
export async function modelConnector(changes: Partial<Decisions> = {}, whenFinished = onTestFinished) {
  const decide: Decisions = { ...soundDecisions, ...changes };
  const sessions = new Set<string>();
  let logins = 0;
  let dead = false;
  let count = 0;
  let blockedUntil: number | undefined;

  const refusedMethod: Failure = { status: decide.options, code: 'NO_METHOD', message: 'There is no such method' };

  function fail(failure: Failure, asked: Asked): Answer {
    const changed = decide.failure(failure, asked);
    return {
      status: changed.status,
      headers: { ...(decide.errorType === '' ? {} : { 'content-type': decide.errorType }), ...changed.headers },
      body: decide.writeError(changed, asked),
    };
  }

  const succeed = (value: unknown, status = 200): Answer => ({
    status,
    headers: { 'content-type': decide.dataType },
    body: status === 204 ? '' : JSON.stringify(value),
  });

  const either = (failure: Failure | undefined, asked: Asked) =>
    failure === undefined ? succeed({ number: 1 }) : fail(failure, asked);

  function initialize(asked: Asked): Answer {
    const value = parse(asked.body);
    if (value === undefined) return fail(decide.brokenJson(), asked);
    if (!Array.isArray(value) || !value.every((entry) => typeof entry?.key === 'string')) {
      return fail(decide.brokenParameters(), asked);
    }
    const password = value.find(({ key }) => key === 'password')?.value;
    const refusal = password === goodPassword ? undefined : decide.refuseLogin(asked);
    if (refusal !== undefined) return fail(refusal, asked);
    logins++;
    if (logins > decide.mostLogins) return fail({ status: 403, code: 'LOCKED', message: 'Too many logins' }, asked);
    const id = `canary-session-${logins}-${crypto.randomUUID()}`;
    if (!decide.keepsOlderSessions) sessions.clear();
    if (decide.newSessionsWork || logins === 1) sessions.add(id);
    return succeed(decide.session(id), decide.initializeStatus);
  }

  // The wait begins with the first refusal, so that a slow machine reaches the limit, too.
  function limited(asked: Asked): Answer {
    const now = performance.now();
    // Not before all six of the kit have arrived, which a slow machine may stretch beyond the wait.
    if (blockedUntil !== undefined && now > blockedUntil && count >= 6 && decide.limitEnds) {
      blockedUntil = undefined;
      count = -6; // those that a slow machine lets arrive after the wait must not use up what follows it
    }
    count++;
    if (count <= 3 || !decide.hasLimit) return either(decide.belowLimit(count), asked);
    blockedUntil ??= now + waitMs;
    return fail(decide.limit(Math.max(1, Math.ceil(blockedUntil - now)), count), asked);
  }

  function answer(asked: Asked): Answer {
    const { method, path } = asked;
    if (method === 'POST' && path === '/initialize') return initialize(asked);
    const session = asked.headers['x-session'];
    if (method === 'POST' && path === '/cleanup') {
      if (session === undefined) {
        const failure = { status: decide.cleanupWithoutSession, code: 'NO_SESSION', message: 'There is no session' };
        return failure.status < 400 ? succeed({}, failure.status) : fail(failure, asked);
      }
      const isOver = !sessions.has(session);
      if (decide.cleanupEndsOthers) sessions.clear();
      if (isOver && decide.cleanupEndsSession && decide.cleanupStatus < 300) {
        const over = { status: decide.cleanupOfDeadSession, code: 'SESSION_ENDED', message: 'The session has ended' };
        return over.status < 400 ? succeed({}, over.status) : fail(over, asked);
      }
      if (decide.cleanupEndsSession) sessions.delete(session);
      const done = succeed({}, decide.cleanupStatus);
      return { ...done, headers: { ...done.headers, ...decide.cleanupHeaders } };
    }
    if (path === '/openapi.json') return succeed(decide.document());
    if (path.startsWith('/documented/')) return either(decide.documented(asked), asked);
    if (path === '/file' && session === undefined) {
      const refusal = decide.fileWithoutSession();
      return refusal === undefined ? decide.file(asked) : fail(refusal, asked);
    }
    if (!/^\/(?:file|issues(?:\/\d+)?|secret|broken|limited)$/.test(path))
      return either(decide.unknownRoute(asked), asked);
    const refusal =
      session === undefined
        ? decide.missingSession(asked)
        : sessions.has(session)
          ? undefined
          : decide.deadSession(asked);
    if (refusal !== undefined) return fail(refusal, asked);
    if (path === '/file') return decide.file(asked);
    if (path === '/secret') return either(decide.denial(), asked);
    if (path === '/broken') return either(decide.defect(), asked);
    if (path === '/limited') return limited(asked);
    const elsewhere = blockedUntil === undefined || method !== 'POST' ? undefined : decide.elsewhereAtLimit(waitMs);
    if (elsewhere !== undefined) return fail(elsewhere, asked);
    if (path === '/issues/999') return either(decide.unknownResource(), asked);
    if (method === 'HEAD') return { status: decide.head, headers: {}, body: '' };
    if (method === 'OPTIONS') return decide.options < 400 ? succeed({}, decide.options) : fail(refusedMethod, asked);
    if (method === 'POST') {
      return either(parse(asked.body) === undefined ? decide.brokenPayload() : decide.invalidPayload(), asked);
    }
    return either(decide.readable(), asked);
  }

  const inUse = new Set<string>();
  const spoiled = new WeakSet<Socket>();
  let firstSocket: Socket | undefined;
  let lastAsked = '';

  /** The response to a request that shares its session or its connection with another, where that matters. */
  async function answerInTurn(asked: Asked, socket: Socket): Promise<Answer> {
    const { 'x-session': session } = asked.headers;
    if (spoiled.delete(socket)) return fail({ status: 501, code: 'X', message: 'There is no such method' }, asked);
    if (asked.path === '/limited' && decide.limitedTakesMs > 0) await setTimeout(decide.limitedTakesMs);
    if (decide.mixesUp) {
      lastAsked = asked.path;
      await setTimeout(20);
      return answer({ ...asked, path: lastAsked });
    }
    if (decide.sharesSessions || session === undefined || asked.path !== '/issues') return answer(asked);
    if (inUse.has(session)) return fail({ status: 401, code: 'IN_USE', message: 'The session is in use' }, asked);
    inUse.add(session);
    await setTimeout(150);
    inUse.delete(session);
    return answer(asked);
  }

  const server = createServer(async (request, response) => {
    if (dead) return void request.socket.destroy();
    firstSocket ??= request.socket;
    if (!decide.servesAllConnections && request.socket !== firstSocket) return;
    const asked = await read(request);
    if (!decide.readsChunks && asked.headers['transfer-encoding'] === 'chunked') asked.body = '';
    const huge = asked.body.length > largestBody ? decide.huge() : undefined;
    if (huge !== undefined && decide.diesOfHugeBody) dead = true;
    if (huge === 'hang') return;
    if (huge === 'close') return void request.socket.destroy();
    const given = huge === undefined ? await answerInTurn(asked, request.socket) : fail(huge, asked);
    const { status, headers, body, breaks } = given;
    if (decide.leavesBodies && status === 401 && asked.path === '/issues' && asked.body !== '')
      spoiled.add(request.socket);
    response.writeHead(status, { ...headers, ...decide.announcement(asked, status) });
    if (breaks) response.write(body, () => response.destroy());
    else response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenFinished(() => {
    server.closeAllConnections();
    server.close();
  });

  const config = {
    probes: {
      initialize: {
        parameters: [
          { key: 'user', value: 'alice', sensitive: false },
          { key: 'password', value: goodPassword, sensitive: true },
        ],
        wrongParameters: [
          { key: 'user', value: 'alice', sensitive: false },
          { key: 'password', value: wrongPassword, sensitive: true },
        ],
      },
      readable: '/issues',
      unknown: '/issues/999',
      invalid: { method: 'POST', path: '/issues', json: {} },
      forbidden: '/secret',
      failing: '/broken',
      file: {
        request: '/file',
        sha256: createHash('sha256').update(fileContent).digest('hex'),
        bytes: 1000,
        contentType: 'image/png',
      },
      limit: { request: '/limited', times: 12, concurrency: 6 },
      expire: { action: ({ 'x-session': id = '' }) => decide.expires && sessions.delete(id) },
      cleanup: {},
    },
    openapi: { document: '/openapi.json' },
    rateLimit: { header: 'x-wait-ms', format: 'milliseconds' },
    allowWrites: true,
    timeoutMs: 10_000,
    maxWaitMs: 500,
  } satisfies ConformanceConfig;
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, config };
}

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return { method: request.method ?? '', path: request.url ?? '', headers, body: Buffer.concat(chunks).toString() };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
