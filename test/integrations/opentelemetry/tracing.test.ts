import { hasSubscribers } from 'node:diagnostics_channel';
import {
  context,
  diag,
  propagation,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { instrument, instrumentAll } from 'concordat/opentelemetry';
import { virtualClock } from 'concordat/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../helpers/free-port.js';
import { rejection, until } from '../../helpers/until.js';
import { channelNames } from '../helpers/channels.js';
import { connectTo, listeningConnector, observedClient } from './helpers/observed-client.js';
import { telemetry } from './helpers/telemetry.js';

const eventsOf = (span: ReadableSpan | undefined) => span?.events.map(({ name }) => name) ?? [];
const attributesOf = (span: ReadableSpan | undefined, event: string) =>
  span?.events.filter(({ name }) => name === event).map(({ attributes }) => attributes) ?? [];
const seconds = ([whole, nanos]: [number, number]) => whole + nanos / 1e9;

/** As the W3C writes it: the SDK's own propagator is in a package that nothing here needs. */
const traceparent: TextMapPropagator = {
  inject(ctx, carrier, setter) {
    const { traceId, spanId, traceFlags } = trace.getSpanContext(ctx)!;
    setter.set(carrier, 'traceparent', `00-${traceId}-${spanId}-0${traceFlags}`);
  },
  extract: (ctx) => ctx,
  fields: () => ['traceparent'],
};

/** What OpenTelemetry's own diagnostics are told as errors. */
function diagnostics(): unknown[][] {
  const told: unknown[][] = [];
  const ignore = () => {};
  const error = (...words: unknown[]) => void told.push(words);
  diag.setLogger({ error, warn: ignore, info: ignore, debug: ignore, verbose: ignore });
  onTestFinished(() => diag.disable());
  return told;
}

const subscribed = () => channelNames.filter((name) => hasSubscribers(`concordat:client:${name}`));

describe('a call is one span (G6)', () => {
  it('with the attributes of the semantic conventions for HTTP', async () => {
    const { seen, client, url, port } = await observedClient();
    await client.get('/issues/7');
    expect(seen.spans).toHaveLength(1);
    const [span] = seen.spans;
    expect(span).toMatchObject({ name: 'GET', kind: SpanKind.CLIENT, status: { code: SpanStatusCode.UNSET } });
    expect(span?.instrumentationScope.name).toBe('concordat');
    expect(span?.attributes).toEqual({
      'http.request.method': 'GET',
      'server.address': '127.0.0.1',
      'server.port': port,
      'url.full': `${url}/issues/7`,
      'http.response.status_code': 200,
    });
  });

  it('with the address of an IPv6 host as it is, without the brackets of a URL', async () => {
    const seen = telemetry();
    const client = connectTo(`http://[::1]:${await freePort()}`, { retry: { retries: 0 } });
    onTestFinished(instrument(client, seen.providers));
    await rejection(client.get('/issues'));
    expect(seen.spans[0]?.attributes['server.address']).toBe('::1');
  });

  it('named by the route where `urlTemplate` knows it', async () => {
    const urlTemplate = ({ path }: { path: string }) => (path.startsWith('/issues/') ? '/issues/{id}' : undefined);
    const { seen, client } = await observedClient({}, { options: { urlTemplate } });
    await client.get('/issues/7?fields=all');
    await client.post('/login-page', { json: {} });
    expect(seen.spans.map(({ name }) => name)).toEqual(['GET /issues/{id}', 'POST']);
    expect(seen.spans.map(({ attributes }) => attributes['url.template'])).toEqual(['/issues/{id}', undefined]);
  });

  it('without a template where `urlTemplate` throws or returns no text, which the diagnostics say once', async () => {
    const told = diagnostics();
    const results: Record<string, unknown> = { '/object': {}, '/number': 7, '/promise': Promise.resolve('/x') };
    const urlTemplate = ({ path }: { path: string }) => {
      if (path === '/broken') throw new Error('a broken template');
      return (path in results ? results[path] : path) as string;
    };
    const { seen, client } = await observedClient({}, { options: { urlTemplate } });
    for (const path of ['/broken', '/broken', ...Object.keys(results), '/whole']) await client.post(path, { json: {} });
    expect(seen.spans.map(({ name }) => name)).toEqual([...Array(5).fill('POST'), 'POST /whole']);
    expect(seen.spans.filter(({ attributes }) => 'url.template' in attributes)).toHaveLength(1);
    expect(told).toEqual([
      [
        'concordat/opentelemetry: `urlTemplate` gave no template',
        expect.objectContaining({ message: 'a broken template' }),
      ],
    ]);
  });

  it('and what is wrong with a template that is no text', async () => {
    const told = diagnostics();
    const { client } = await observedClient({}, { options: { urlTemplate: () => ({}) as string } });
    await client.get('/issues');
    const error = expect.objectContaining({ message: 'It must return a string or undefined.' });
    expect(told).toEqual([['concordat/opentelemetry: `urlTemplate` gave no template', error]]);
  });

  it('in which a method that HTTP does not know is no value of its own', async () => {
    const { seen, client } = await observedClient();
    await client.request({ method: 'REPORT', path: '/issues' });
    expect(seen.spans[0]?.name).toBe('HTTP');
    expect(seen.spans[0]?.attributes).toMatchObject({
      'http.request.method': '_OTHER',
      'http.request.method_original': 'REPORT',
    });
  });

  it('without the values of its query, wherever they were given (S7)', async () => {
    const { seen, client, connector, url } = await observedClient({ faults: [{ kind: 'status', status: 404 }] });
    await rejection(client.get('/issues?token=s3cr3t-in-path', { query: { key: 's3cr3t-in-query' } }));
    expect(connector.journal.at(-1)?.query).toEqual({ token: 's3cr3t-in-path', key: 's3cr3t-in-query' }); // control
    expect(seen.spans[0]?.attributes['url.full']).toBe(`${url}/issues`);
    expect(JSON.stringify([seen.spans[0]?.attributes, seen.spans[0]?.events, seen.spans[0]?.status])).not.toContain(
      's3cr3t',
    );
  });

  it('for each of many at once, with its own events', async () => {
    const { seen, client } = await observedClient();
    await Promise.all(Array.from({ length: 50 }, (_, number) => client.get(`/issues/${number}`)));
    expect(new Set(seen.spans.map(({ attributes }) => attributes['url.full'])).size).toBe(50);
    expect(seen.spans.every((span) => attributesOf(span, 'concordat.attempt').length === 1)).toBe(true);
  });
});

describe('what happened on the way are events of the span (G6)', () => {
  it('the login and the request', async () => {
    const { seen, client } = await observedClient();
    await client.get('/issues');
    expect(eventsOf(seen.spans[0])).toEqual(['concordat.login', 'concordat.attempt']);
    await client.get('/issues');
    expect(eventsOf(seen.spans[1])).toEqual(['concordat.attempt']);
  });

  it('a pause: when it began, how long it took, and the requests before and after', async () => {
    const { seen, client } = await observedClient({ faults: [{ kind: 'limit', waitMs: 1000, at: 1 }] });
    const before = Date.now();
    await client.get('/issues');
    const [span] = seen.spans;
    expect(eventsOf(span)).toEqual(['concordat.login', 'concordat.attempt', 'concordat.pause', 'concordat.attempt']);
    expect(attributesOf(span, 'concordat.attempt')).toMatchObject([
      { 'concordat.attempt.number': 1, 'concordat.attempt.outcome': 'limit', 'http.response.status_code': 403 },
      { 'concordat.attempt.number': 2, 'concordat.attempt.outcome': 'success', 'http.response.status_code': 200 },
    ]);
    const pause = span?.events.find(({ name }) => name === 'concordat.pause');
    const durationMs = pause?.attributes?.['concordat.duration_ms'] as number;
    expect(durationMs).toBeGreaterThanOrEqual(30);
    // The event stands where the wait began, and the span ends after it.
    expect(seconds(pause!.time) * 1000).toBeGreaterThanOrEqual(before);
    expect(seconds(pause!.time) * 1000 + durationMs).toBeLessThanOrEqual(seconds(span!.endTime) * 1000 + 5);
    expect(span?.attributes).toMatchObject({ 'http.response.status_code': 200, 'http.request.resend_count': 1 });
    expect(span?.status.code).toBe(SpanStatusCode.UNSET);
  });

  it('a pause that the call itself did not meet, but waited for', async () => {
    const { seen, client } = await observedClient({
      faults: [{ kind: 'limit', waitMs: 500, at: 2 }],
    });
    await client.get('/warm-up');
    const paused = new Promise((resolve) => client.on('pause', resolve));
    const first = client.get('/refused');
    await paused;
    await Promise.all([first, client.get('/waits')]);
    const waited = seen.spans.find(({ attributes }) => String(attributes['url.full']).endsWith('/waits'));
    expect(eventsOf(waited)).toEqual(['concordat.attempt', 'concordat.pause'].reverse());
  });

  it('an expired session', async () => {
    const { seen, client, connector } = await observedClient();
    await client.get('/issues');
    connector.expireSessions();
    await client.get('/issues');
    expect(eventsOf(seen.spans[1])).toEqual(['concordat.attempt', 'concordat.login', 'concordat.attempt']);
    expect(attributesOf(seen.spans[1], 'concordat.attempt')).toMatchObject([
      { 'concordat.attempt.outcome': 'unauthorized', 'http.response.status_code': 401, 'error.type': '401' },
      { 'concordat.attempt.outcome': 'success' },
    ]);
  });

  it('a login is told of by every call that waited for it', async () => {
    const { seen, client } = await observedClient();
    await Promise.all([client.get('/one'), client.get('/two'), client.get('/three')]);
    expect(seen.spans.map((span) => attributesOf(span, 'concordat.login').length)).toEqual([1, 1, 1]);
  });

  it('a retry, and the failure before it', async () => {
    const { seen, client } = await observedClient({
      faults: [
        { kind: 'status', status: 503, at: 1 },
        { kind: 'reset', at: 2 },
      ],
    });
    await client.get('/issues');
    expect(eventsOf(seen.spans[0]).filter((name) => name !== 'concordat.login')).toEqual([
      'concordat.attempt',
      'concordat.retry',
      'concordat.attempt',
      'concordat.retry',
      'concordat.attempt',
    ]);
    expect(attributesOf(seen.spans[0], 'concordat.attempt')).toMatchObject([
      { 'concordat.attempt.outcome': 'error', 'http.response.status_code': 503, 'error.type': '503' },
      { 'concordat.attempt.outcome': 'failed', 'error.type': 'NETWORK_ERROR' },
      { 'concordat.attempt.outcome': 'success' },
    ]);
    expect(seen.spans[0]?.attributes['http.request.resend_count']).toBe(2);
  });
});

describe('a call that fails is a span with an error (G6)', () => {
  const failures = [
    [
      'an answer of the connector',
      { kind: 'status', status: 404, code: 'NO_ISSUE', message: 'No issue 7' },
      '404',
      404,
    ],
    ['no answer', { kind: 'reset' }, 'NETWORK_ERROR', undefined],
    ['no answer in time', { kind: 'hang' }, 'TIMEOUT', undefined],
  ] as const;

  it.each(failures)('%s', async (_what, fault, type, status) => {
    const clock = virtualClock();
    const overrides = { retry: { retries: 0 }, clock };
    const { seen, client } = await observedClient({ faults: [fault], clock }, { client: overrides });
    const error = await clock.runUntil(rejection(client.get('/issues/7')));
    const [span] = seen.spans;
    expect(span?.attributes['error.type']).toBe(type);
    expect(span?.attributes['http.response.status_code']).toBe(status);
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR, message: error.message });
    expect(attributesOf(span, 'exception')).toMatchObject([
      { 'exception.message': error.message, 'exception.type': error.name },
    ]);
  });

  it('a refused login', async () => {
    const { seen, client } = await observedClient({ credentials: { user: 'ada', password: 'another one' } });
    await rejection(client.get('/issues'));
    expect(seen.spans[0]?.attributes).toMatchObject({ 'error.type': 'InitializeError' });
    // The status is that of the login: the call itself was never answered.
    expect(seen.spans[0]?.attributes).not.toHaveProperty('http.response.status_code');
    expect(seen.spans[0]?.status.code).toBe(SpanStatusCode.ERROR);
  });

  it('an abort, however it comes', async () => {
    const { seen, client, connector } = await observedClient({ faults: [{ kind: 'hang', on: '/issues' }] });
    const controller = new AbortController();
    const call = rejection(client.get('/issues', { signal: controller.signal }));
    await until(() => connector.journal.at(-1)?.kind === 'request');
    controller.abort();
    await call;
    await rejection(client.get('/issues', { signal: AbortSignal.abort() })); // never began: no span
    expect(seen.spans.map(({ attributes }) => attributes['error.type'])).toEqual(['AbortError']);
  });

  it('control: what is wrong with the arguments is no call', async () => {
    const { seen, client } = await observedClient();
    await rejection(client.get('no-slash'));
    expect(seen.spans).toHaveLength(0);
  });
});

