import { abortable, checkOptions as check, duration, optionsOf, type ShapeOf, sleep } from '../internal/index.js';
import { Calls } from './call/calls.js';
import { cleanUp } from './call/cleanup.js';
import { createLogin } from './call/login.js';
import { readPages } from './call/pages.js';
import type { RunContext } from './call/run.js';
import type {
  ClientStatus,
  CloseOptions,
  ConnectorClient,
  ConnectorRequest,
  PagesOptions,
  RequestOptions,
  StreamOptions,
  StreamResponse,
} from './client-types.js';
import { AbandonedLogin, closedError } from './errors.js';
import { type ClientEventListener, type ClientEventName, type Emit, EventHub } from './events.js';
import { createFetchTransport } from './http/fetch.js';
import { protectPausedParsers } from './http/paused-parser.js';
import type { ConnectorResponse } from './http/read-success.js';
import { withoutQuery } from './http/request-target.js';
import { createUndiciTransport } from './http/undici.js';
import type { ConnectorClientOptions } from './options.js';
import { type ClientSnapshot, Gates, snapshotOption } from './rate-limit/gates.js';
import { SessionHolder } from './session/session.js';
import { checkOptions } from './settings.js';

protectPausedParsers(); // now: a caller's dispatcher may have connections before there is a client

/**
 * Creates a client for one connection to a connector.
 *
 * @throws TypeError naming the option that is wrong.
 * @example
 * const client = createConnectorClient({
 *   baseUrl: 'http://127.0.0.1:4000',
 *   initialize: { parameters: { user: 'ada', password: process.env.PASSWORD ?? '' } },
 * })
 * const issue = await client.get('/issues/7')
 */
export function createConnectorClient(options: ConnectorClientOptions): ConnectorClient {
  return new Client(options);
}

class Client implements ConnectorClient {
  readonly #context: RunContext;
  readonly #sessions: SessionHolder;
  readonly #calls: Calls;
  readonly #closing = new AbortController();
  readonly #stopStateErrors: (() => void) | undefined;
  #closed: Promise<void> | undefined;
  /** Aborts once the client has closed, or its grace is over. */
  readonly #ended = new AbortController();

