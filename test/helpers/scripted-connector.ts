import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** One request as it arrived, and the means to answer it in every way, good or bad. */
export interface Exchange {
  /** 1 for the first request of its sort (login or not), 2 for the second … */
  readonly number: number;
  readonly method: string;
  /** Path and query as they were sent. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: string[];
  readonly body: Buffer;
  /** The value of `x-session`, when there is one. */
  readonly session: string | undefined;
  readonly socket: Socket;
  readonly response: ServerResponse;
  /** Answers; anything but text and bytes becomes JSON. */
  reply(status: number, body?: unknown, headers?: Record<string, string | string[]>): void;
  /** Answers with a contract body. */
  fail(status: number, code: string, message: string, headers?: Record<string, string | string[]>): void;
  /** Answers 403 with the wait header. */
  limit(wait: string | number, header?: string): void;
  /** Sends these very bytes and leaves the connection open. */
  raw(bytes: string): void;
  /** Ends the connection without an answer. */
  drop(): void;
}

export type Handler = (exchange: Exchange) => unknown;

export interface ScriptedConnectorOptions {
  /** Answers logins. @default hands out `session-1`, `session-2` … as `x-session` */
  initialize?: Handler;
  initializePath?: string;
  /** Answers all else. @default 200 with method, path and session */
  handle?: Handler;
  /** Whether requests without a living session are refused before `handle`. @default true */
  guard?: boolean;
  /** Whether `handle` gets the request before its body has arrived; `body` is then empty. @default false */
  early?: boolean;
}

/** A connector of bare node:http for tests to script, on a free port, closed when the test ends. */
export async function scriptedConnector(options: ScriptedConnectorOptions = {}) {
  const initializePath = options.initializePath ?? '/initialize';
  const logins: Exchange[] = [];
  const requests: Exchange[] = [];
  const sockets = new Set<Socket>();
  const alive = new Set<string>();
  const connector = {
    url: '',
    /** Calls of initialize, in the order of their arrival. */
    logins,
    /** All other requests, in the order of their arrival. */
    requests,
    sockets,
    /** The sessions that the guard lets pass. */
    alive,
    /** Requests that have arrived and are not answered yet. */
    get open() {
      return [...logins, ...requests].filter(({ response }) => !response.writableEnded && !response.destroyed);
    },
    /** Changes the answers from here on. */
    set handle(handler: Handler) {
      handle = handler;
    },
    set initialize(handler: Handler) {
      initialize = handler;
    },
    logIn,
    expireSessions: () => alive.clear(),
    close,
  };
  let handle: Handler = options.handle ?? echo;
  let initialize: Handler = options.initialize ?? logIn;

  function logIn(exchange: Exchange) {
    const session = `session-${exchange.number}`;
    alive.add(session);
    exchange.reply(200, [{ key: 'x-session', value: session, sensitive: true }]);
  }

  const server = createServer(async (message, response) => {
    response.sendDate = false;
    message.on('error', () => {});
    response.on('error', () => {});
    const isLogin = new URL(message.url ?? '/', 'http://connector').pathname.endsWith(initializePath);
    const body = options.early && !isLogin ? Buffer.alloc(0) : await read(message);
    const list = isLogin ? logins : requests;
    const exchange = toExchange(message, response, body, list.length + 1);
    list.push(exchange);
    if (isLogin) return initialize(exchange);
    if (options.guard !== false && !alive.has(exchange.session ?? '')) {
      return exchange.fail(401, 'SESSION_EXPIRED', 'The session is not known');
    }
    return handle(exchange);
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  connector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(close);

  async function close() {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
  return connector;
}

export type ScriptedConnector = Awaited<ReturnType<typeof scriptedConnector>>;

function echo(exchange: Exchange) {
  exchange.reply(200, { method: exchange.method, path: exchange.path, session: exchange.session });
}

async function read(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk);
  } catch {
    // The client went away in the middle: what has arrived is what there is.
  }
  return Buffer.concat(chunks);
}

function toExchange(message: IncomingMessage, response: ServerResponse, body: Buffer, number: number): Exchange {
  const exchange: Exchange = {
    number,
    method: message.method ?? '',
    path: message.url ?? '',
    headers: message.headers,
    rawHeaders: message.rawHeaders,
    body,
    session: message.headers['x-session'] as string | undefined,
    socket: message.socket,
    response,
    reply(status, content, headers = {}) {
      const isRaw = typeof content === 'string' || content instanceof Uint8Array || content === undefined;
      response.writeHead(status, { ...(isRaw ? {} : { 'content-type': 'application/json' }), ...headers });
      response.end(isRaw ? content : JSON.stringify(content));
    },
    fail(status, code, text, headers) {
      exchange.reply(status, { errors: { code, message: text } }, headers);
    },
    limit(wait, header = 'retry-after') {
      exchange.fail(403, 'RATE_LIMITED', 'Too many calls', { [header]: String(wait) });
    },
    raw(bytes) {
      message.socket.write(bytes);
    },
    drop() {
      message.socket.destroy();
    },
  };
  return exchange;
}

/** Answers with a contract body until told otherwise: exchanges wait here until a test lets them go. */
export function holdAll() {
  const held: Exchange[] = [];
  return {
    held,
    handler: (exchange: Exchange) => {
      held.push(exchange);
    },
    /** Answers everything held so far. */
    release(answer: Handler) {
      for (const exchange of held.splice(0)) answer(exchange);
    },
  };
}
