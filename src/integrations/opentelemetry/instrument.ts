import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { diag, type MeterProvider, type TracerProvider } from '@opentelemetry/api';
import type { ClientChannelEvents, ClientChannelMessage, ConnectorClient } from '../../client/index.js';
import { bool, checkOptions, functionOf, optionsOf, type ShapeOf, withMethods } from '../../internal/index.js';
import { createMeasuring } from './measuring.js';
import { createTracing } from './tracing.js';

export interface InstrumentOptions {
  /** Where spans go. @default the global provider */
  tracerProvider?: TracerProvider | undefined;
  /** Where metrics go. @default the global provider */
  meterProvider?: MeterProvider | undefined;
  /**
   * Sends the trace context (`traceparent`) to the connector, by the global propagator. Leave it off if an instrumentation of undici
   * or fetch does so already: receivers ignore a duplicate header.
   *
   * @default false
   */
  propagate?: boolean | undefined;
  /**
   * Returns the route of a call, such as `/issues/{id}`, for `url.template` and the span's name. `path` has no query.
   *
   * @default no template: spans are named after their method
   */
  urlTemplate?: ((request: { method: string; path: string }) => string | undefined) | undefined;
}

const schema = optionsOf({
  tracerProvider: withMethods<TracerProvider>('getTracer').optional(),
  meterProvider: withMethods<MeterProvider>('getMeter').optional(),
  propagate: bool.optional(),
  urlTemplate: functionOf<InstrumentOptions['urlTemplate']>().optional(),
} satisfies ShapeOf<InstrumentOptions>);

/** Handlers of the client's diagnostics channels, by name. */
export type Handlers = { [Name in keyof ClientChannelEvents]?: (message: ClientChannelMessage<Name>) => void };

/**
 * Reports one client to OpenTelemetry: metrics, and a span per call, with its attempts, pauses, logins and retries as events. Spans are
 * children of the span that is active where you make the call, and active while the call runs.
 *
 * @returns a function that stops it; once the client has closed, it stops by itself.
 * @throws TypeError naming the argument that is wrong.
 * @example
 * const client = createConnectorClient(options)
 * const uninstrument = instrument(client)
 */
export function instrument(client: ConnectorClient, options: InstrumentOptions = {}): () => void {
  if (typeof client !== 'object' || client === null || typeof client.request !== 'function') {
    throw new TypeError('`client` must be a client from `createConnectorClient`.');
  }
  const stop = watch(options, (sender) => sender === client);
  client.on('close', stop); // otherwise the process would keep every client
  return stop;
}

/**
 * Reports every client of the process, including those created later. Use either this or {@link instrument}: both would report twice.
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
      // A subscriber that throws would end the process, so failures go to OpenTelemetry's own diagnostics.
      diag.error(`concordat/opentelemetry: a message of ${channel} could not be reported`, error);
    }
  };
  subscribe(channel, listener);
  return () => {
    unsubscribe(channel, listener);
  };
}
