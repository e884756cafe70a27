import { type Attributes, type MeterProvider, metrics } from '@opentelemetry/api';
import type { ClientChannelMessage, ConnectorClient } from '../../client/index.js';
import { methodAttributes, outcomeAttributes, scopeAttributes, scopeName, serverAttributes } from './attributes.js';
import type { Handlers, InstrumentOptions } from './instrument.js';

/** The boundaries that the semantic conventions recommend for `http.client.request.duration`. */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** A call may wait for hours. */
const callSeconds = [...requestSeconds, 30, 60, 300, 900, 3600, 4 * 3600, 24 * 3600];

export function createMeasuring(options: InstrumentOptions): Handlers {
  const instruments = instrumentsOf(options);
  const reported = new WeakMap<ConnectorClient, { sumMs: number; readonly ofScope: Map<string, number> }>();

  /** Counts a pause while it lasts; otherwise an hour's pause would show up only at its end. */
  function addPaused(message: ClientChannelMessage<'resume' | 'heartbeat'>): void {
    const { client, baseUrl, scope = '', pausedMs } = message;
    const known = reported.get(client) ?? { sumMs: 0, ofScope: new Map<string, number>() };
    reported.set(client, known);
    // A client may have joined a pause that had begun long before.
    const ownMs = client.status.counters.pausedMs - known.sumMs;
    const newMs = Math.min(pausedMs - (known.ofScope.get(scope) ?? 0), ownMs);
    if (newMs > 0) {
      instruments().paused.add(newMs / 1000, { ...serverAttributes(baseUrl), ...scopeAttributes(message) });
      known.sumMs += newMs;
    }
    known.ofScope.set(scope, pausedMs);
  }

  return {
    attempt(message) {
      const { call, method, baseUrl, outcome, durationMs } = message;
      const attributes = { ...common(method, baseUrl), ...outcomeAttributes(message) };
      instruments().requestDuration.record(durationMs / 1000, attributes);
      instruments().requests.add(1, {
        ...attributes,
        'concordat.attempt.outcome': outcome,
        'concordat.request.purpose': call === undefined ? 'login' : 'call',
      });
    },
    result(message) {
      const { call, baseUrl, durationMs } = message;
      const attributes = { ...common(call.method, baseUrl), ...outcomeAttributes(message) };
      instruments().callDuration.record(durationMs / 1000, attributes);
    },
    pause(message) {
      instruments().pauses.add(1, {
        ...serverAttributes(message.baseUrl),
        ...scopeAttributes(message),
        'concordat.pause.source': message.source,
      });
    },
    heartbeat: addPaused,
    resume(message) {
      addPaused(message);
      reported.get(message.client)?.ofScope.delete(message.scope ?? '');
    },
    initialize({ baseUrl, reason }) {
      instruments().logins.add(1, { ...serverAttributes(baseUrl), 'concordat.login.reason': reason });
    },
    retry({ method, baseUrl }) {
      instruments().retries.add(1, common(method, baseUrl));
    },
  };
}

function common(method: string, baseUrl: string): Attributes {
  return {
    'http.request.method': methodAttributes(method)['http.request.method'] as string,
    ...serverAttributes(baseUrl),
  };
}

/** The instruments of the current provider: unlike tracers, meters do not notice a provider that is registered later. */
function instrumentsOf({ meterProvider }: InstrumentOptions): () => Instruments {
  let known: { provider: MeterProvider; instruments: Instruments } | undefined;
  return () => {
    const provider = meterProvider ?? metrics.getMeterProvider();
    if (known?.provider !== provider) known = { provider, instruments: createInstruments(provider) };
    return known.instruments;
  };
}

type Instruments = ReturnType<typeof createInstruments>;

function createInstruments(provider: MeterProvider) {
  const meter = provider.getMeter(scopeName);
  const counter = (name: string, unit: string, description: string) => meter.createCounter(name, { description, unit });
  const duration = (name: string, explicitBucketBoundaries: number[], description: string) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries } });
  return {
    requests: counter(
      'concordat.client.requests',
      '{request}',
      'Requests sent to the connector, including logins and retries.',
    ),
    requestDuration: duration('http.client.request.duration', requestSeconds, 'Duration of HTTP client requests.'),
    callDuration: duration(
      'concordat.client.call.duration',
      callSeconds,
      'Duration of calls, including all requests, logins and waits.',
    ),
    pauses: counter('concordat.client.pauses', '{pause}', 'Pauses because of a rate limit.'),
    paused: counter('concordat.client.paused_time', 's', 'Time paused because of rate limits.'),
    logins: counter('concordat.client.logins', '{login}', 'Logins that succeeded.'),
    retries: counter('concordat.client.retries', '{retry}', 'Retries after transient failures.'),
  };
}
