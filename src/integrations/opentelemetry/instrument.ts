import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { diag, type MeterProvider, type TracerProvider } from '@opentelemetry/api';
import type { ClientChannelEvents, ClientChannelMessage, ConnectorClient } from '../../client/index.js';
import { bool, checkOptions, functionOf, optionsOf, type ShapeOf, withMethods } from '../../internal/index.js';
import { createMeasuring } from './measuring.js';
import { createTracing } from './tracing.js';

export interface InstrumentOptions {
  /** Where spans go. @default the global provider */
  tracerProvider?: TracerProvider;
  /** Where measurements go. @default the global provider */
  meterProvider?: MeterProvider;
  /**
   * Sends the trace context (`traceparent`) to the connector, by the global propagator. Leave it off where an instrumentation of
   * undici or fetch does the same: a header sent twice is a header ignored.
   *
   * @default false
   */
  propagate?: boolean;
  /**
   * Names the route of a call, `/issues/{id}`: it becomes `url.template` and part of the span's name. `path` is without its query.
   *
   * @default no template: spans are named by their method
   */
  urlTemplate?: (request: { method: string; path: string }) => string | undefined;
}

const schema = optionsOf({
  tracerProvider: withMethods<TracerProvider>('getTracer').optional(),
  meterProvider: withMethods<MeterProvider>('getMeter').optional(),
  propagate: bool.optional(),
  urlTemplate: functionOf<InstrumentOptions['urlTemplate']>().optional(),
} satisfies ShapeOf<InstrumentOptions>);

/** What to do with messages of the client, by channel. */
export type Handlers = { [Name in keyof ClientChannelEvents]?: (message: ClientChannelMessage<Name>) => void };

/**
 * Reports one client to OpenTelemetry: a span for each call, with its attempts, pauses, logins and retries as events, and metrics. Spans
 * are children of the span that is active where the call is made, and active while the call runs.
 *
 * @returns a function that stops it.
 * @throws TypeError naming the argument that is wrong.
 * @example
 * const client = createConnectorClient(options)
 * const uninstrument = instrument(client)
 */
export function instrument(client: ConnectorClient, options: InstrumentOptions = {}): () => void {
  if (typeof client !== 'object' || client === null || typeof client.request !== 'function') {
    throw new TypeError('`client` must be a client that `createConnectorClient` made.');
  }
  return watch(options, (sender) => sender === client);
}

/**
 * Reports every client of the process, those made later, too. Use this or {@link instrument}, not both: each reports for itself.
 *
 * @returns a function that stops it.
 * @throws TypeError naming the option that is wrong.
 * @example
 * instrumentAll({ urlTemplate: ({ path }) => path.replace(/\/\d+/g, '/{id}') })
 */
export function instrumentAll(options: InstrumentOptions = {}): () => void {
  return watch(options, () => true);
}

function watch(options: InstrumentOptions, isWanted: (client: ConnectorClient) => boolean): () => void {
  checkOptions(schema, options);
  const stops = [createTracing(options), createMeasuring(options)].flatMap((handlers) =>
    Object.entries(handlers).map(([name, handle]) => listen(name, isWanted, handle as Handle)),
  );
  return () => {
    for (const stop of stops.splice(0)) stop();
  };
}

type Handle = (message: { client: ConnectorClient }) => void;

function listen(name: string, isWanted: (client: ConnectorClient) => boolean, handle: Handle): () => void {
  const channel = `concordat:client:${name}`;
  const listener = (message: unknown) => {
    try {
      const sent = message as { client: ConnectorClient };
      if (isWanted(sent.client)) handle(sent);
    } catch (error) {
      // A subscriber that throws would end the process; what OpenTelemetry cannot take goes where it reports such things.
      diag.error(`concordat/opentelemetry: a message of ${channel} could not be reported`, error);
    }
  };
  subscribe(channel, listener);
  return () => {
    unsubscribe(channel, listener);
  };
}
