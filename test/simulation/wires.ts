import type { Clock } from 'concordat/client';
import type { Dispatcher } from 'undici';
import { type ModelConnector, turn } from './model-connector.js';
import type { ModelExchange, Reply, Write } from './model-exchange.js';
import { toAskedWait } from './model-waits.js';
import type { ClientPlan, ConnectorPlan } from './schedule.js';
import type { ToTags } from './tags.js';

/** What both ways from one client to the connector need. */
export interface WireContext {
  connector: ModelConnector;
  clock: Clock;
  plan: ClientPlan;
  ways: Pick<ConnectorPlan, 'queuesMs' | 'upstreamMs'>;
  record: Write;
  tags: ToTags;
  /** The number of the client. */
  client: number;
}

type Answer = Extract<Reply, { type: 'answer' }>;

/** How the end of an exchange reaches the client. */
interface Delivery {
  answer(answer: Answer): void;
  reset(): void;
}

export const origin = 'http://connector.test';

/** Lets the request arrive, unless the client has gone away meanwhile. */
function carryOut(context: WireContext, exchange: ModelExchange, body: string | undefined, delivery: Delivery): void {
  const { connector, clock, ways } = context;
  const upstreamMs = turn(ways.upstreamMs ?? [], exchange.id) ?? 0;
  if (upstreamMs === 0) bringBack(context, exchange, body, delivery);
  else
    clock.setTimer(upstreamMs, () => {
      if (connector.isOpen(exchange)) bringBack(context, exchange, body, delivery);
    });
}

/** Carries out what the connector decides, at its time, unless the client has gone away meanwhile. */
function bringBack(context: WireContext, exchange: ModelExchange, body: string | undefined, delivery: Delivery): void {
  const { connector, clock, plan, record, tags } = context;
  const reply = connector.decide(exchange, body);
  if (reply.type === 'hang') return;
  clock.setTimer(reply.afterMs, () => {
    if (!connector.end(exchange)) return;
    const { id, by, session } = exchange;
    const facts = { exchange: id, by, session, ...tags(exchange.client, by) };
    if (reply.type === 'reset') record({ what: 'failed', ...facts });
    else if (reply.cut) record({ what: 'failed', ...facts, status: reply.status });
    else {
      const asked = reply.wait && toAskedWait(reply.wait, clock.now(), plan.fallbackWaitMs);
      const limit = asked === undefined ? {} : { asked };
      record({ what: 'answered', ...facts, status: reply.status, ...limit });
      if (reply.session !== undefined)
        record({ what: 'session', session: reply.session, ...tags(exchange.client, undefined) });
    }
    if (reply.type === 'reset') delivery.reset();
    else delivery.answer(reply);
  });
}

function cancel({ connector, record, tags }: WireContext, exchange: ModelExchange): void {
  const { id, client, by } = exchange;
  if (connector.end(exchange)) record({ what: 'cancelled', exchange: id, by, ...tags(client, by) });
}

/** undici's dispatch interface in front of the model: requests may have to wait for a socket first. */
export function modelDispatcher(context: WireContext): Dispatcher {
  let dispatched = 0;
  const dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean => {
    const { ways, clock } = context;
    const queueMs = turn(ways.queuesMs, dispatched++) ?? 0;
    if (queueMs === 0) start(context, options, handler);
    else {
      const leaveQueue = context.connector.queue();
      clock.setTimer(queueMs, () => {
        start(context, options, handler);
        leaveQueue();
      });
    }
    return true;
  };
  return { dispatch, close: async () => {}, destroy: async () => {} } as unknown as Dispatcher;
}

function start(context: WireContext, options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
  let exchange: ModelExchange | undefined;
  const controller = {
    aborted: false as boolean,
    paused: false,
    reason: null as Error | null,
    rawHeaders: [],
    rawTrailers: [],
    pause: () => {},
    resume: () => {},
    abort(reason: Error) {
      if (controller.aborted) return;
      controller.aborted = true;
      controller.reason = reason;
      if (exchange !== undefined) cancel(context, exchange);
      queueMicrotask(() => handler.onResponseError?.(controller, reason));
    },
  } satisfies Dispatcher.DispatchController;
  handler.onRequestStart?.(controller, {});
  if (controller.aborted) return;
  const { method, path, headers, body } = options;
  const session = (headers as { [name: string]: string })['x-session'];
  const begun = context.connector.begin({ method, path: path as string, session }, context.client);
  exchange = begun;
  const send = (content: string | undefined) =>
    carryOut(context, begun, content, {
      reset: () => handler.onResponseError?.(controller, Object.assign(new Error('reset'), { code: 'ECONNRESET' })),
      answer(answer) {
        handler.onResponseStart?.(controller, answer.status, answer.headers, '');
        if (controller.aborted) return;
        const bytes = Buffer.from(answer.body);
        handler.onResponseData?.(controller, answer.cut ? bytes.subarray(0, 3) : bytes);
        if (controller.aborted) return;
        if (answer.cut)
          handler.onResponseError?.(controller, Object.assign(new Error('cut'), { code: 'UND_ERR_SOCKET' }));
        else handler.onResponseEnd?.(controller, {});
      },
    });
  withBody(body, send, (error) => {
    if (context.connector.end(begun)) handler.onResponseError?.(controller, error);
  });
}

/** Whatever can be a body, read as undici would. Strings need no turn of the event loop. */
function withBody(body: unknown, use: (content: string | undefined) => void, fail: (error: Error) => void): void {
  if (body === null || body === undefined) use(undefined);
  else if (typeof body === 'string') use(body);
  else if (body instanceof Uint8Array) use(new TextDecoder().decode(body));
  else void readAll(body as AsyncIterable<Uint8Array>).then(use, fail);
}

async function readAll(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
  return text;
}

/** A fetch in front of the model. */
export function modelFetch(context: WireContext): typeof globalThis.fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const { method = 'GET', headers, body, signal } = init;
      const session = (headers as { [name: string]: string })['x-session'];
      const exchange = context.connector.begin(
        { method, path: String(input).slice(origin.length), session },
        context.client,
      );
      signal?.addEventListener('abort', () => {
        cancel(context, exchange);
        reject(signal.reason);
      });
      withBody(
        body,
        (content) =>
          carryOut(context, exchange, content, {
            reset: () => reject(new TypeError('fetch failed', { cause: new Error('reset') })),
            answer: (answer) => resolve(toResponse(answer)),
          }),
        (error) => {
          context.connector.end(exchange);
          reject(error);
        },
      );
    });
}

function toResponse({ status, headers, body, cut }: Answer): Response {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((item) => [name, item] as [string, string]),
  );
  if (!cut) return new Response(status === 204 ? null : body, { status, headers: lines });
  const half = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(body.slice(0, 3)));
    },
    pull(controller) {
      controller.error(new TypeError('terminated'));
    },
  });
  return new Response(half, { status, headers: lines });
}
