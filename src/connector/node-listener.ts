import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { BadRequestError } from '../contract/index.js';
import { type AdapterOptions, createAdapterWriter } from './adapter-options.js';
import type { FetchHandler } from './fetch-handler.js';
import { keptParts } from './kept-parts.js';

/** What `createServer` of `node:http` takes. */
export type NodeListener = (incoming: HttpBindings['incoming'], outgoing: HttpBindings['outgoing']) => Promise<void>;

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
): NodeListener {
  const handler = typeof fetchHandler === 'function' ? fetchHandler : fetchHandler?.fetch;
  if (typeof handler !== 'function') {
    throw new TypeError('`fetchHandler` must be a function from a Request to a Response, or an object with `fetch`.');
  }
  const writer = createAdapterWriter(options);
  const fail = (thrown: unknown, request?: Request) => {
    const { body, status, headers } = writer.write(thrown, request, (name) => request?.headers.get(name));
    return new Response(body, { status, headers });
  };
  const finish = (response: unknown, request: Request, outgoing: HttpBindings['outgoing']): Response => {
    const kept = typeof response === 'object' && response !== null ? keptParts(response as Response) : undefined;
    if (kept !== undefined && !(kept[1] instanceof ReadableStream)) return response as Response;
    if (!isResponse(response)) {
      return fail(new TypeError('The fetch handler returned something that is no Response.'), request);
    }
    if (response.body === null) return response;
    return guardStream(response, outgoing, (error) => writer.report(error, request));
  };
  const call = handler as unknown as (request: Request, env: unknown) => Response | Promise<Response>;

  return getRequestListener(
    (request, env) => {
      const outgoing = env.outgoing as HttpBindings['outgoing'];
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
  ) as NodeListener;
}

/** Not `instanceof`: the node server puts a Response of its own in the global's place, and fetch still makes the other. */
function isResponse(value: unknown): value is Response {
  const response = value as Partial<Response> | undefined | null;
  return typeof response?.status === 'number' && typeof response.headers?.get === 'function';
}

function toBadRequest(error: Error): BadRequestError {
  return new BadRequestError(`The request cannot be read: ${error.message}.`, { cause: error });
}

/** Ends the connection when the body fails: the node server would print the error and send its message to the caller. */
function guardStream(
  response: Response,
  outgoing: HttpBindings['outgoing'],
  report: (error: unknown) => void,
): Response {
  const reader = response.body?.getReader();
  if (!reader) return response;
  // A read that is under way when the caller goes away still settles; by then there is nothing left to close.
  let isOpen = true;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!isOpen) return;
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (!isOpen) return;
        report(error);
        outgoing.destroy();
        controller.close();
      }
    },
    cancel(reason) {
      isOpen = false;
      return reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