  constructor(options: ConnectorClientOptions) {
    const settings = checkOptions(options);
    const { clock, origin, maxResponseBytes, dispatcher, fetch, concurrency, rateLimit, initialize } = settings;
    const events = new EventHub({ baseUrl: origin + settings.basePath, client: this });
    const counters = { calls: 0, sent: 0, refused: 0, logins: 0, pauses: 0, retries: 0 };
    let isReady = false;
    const emit: Emit = (name, event) => {
      if (name === 'pause') counters.pauses++;
      if (name === 'initialize') counters.logins++;
      // Until the constructor has returned, the client has no listener.
      if (isReady) events.emit(name, event);
      else queueMicrotask(() => events.emit(name, event));
    };
    // Each scope has its own `concurrency`, and must not wait in the pool for the sockets of another (rule D4).
    const connections = rateLimit.scope === undefined ? concurrency : null;
    const parameters = typeof initialize === 'function' ? [] : initialize.parameters;
    this.#context = {
      settings,
      clock,
      transport:
        fetch === undefined
          ? createUndiciTransport({ origin, connections, dispatcher, clock, maxResponseBytes })
          : createFetchTransport({ origin, fetch, clock, maxResponseBytes }),
      counters,
      gates: new Gates({ ...settings, emit }),
      events,
      secrets: parameters.filter(({ sensitive }) => sensitive).map(({ value }) => value),
      login: {},
      closing: this.#closing.signal,
      cutOff: this.#ended.signal,
    };
    const { gates, closing } = this.#context;
    this.#sessions = new SessionHolder({ ...settings, login: createLogin(this.#context), emit, closing });
    this.#calls = new Calls({ ...this.#context, sessions: this.#sessions });
    this.#stopStateErrors = settings.state.onError?.((error) => emit('error', { method: 'state', path: '', error }));
    if (settings.snapshot !== undefined) gates.restore(settings.snapshot);
    isReady = true;
  }

  request<Data>(request: ConnectorRequest<Data>): Promise<ConnectorResponse<Data>> {
    return this.#calls.run(request, wholeResponse);
  }

  get<Data>(path: string, options?: RequestOptions<Data>): Promise<Data> {
    return this.#data('GET', path, options);
  }

  post<Data>(path: string, options?: RequestOptions<Data>): Promise<Data> {
    return this.#data('POST', path, options);
  }

  put<Data>(path: string, options?: RequestOptions<Data>): Promise<Data> {
    return this.#data('PUT', path, options);
  }

  patch<Data>(path: string, options?: RequestOptions<Data>): Promise<Data> {
    return this.#data('PATCH', path, options);
  }

  delete<Data>(path: string, options?: RequestOptions<Data>): Promise<Data> {
    return this.#data('DELETE', path, options);
  }

  async stream(path: string, { method = 'GET', ...options }: StreamOptions = {}): Promise<StreamResponse> {
    const request = { ...options, method, path, responseType: 'stream' } as const;
    const { status, headers, data: body } = await this.request<StreamResponse['body']>(request);
    return { status, headers, body };
  }

  on<Name extends ClientEventName>(event: Name, listener: ClientEventListener<Name>): () => void {
    return this.#context.events.on(event, listener);
  }

  pages<Data>(path: string, options: PagesOptions<Data>): AsyncGenerator<Data, void, undefined> {
    return readPages((request) => this.request<Data>(request), path, options, this.#context.settings);
  }

  get status(): ClientStatus {
    const { gates, counters } = this.#context;
    const { paused, resumeAt, quota, pausedMs } = gates;
    const session = this.#sessions.status;
    return { paused, resumeAt, session, quota, counters: { ...counters, pausedMs: Math.round(pausedMs) } };
  }

  snapshot(): ClientSnapshot {
    return this.#context.gates.snapshot();
  }

  restore(snapshot: ClientSnapshot): void {
    this.#context.gates.restore(check(snapshotOption, snapshot, 'snapshot'));
  }

  close(options: CloseOptions = {}): Promise<void> {
    const { graceMs } = check(closeOptions, options);
    if (graceMs !== undefined) void this.#endAfter(graceMs);
    this.#closed ??= this.#close().finally(() => {
      this.#ended.abort();
      // Calls that were cut off may end a little later.
      void this.#calls.idle().then(() => this.#context.events.emit('close', {}));
    });
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #data<Data>(method: string, path: string, options: RequestOptions<Data> | undefined): Promise<Data> {
    return this.#calls.run({ ...options, method, path }, dataOf);
  }

  /** The earliest end counts. A client that has closed needs no timer, which would keep the process alive. */
  async #endAfter(graceMs: number): Promise<void> {
    try {
      await sleep(this.#context.clock, graceMs, this.#ended.signal);
    } catch {
      return;
    }
    this.#ended.abort(new AbandonedLogin());
    this.#context.transport.abort();
  }

  async #close(): Promise<void> {
    const { settings, clock, gates, events, transport } = this.#context;
    const { cleanup } = settings;
    this.#closing.abort(new AbandonedLogin());
    gates.close();
    this.#stopStateErrors?.();
    this.#sessions.shutDown();
    await this.#orEnd(this.#calls.idle());
    const session = this.#sessions.current;
    const { resumeAt } = gates;
    const paused = resumeAt !== undefined && resumeAt.getTime() > clock.now();
    // During a pause nothing is sent (rule G1): the session then expires by itself.
    if (cleanup !== undefined && session !== undefined && !paused) {
      const request = { method: 'POST', path: withoutQuery(cleanup.path) };
      const isLate = this.#ended.signal.aborted;
      const cleaned = isLate ? Promise.reject(closedError(request)) : cleanUp(this.#context, session, cleanup.path);
      await cleaned.catch((error) => events.emit('error', { ...request, error }));
    }
    await this.#orEnd(transport.close());
  }

  /** Waits no longer than the grace. */
  async #orEnd(waiting: Promise<void>): Promise<void> {
    const { signal } = this.#ended;
    await abortable(waiting, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
  }
}

const closeOptions = optionsOf({ graceMs: duration().optional() } satisfies ShapeOf<CloseOptions>);

// Shared by all calls: of those that wait there may be very many.
const wholeResponse = <Data>(_data: Data, response: () => ConnectorResponse<Data>) => response();
const dataOf = <Data>(data: Data) => data;