describe('the context', () => {
  it('of the caller is the parent of the span, and the span is active while the call runs', async () => {
    const { seen, client } = await observedClient();
    const active: (string | undefined)[] = [];
    const schema = {
      safeParse: (data: unknown) => {
        active.push(seen.activeSpan()?.spanContext().spanId);
        return { success: true as const, data };
      },
    };
    const caller = await seen.inside('synchronize', async (span) => {
      await client.get('/issues', { schema });
      expect(seen.activeSpan()).toBe(span); // and the caller's own is again
      return span.spanContext();
    });
    const [call] = seen.spans;
    expect(call?.parentSpanContext?.spanId).toBe(caller.spanId);
    expect(call?.spanContext().traceId).toBe(caller.traceId);
    expect(active).toEqual([call?.spanContext().spanId]);
  });

  it('without one the span is the root of a trace', async () => {
    const { seen, client } = await observedClient();
    await client.get('/issues');
    expect(seen.spans[0]?.parentSpanContext).toBeUndefined();
  });

  it('is kept by calls that wait for the same pause', async () => {
    const { seen, client } = await observedClient({ faults: [{ kind: 'limit', waitMs: 40, at: 1 }] });
    const parents = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        seen.inside(name, async (span) => {
          await client.get(`/${name}`);
          return [name, span.spanContext().spanId] as const;
        }),
      ),
    );
    for (const [name, id] of parents) {
      const call = seen.spans.find(({ attributes }) => String(attributes['url.full']).endsWith(`/${name}`));
      expect(call?.parentSpanContext?.spanId).toBe(id);
    }
  });

  it('goes to the connector with `propagate`, and not without', async () => {
    propagation.setGlobalPropagator(traceparent);
    onTestFinished(() => propagation.disable());
    const { seen, client, connector } = await observedClient({}, { options: { propagate: true } });
    await client.get('/issues');
    const { traceId, spanId } = seen.spans[0]!.spanContext();
    expect(connector.journal.at(-1)?.headers.traceparent).toBe(`00-${traceId}-${spanId}-01`);
    await client.get('/issues', { headers: { traceparent: 'of-the-caller' } });
    expect(connector.journal.at(-1)?.headers.traceparent).toBe('of-the-caller');

    const control = await observedClient();
    await control.client.get('/issues');
    expect(control.connector.journal.at(-1)?.headers).not.toHaveProperty('traceparent');
  });
});

