import { Agent, DecoratorHandler, type Dispatcher, fetch as undiciFetch } from 'undici';
import type { ConnectorClient, ConnectorClientOptions } from '../../src/client/index.js';
import type { Ledger, Send } from './ledger.js';
import type { ClientPlan } from './plan.js';

type Fetch = typeof globalThis.fetch;
/** Stands between client and referee, or before the client, and so makes one that misbehaves. */
export interface Mutant {
  readonly fetch?: (fetch: Fetch) => Fetch;
  readonly client?: (client: ConnectorClient) => ConnectorClient;
  /** What its client is made with, whatever the scenario says. */
  readonly options?: Partial<ConnectorClientOptions>;
}

export interface Transport {
  readonly options: Pick<ConnectorClientOptions, 'fetch' | 'dispatcher'>;
  readonly watched: boolean;
  close(): Promise<void>;
}

/** How a client’s requests go out; `client` is its name in the ledger. */
export function createTransport(plan: ClientPlan, client: string, ledger: Ledger, mutant?: Mutant): Transport {
  const kind = mutant === undefined ? plan.transport : 'fetch';
  if (kind === 'default') return { options: {}, watched: false, close: async () => {} };
  const agent = new Agent();
  const close = () => agent.destroy();
  if (kind === 'dispatcher') {
    return {
      options: { dispatcher: agent.compose((dispatch) => watchedDispatch(dispatch, client, ledger)) },
      watched: true,
      close,
    };
  }
  const fetch = watchedFetch(agent, client, ledger);
  return { options: { fetch: mutant?.fetch?.(fetch) ?? fetch }, watched: true, close };
}

function reserve(ledger: Ledger, client: string, method: string, path: string, call: string | null): Send {
  const kind = path === '/initialize' ? 'login' : path === '/cleanup' ? 'cleanup' : 'call';
  return ledger.reserve({ kind, client, call: call === null ? undefined : Number(call), method, path, watched: true });
}

function watchedFetch(agent: Agent, client: string, ledger: Ledger): Fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const send = ledger.begin(reserve(ledger, client, init?.method ?? 'GET', pathname, headers.get('x-call')));
    headers.set('x-send', String(send.id));
    const { signal } = init ?? {};
    signal?.addEventListener('abort', () => ledger.settle(send, 'aborted'), { once: true });
    try {
      const target = input instanceof Request ? input.url : input;
      const options = { ...init, headers: Object.fromEntries(headers), dispatcher: agent };
      const response = (await undiciFetch(target, options as never)) as unknown as Response;
      send.headed = ledger.moment();
      return watchBody(response, (as) => ledger.settle(send, as));
    } catch (error) {
      ledger.settle(send, signal?.aborted ? 'aborted' : 'broken');
      throw error;
    }
  };
}

function watchBody(response: Response, settle: (as: NonNullable<Send['settledAs']>) => void): Response {
  if (response.body === null) {
    settle('answered');
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        settle('answered');
        controller.close();
      } catch (error) {
        settle('broken');
        controller.error(error);
      }
    },
    async cancel(reason) {
      settle('aborted');
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

type Handler = Required<Dispatcher.DispatchHandler>;

/** What undici's decorator has, and its types leave out. */
interface Decorated {
  onRequestStart(...values: Parameters<Handler['onRequestStart']>): void;
  onResponseStart(...values: Parameters<Handler['onResponseStart']>): void;
  onResponseEnd(...values: Parameters<Handler['onResponseEnd']>): void;
  onResponseError(...values: Parameters<Handler['onResponseError']>): void;
}
const Decorator = DecoratorHandler as unknown as new (handler: Dispatcher.DispatchHandler) => Decorated;

class Watch extends Decorator {
  #begun = false;

  constructor(
    handler: Dispatcher.DispatchHandler,
    readonly send: Send,
    readonly ledger: Ledger,
  ) {
    super(handler);
  }

  override onRequestStart(...values: Parameters<Handler['onRequestStart']>): void {
    super.onRequestStart(...values);
    // The client may take it back in this very moment, before a byte of it is written.
    if (values[0].aborted || this.#begun) return;
    this.ledger.begin(this.send);
    this.#begun = true;
  }

  override onResponseStart(...values: Parameters<Handler['onResponseStart']>): void {
    this.send.headed = this.ledger.moment();
    super.onResponseStart(...values);
  }

  override onResponseEnd(...values: Parameters<Handler['onResponseEnd']>): void {
    this.ledger.settle(this.send, 'answered');
    super.onResponseEnd(...values);
  }

  override onResponseError(...values: Parameters<Handler['onResponseError']>): void {
    this.ledger.settle(this.send, 'broken');
    super.onResponseError(...values);
  }
}

function watchedDispatch(dispatch: Dispatcher['dispatch'], client: string, ledger: Ledger): Dispatcher['dispatch'] {
  return (options, handler) => {
    const headers = pairsOf(options.headers);
    const call = headers.find(([name]) => name.toLowerCase() === 'x-call')?.[1] ?? null;
    const send = reserve(ledger, client, options.method, new URL(options.path, 'http://h').pathname, call);
    const numbered = [...headers, ['x-send', String(send.id)] as const].flat() as string[];
    return dispatch({ ...options, headers: numbered }, new Watch(handler, send, ledger));
  };
}

/** Headers in any of the forms that undici takes. */
function pairsOf(headers: Dispatcher.DispatchOptions['headers']): Array<readonly [string, string]> {
  if (headers === undefined || headers === null) return [];
  if (Array.isArray(headers)) {
    const pairs: Array<readonly [string, string]> = [];
    for (let index = 0; index < headers.length; index += 2) pairs.push([headers[index], headers[index + 1]] as never);
    return pairs;
  }
  if (Symbol.iterator in headers) return [...(headers as Iterable<[string, string]>)];
  return Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one] as const));
}
