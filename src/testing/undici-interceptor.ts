import type { RequestHandler } from 'msw';

// What is needed of undici's types; undici itself is not.
interface DispatchOptions {
  origin?: string | { toString(): string } | undefined;
  path: string;
  method: string;
  headers?: unknown;
  body?: unknown;
}

interface DispatchHandler {
  onRequestStart?(controller: DispatchController, context: unknown): void;
  onResponseStart?(
    controller: DispatchController,
    status: number,
    headers: Record<string, string | string[]>,
    statusText?: string,
  ): void;
  // biome-ignore lint/suspicious/noExplicitAny: undici says Buffer, which has no place in types for any runtime
  onResponseData?(controller: DispatchController, chunk: any): void;
  onResponseEnd?(controller: DispatchController, trailers: Record<string, string>): void;
  onResponseError?(controller: DispatchController, error: Error): void;
}

// biome-ignore lint/suspicious/noExplicitAny: undici's options are more than is read here
type Dispatch = (options: any, handler: any) => boolean;

/**
 * An interceptor that answers undici's requests from handlers of msw, which by itself does not see them: the client sends
 * with undici. What no handler is for goes on to the network.
 *
 * @param handlers msw's, or a function that names them at each request: `() => server.listHandlers()` knows `server.use`.
 * @throws TypeError when `handlers` is neither; Error, as the request's failure, when msw is not installed.
 * @example
 * const dispatcher = new Agent().compose(undiciInterceptor(connector.handlers('http://connector.test')))
 * const client = createConnectorClient({ baseUrl: 'http://connector.test', initialize, dispatcher })
 */
export function undiciInterceptor(
  handlers: readonly RequestHandler[] | (() => readonly unknown[]),
): (dispatch: Dispatch) => Dispatch {
  if (!Array.isArray(handlers) && typeof handlers !== 'function') {
    throw new TypeError('`handlers` must be an array of msw handlers, or a function that returns one.');
  }
  const current = () => [...(typeof handlers === 'function' ? handlers() : handlers)] as RequestHandler[];
  return (dispatch) => (options: DispatchOptions, handler: DispatchHandler) => {
    const controller = new DispatchController();
    const fail = (error: unknown) => {
      handler.onResponseError?.(
        controller,
        error instanceof Error ? error : new Error('The request failed.', { cause: error }),
      );
    };
    const run = async () => {
      // First of all, because the client may hold the request back here (rule G1).
      handler.onRequestStart?.(controller, {});
      if (controller.reason) throw controller.reason;
      const body = await readBody(options.body);
      const { getResponse } = await import('msw');
      const request = toRequest(options, body, controller.signal);
      const response = await controller.orAborted(getResponse(current(), request));
      if (response === undefined) dispatch(body === undefined ? options : { ...options, body }, handler);
      else await deliver(response, controller, handler);
    };
    run().catch(fail);
    return true;
  };
}

/** The brakes that undici's handlers hold in their hands. */
class DispatchController {
  readonly #aborting = new AbortController();
  #reason: Error | null = null;
  #resumed: Promise<void> | undefined;
  #resume: (() => void) | undefined;

  get signal(): AbortSignal {
    return this.#aborting.signal;
  }
  get aborted(): boolean {
    return this.#reason !== null;
  }
  get reason(): Error | null {
    return this.#reason;
  }
  get paused(): boolean {
    return this.#resumed !== undefined;
  }
  abort(reason: Error): void {
    if (this.aborted) return;
    this.#reason = reason ?? new Error('The request was aborted.');
    this.#aborting.abort(this.#reason);
    this.resume();
  }
  pause(): void {
    this.#resumed ??= new Promise((resolve) => {
      this.#resume = resolve;
    });
  }
  resume(): void {
    this.#resume?.();
    this.#resumed = undefined;
  }
  /** Settles when nobody has paused. */
  async ready(): Promise<void> {
    while (this.#resumed !== undefined) await this.#resumed;
    if (this.#reason) throw this.#reason;
  }
  /** A handler that never answers must not hold an aborted request. */
  async orAborted<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }
}

const nothing: ReadableStreamReadResult<Uint8Array<ArrayBuffer>> = { done: true, value: undefined };

async function deliver(response: Response, controller: DispatchController, handler: DispatchHandler): Promise<void> {
  // What msw calls a network error.
  if (response.type === 'error') throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const headers: Record<string, string | string[]> = Object.fromEntries(response.headers);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  handler.onResponseStart?.(controller, response.status, headers, response.statusText);
  const reader = response.body?.getReader();
  try {
    for (;;) {
      await controller.ready();
      const piece = await controller.orAborted(reader === undefined ? Promise.resolve(nothing) : reader.read());
      if (piece.done) break;
      handler.onResponseData?.(controller, toBuffer(piece.value));
    }
  } catch (error) {
    reader?.cancel(error).catch(() => {});
    throw error;
  }
  handler.onResponseEnd?.(controller, {});
}

function toRequest(options: DispatchOptions, body: string | Uint8Array | undefined, signal: AbortSignal): Request {
  const { method } = options;
  const headers = new Headers();
  for (const [name, value] of headerLines(options.headers)) headers.append(name, value);
  const withBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
  return new Request(new URL(options.path, String(options.origin)), {
    method,
    headers,
    signal,
    ...(withBody ? { body: body as BodyInit } : {}),
  });
}

/** undici takes a record, pairs, or a flat list. */
function* headerLines(headers: unknown): Generator<[string, string]> {
  if (typeof headers !== 'object' || headers === null) return;
  const list = Array.isArray(headers) || Symbol.iterator in headers ? [...(headers as Iterable<unknown>)] : undefined;
  const flat = list !== undefined && !Array.isArray(list[0]);
  const pairs = flat
    ? list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]]] : []))
    : (list ?? Object.entries(headers));
  for (const [name, value] of pairs as [unknown, unknown][]) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) yield [String(name), String(item)];
    }
  }
}

/** A stream is read here, once, for the handlers and for the network. */
async function readBody(body: unknown): Promise<string | Uint8Array | undefined> {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  return new Uint8Array(await new Response(body as BodyInit).arrayBuffer());
}

function toBuffer(bytes: Uint8Array): Uint8Array {
  return globalThis.Buffer === undefined
    ? bytes
    : globalThis.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
