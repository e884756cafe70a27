import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { BadRequestError } from '../../contract/index.js';
import { isResponse } from '../../internal/index.js';
import { type AdapterOptions, createAdapterWriter } from '../errors/adapter-writer.js';
import { replacedHeaders } from '../errors/error-writer.js';
import { headerSecrets } from '../errors/redact.js';
import { lateReporters } from '../request/request-state.js';
import { breakOff, readAwayLostBody } from './break-off.js';
import { withParsedBody } from './parsed-body.js';
import { writeResponse } from './write-response.js';

/** A standard fetch handler: what `connector.fetch` is, and what Bun, Deno and Workers call. */
export type FetchHandler = (request: Request, ...rest: never[]) => Response | Promise<Response>;

/** What `createServer` of `node:http` takes. */
export type NodeListener = (incoming: HttpBindings['incoming'], outgoing: HttpBindings['outgoing']) => Promise<void>;

export type NodeHandlerOptions = AdapterOptions<Request | undefined>;

/**
 * Turns a fetch handler into a listener for `node:http`. What the handler throws becomes the contract's error response. A
 * response that fails after its headers went out ends its connection and affects no other request. A body that
 * `express.json()` or another parser has read is taken from `rawBody` or `body` of the incoming message.
 *
 * @throws TypeError naming the invalid option.
 * @example
 * createServer(toNodeHandler(async (request) => Response.json(await readIssues(request)))).listen(4000)
 */
export function toNodeHandler(
  fetchHandler: FetchHandler | { fetch: FetchHandler },
  options: NodeHandlerOptions = {},
): NodeListener {
  const handler = typeof fetchHandler === 'function' ? fetchHandler : fetchHandler?.fetch;
  if (typeof handler !== 'function') {
    throw new TypeError('`fetchHandler` must be a function from a Request to a Response, or an object with `fetch`.');
  }
  const writer = createAdapterWriter(options, (request, names) =>
    headerSecrets((name) => request?.headers.get(name), names),
  );
  const waitHeader = options.rateLimit?.header ?? 'Retry-After';
  const fail = (thrown: unknown, request: Request, outgoing: HttpBindings['outgoing']) => {
    // Of a response that cannot be written only the connector's own `onError` may hear.
    if (options.onError === undefined) lateReporters.get(outgoing)?.(thrown);
    if (outgoing.headersSent) {
      writer.report(thrown, request);
      breakOff(outgoing);
      return;
    }
    const { status, headers, body, staleHeaders } = writer.write(thrown, request);
    if (outgoing.destroyed) return;
    readAwayLostBody(outgoing, status);
    for (const name of staleHeaders) outgoing.removeHeader(name);
    outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
  };

  const listener = listenerOf(
    async (request, env) => {
      const { incoming, outgoing } = env as HttpBindings;
      let given = request;
      try {
        given = withParsedBody(request, incoming);
        const response = await handler.call(fetchHandler, given, env as never);
        if (!isResponse(response)) throw new TypeError('The fetch handler did not return a Response.');
        // This header of the node server says that the handler writes to `env.outgoing` itself.
        if (response.headers.has('x-hono-already-sent')) return written;
        // A host's own wait would make a limit of a denial (rule W2), its `etag` would be that of another body (rule E4).
        if (response.status >= 400 && !outgoing.destroyed) {
          for (const name of [...replacedHeaders, waitHeader]) {
            // Node would remember the removal of a header that is not there, and send no body's length.
            if (name !== 'cache-control' && outgoing.hasHeader(name)) outgoing.removeHeader(name);
          }
        }
        await writeResponse(response, outgoing, incoming.method === 'HEAD');
      } catch (thrown) {
        fail(thrown, given, outgoing);
      }
      return written;
    },
    {
      // HTTP/1.0 has no `Host` header, as health checks of load balancers show. Without one in HTTP/1.1, Node refuses the request.
      hostname: 'localhost',
      // A request that cannot become a Request never reaches the handler.
      errorHandler: (thrown) => {
        const error = thrown instanceof RequestError ? toBadRequest(thrown) : thrown;
        const { status, headers, body } = writer.write(error, undefined);
        return new Response(body, { status, headers });
      },
    },
  ) as NodeListener;
  return (incoming, outgoing) => {
    completeRawHeaders(incoming);
    // A server ignores the promise, so that a rejection would end the process.
    return listener(incoming, outgoing).catch(() => breakOff(outgoing));
  };
}

/**
 * Completes the request of a server that stands in for Node's, as on AWS Lambda: some leave `rawHeaders` empty, some put
 * numbers into them, and the node server reads only strings, and most of them from there.
 */
function completeRawHeaders(incoming: HttpBindings['incoming']): void {
  const { rawHeaders, headers } = incoming;
  if (rawHeaders.length > 0 && rawHeaders.every((part) => typeof part === 'string')) return;
  const complete = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().flatMap((value) => [name, String(value)]),
  );
  Object.assign(incoming, { rawHeaders: complete });
}

/** Tells the node server that there is nothing left to write. The clone is a Response of the runtime. */
const written = RESPONSE_ALREADY_SENT.clone();

/**
 * The node server replaces the globals Request and Response. Handlers need its Request, which alone can copy its requests
 * (`new Request(c.req.raw)`). Response is restored, because other servers in the process refuse the replacement.
 */
const listenerOf: typeof getRequestListener = (...parameters) => {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'Response') as PropertyDescriptor;
  const listener = getRequestListener(...parameters);
  Object.defineProperty(globalThis, 'Response', own);
  return listener;
};

function toBadRequest(error: Error): BadRequestError {
  return new BadRequestError(`The request cannot be read: ${error.message}.`, { cause: error });
}
