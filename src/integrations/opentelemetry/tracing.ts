import {
  type Attributes,
  context,
  diag,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { ClientCall, ClientChannelMessage } from '../../client/index.js';
import { methodAttributes, outcomeAttributes, scopeName, serverAttributes } from './attributes.js';
import type { Handlers, InstrumentOptions } from './instrument.js';

const waitEvents = {
  'rate-limit': 'concordat.pause',
  login: 'concordat.login',
  retry: 'concordat.retry',
  queue: 'concordat.queue',
} as const;

/** One span per call, from its start until it settles. */
export function createTracing(options: InstrumentOptions): Handlers {
  const tracer = (options.tracerProvider ?? trace).getTracer(scopeName);
  const templateOf = createTemplateOf(options);
  const calls = new WeakMap<ClientCall, { span: Span; startedAt: number }>();

  /** Adds an event for something that ends now, at the time it began. */
  function addEvent(call: ClientCall | undefined, name: string, durationMs: number, attributes: Attributes = {}): void {
    const traced = call && calls.get(call);
    if (traced === undefined) return;
    const time = Math.max(traced.startedAt, Date.now() - durationMs);
    traced.span.addEvent(name, { 'concordat.duration_ms': Math.round(durationMs), ...attributes }, time);
  }

  return {
    call({ call, baseUrl, runIn, setHeader }) {
      const parent = context.active();
      const span = tracer.startSpan(...describe(call, baseUrl, templateOf), parent);
      calls.set(call, { span, startedAt: Date.now() });
      const inside = trace.setSpan(parent, span);
      runIn((run) => context.with(inside, run));
      if (options.propagate) {
        propagation.inject(inside, setHeader, { set: (carrier, name, value) => carrier(name, value) });
      }
    },
    attempt({ call, number, outcome, durationMs, ...facts }) {
      addEvent(call, 'concordat.attempt', durationMs, {
        'concordat.attempt.number': number,
        'concordat.attempt.outcome': outcome,
        ...outcomeAttributes(facts),
      });
    },
    wait({ call, reason, waitedMs }) {
      addEvent(call, waitEvents[reason], waitedMs);
    },
    result(message) {
      const span = calls.get(message.call)?.span;
      if (span === undefined) return;
      calls.delete(message.call);
      finish(span, message);
    },
  };
}

function describe(call: ClientCall, baseUrl: string, templateOf: ReturnType<typeof createTemplateOf>) {
  const { method, path } = call;
  const template = templateOf({ method, path });
  const attributes: Attributes = {
    ...methodAttributes(method),
    ...serverAttributes(baseUrl),
    // The base URL contains no credentials, and the path of an event no query.
    'url.full': baseUrl + path,
    ...(template === undefined ? {} : { 'url.template': template }),
  };
  const verb = attributes['http.request.method'] === '_OTHER' ? 'HTTP' : method;
  const name = template === undefined ? verb : `${verb} ${template}`;
  return [name, { kind: SpanKind.CLIENT, attributes }] as const;
}

/** A `urlTemplate` that fails costs its template, not the span; the diagnostics are told once. */
function createTemplateOf({ urlTemplate }: InstrumentOptions) {
  let isTold = false;
  return (request: { method: string; path: string }): string | undefined => {
    try {
      const template: unknown = urlTemplate?.(request);
      if (template === undefined || typeof template === 'string') return template;
      throw new TypeError('It must return a string or undefined.');
    } catch (error) {
      if (!isTold) diag.error('concordat/opentelemetry: `urlTemplate` gave no template', error);
      isTold = true;
      return undefined;
    }
  };
}

function finish(span: Span, result: ClientChannelMessage<'result'>): void {
  const { attempts } = result;
  span.setAttributes(outcomeAttributes(result));
  if (attempts > 1) span.setAttribute('http.request.resend_count', attempts - 1);
  if ('error' in result) {
    const { error } = result;
    if (error instanceof Error) {
      const { name, message, stack } = error;
      span.recordException({ name, message, ...(stack !== undefined && { stack }) }); // a `code` would replace the name
    }
    span.setStatus({ code: SpanStatusCode.ERROR, ...(error instanceof Error ? { message: error.message } : {}) });
  }
  span.end();
}
