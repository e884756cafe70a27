import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { BadRequestError, ConnectorError } from '../../contract/index.js';
import { toResponse } from '../responses.js';
import { type AdapterOptions, createAdapterWriter } from './adapter-options.js';

/** A standard fetch handler: what `connector.fetch` is, and what Bun, Deno and Workers call. */
export type FetchHandler = (request: Request, ...rest: never[]) => Response | Promise<Response>;

export type NodeHandlerOptions = AdapterOptions<Request | undefined>;

/**
 * Makes a fetch handler a listener for `node:http`. What the handler throws is answered as the contract says; an answer
 * that fails after its headers went out ends its connection, and no other request notices.
 *
 * @throws TypeError naming the option that is wrong.
 * @example
 * createServer(toNodeHandler(async (request) => Response.json(await readIssues(request)))).listen(4000)
 */
export function toNodeHandler(
  fetchHandler: FetchHandler | { fetch: FetchHandler },
  options: NodeHandlerOptions = {},
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  const handler = typeof fetchHandler === 'function' ? fetchHandler : fetchHandler?.fetch;
  if (typeof handler !== 'function') {
    throw new TypeError('`fetchHandler` must be a function from a Request to a Response, or an object with `fetch`.');
  }
  const writer = createAdapterWriter(options);
  const fail = (thrown: unknown, request?: Request) =>
    toResponse(
      writer.write(thrown, request, (name) => request?.headers.get(name)),
      thrown,
    );
  const finish = (response: unknown, request: Request, outgoing: ServerResponse): Response => {
    if (!isResponse(response)) {
      return fail(new TypeError('The fetch handler returned something that is no Response.'), request);
    }
    return hasStream(response) ? guardStream(response, outgoing, (error) => writer.report(error, request)) : response;
  };
  const call = handler as unknown as (request: Request, env: unknown) => Response | Promise<Response>;

  return getRequestListener(
    (request, env) => {
      const outgoing = env.outgoing as ServerResponse;
      try {
        const response = call(request, env);
        if (!(response instanceof Promise)) return finish(response, request, outgoing);
        return response.then(
          (settled) => finish(settled, request, outgoing),
          (thrown) => fail(thrown, request),
        );
      } catch (thrown) {
        return fail(thrown, request);
      }
    },
    { errorHandler: (thrown) => fail(thrown instanceof RequestError ? toBadRequest(thrown) : thrown) },
  ) as (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;
}

/** Not `instanceof`: the node server puts a Response of its own in the global's place, and fetch still makes the other. */
function isResponse(value: unknown): value is Response {
  const response = value as Partial<Response> | undefined | null;
  return typeof response?.status === 'number' && typeof response.headers?.get === 'function';
}

function toBadRequest(error: Error): BadRequestError {
  return new BadRequestError(`The request cannot be read: ${error.message}.`, { cause: error });
}

/**
 * Whether the body still has to be produced, and can therefore fail. The node server keeps a body that is there at once
 * (text, bytes) beside the Response; asking such a response for its `body` would cost more than all the rest.
 */
function hasStream(response: Response): boolean {
  for (const symbol of Object.getOwnPropertySymbols(response)) {
    const kept = (response as unknown as Record<symbol, unknown>)[symbol];
    if (Array.isArray(kept) && kept.length === 3 && typeof kept[0] === 'number') {
      return kept[1] instanceof ReadableStream;
    }
  }
  return response.body !== null;
}

/** Ends the connection when the body fails: the node server would print the error and send its message to the caller. */
function guardStream(response: Response, outgoing: ServerResponse, report: (error: unknown) => void): Response {
  const reader = response.body?.getReader();
  if (!reader) return response;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        report(error);
        outgoing.destroy();
        controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

export interface ListenOptions {
  port: number;
  hostname: string;
}

export interface RunningServer {
  /** Where to reach it, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /**
   * Takes no more connections, ends idle ones at once, and lets requests that are being answered finish: for at most
   * `graceMs`, then their connections are cut. Calling it again returns the same promise.
   *
   * @param options.graceMs milliseconds. @default 10000
   */
  close(options?: { graceMs?: number }): Promise<void>;
}

/** Starts a server for a listener; rejects with the system's error when the port cannot be had. */
export async function listen(
  handler: (incoming: IncomingMessage, outgoing: ServerResponse) => unknown,
  { port, hostname }: ListenOptions,
): Promise<RunningServer> {
  const server = createServer(handler);
  server.on('clientError', answerUnreadable);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, hostname, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${urlHost(hostname, address)}:${address.port}`,
    port: address.port,
    close(options) {
      closing ??= closeServer(server, options?.graceMs ?? 10_000);
      return closing;
    },
  };
}

/** An address that stands for all interfaces is none that can be called. */
function urlHost(hostname: string, address: AddressInfo): string {
  if (address.address === '0.0.0.0') return '127.0.0.1';
  if (address.address === '::') return '[::1]';
  return hostname.includes(':') ? `[${hostname}]` : hostname;
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // Connections that fall idle while the last answers go out would be kept for seconds otherwise.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close((error) => {
      clearInterval(sweep);
      clearTimeout(cut);
      if (error) reject(error);
      else resolve();
    });
    server.closeIdleConnections();
  });
}

const unreadable: Record<string, { status: number; reason: string; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: 'Request Header Fields Too Large',
    message: 'The request headers are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: 'Request Timeout', message: 'The request took too long to arrive.' },
};

/** Bytes that are no HTTP request never reach the handler; they get a contract body all the same. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: import('node:stream').Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, reason, message } = unreadable[error.code ?? ''] ?? {
    status: 400,
    reason: 'Bad Request',
    message: 'The request is not valid HTTP.',
  };
  const code = status === 400 ? 'BAD_REQUEST' : undefined;
  const body = JSON.stringify(new ConnectorError(message, { status, code }).toPayload());
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