describe('instrument and instrumentAll', () => {
  it('report one client, or every client of the process, those made later, too', async () => {
    const seen = telemetry();
    const { url } = await listeningConnector();
    const [one, other] = [connectTo(url), connectTo(url)];
    const stop = instrument(one, seen.providers);
    await Promise.all([one.get('/one'), other.get('/other')]);
    expect(seen.spans.map(({ attributes }) => attributes['url.full'])).toEqual([`${url}/one`]);
    stop();
    const stopAll = instrumentAll(seen.providers);
    onTestFinished(stopAll);
    await Promise.all([one.get('/one'), connectTo(url).get('/later')]);
    expect(seen.spans).toHaveLength(3);
  });

  it('stop when told to, also in the middle of a call', async () => {
    const clock = virtualClock();
    const faults = [{ kind: 'slow', delayMs: 30, on: '/issues' } as const];
    const { seen, client, uninstrument } = await observedClient({ faults, clock }, { client: { clock } });
    const call = client.get('/issues');
    await clock.advance(29);
    uninstrument();
    uninstrument();
    await clock.runUntil(call);
    await clock.runUntil(client.get('/issues'));
    expect(seen.spans).toHaveLength(0);
  });

  it('stop by themselves once the client has closed', async () => {
    const { client } = await observedClient();
    await client.get('/issues');
    expect(subscribed()).toContain('result'); // control
    await client.close();
    expect(subscribed()).toEqual([]);
  });

  it.each([{}, { graceMs: 0 }])('but not before its last calls are over (%j)', async (options) => {
    const faults = [{ kind: 'slow', delayMs: 30, on: '/issues' } as const];
    const { seen, client, connector } = await observedClient({ faults });
    const call = client.get('/issues').catch(() => {});
    await until(() => connector.journal.length === 2);
    await client.close(options);
    await call;
    await until(() => subscribed().length === 0);
    expect(seen.spans).toHaveLength(1);
    expect(await seen.total('concordat.client.requests')).toBe(2);
    expect((await seen.histogram('concordat.client.call.duration'))[0]?.value.count).toBe(1);
  });

  it('use the global providers, even those registered later', async () => {
    const { url } = await listeningConnector();
    const client = connectTo(url);
    onTestFinished(instrument(client));
    await client.get('/before');
    const seen = telemetry();
    trace.setGlobalTracerProvider(seen.tracerProvider);
    onTestFinished(() => trace.disable());
    await client.get('/after');
    expect(seen.spans.map(({ attributes }) => attributes['url.full'])).toEqual([`${url}/after`]);
  });

  it('harm no call when something of OpenTelemetry throws', async () => {
    const { url } = await listeningConnector();
    const client = connectTo(url);
    const broken = () => {
      throw new Error('a broken template');
    };
    onTestFinished(instrument(client, { urlTemplate: broken }));
    await expect(client.get('/issues')).resolves.toBeDefined();
  });

  it('name the option that is wrong', () => {
    expect(() => instrument({} as never)).toThrow('`client`');
    expect(() => instrumentAll({ tracerProvider: {} as never })).toThrow('`tracerProvider`');
    expect(() => instrumentAll({ meterProvider: 1 as never })).toThrow('`meterProvider`');
    expect(() => instrumentAll({ propagate: 'yes' as never })).toThrow('`propagate`');
    expect(() => instrumentAll({ urlTemplate: '/x' as never })).toThrow('`urlTemplate`');
    expect(() => instrumentAll({ urlTemplat: () => '/x' } as never)).toThrow('did you mean `urlTemplate`?');
  });

  it('leave nothing active behind', async () => {
    const { client } = await observedClient();
    await client.get('/issues');
    expect(trace.getSpan(context.active())).toBeUndefined();
  });
});
