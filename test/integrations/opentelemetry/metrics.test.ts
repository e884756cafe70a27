import { metrics as globalMetrics } from '@opentelemetry/api';
import { memoryState } from 'concordat/client';
import { instrument } from 'concordat/opentelemetry';
import { virtualClock } from 'concordat/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rejection, until } from '../../helpers/until.js';
import { connectTo, listeningConnector, observedClient } from './helpers/observed-client.js';
import { telemetry } from './helpers/telemetry.js';

describe('metrics (G6)', () => {
  it('requests: all that were sent, logins and repetitions included', async () => {
    const { seen, client, connector, port } = await observedClient({
      faults: [
        { kind: 'limit', waitMs: 5, at: 2 },
        { kind: 'status', status: 503, at: 3 },
      ],
    });
    await client.get('/issues');
    await client.get('/issues');
    expect(await seen.total('concordat.client.requests')).toBe(connector.journal.length);
    const points = await seen.points('concordat.client.requests');
    const of = (attributes: object) => points.filter((point) => matches(point.attributes, attributes));
    expect(of({ 'concordat.request.purpose': 'login' }).map(({ value }) => value)).toEqual([1]);
    expect(of({ 'concordat.attempt.outcome': 'success', 'concordat.request.purpose': 'call' })[0]?.value).toBe(2);
    expect(of({ 'concordat.attempt.outcome': 'limit' })[0]).toMatchObject({
      value: 1,
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 403,
        'error.type': '403',
        'server.address': '127.0.0.1',
        'server.port': port,
      },
    });
    expect(of({ 'concordat.attempt.outcome': 'error' })[0]?.attributes['error.type']).toBe('503');
  });

  it('http.client.request.duration, in seconds and with the attributes of the conventions only', async () => {
    const { seen, client, port } = await observedClient({ faults: [{ kind: 'slow', delayMs: 30 }] });
    await client.get('/issues');
    const points = await seen.histogram('http.client.request.duration');
    const [get] = points.filter(({ attributes }) => attributes['http.request.method'] === 'GET');
    expect(get?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'server.port': port,
    });
    expect(get?.value.count).toBe(1);
    expect(get?.value.sum).toBeGreaterThanOrEqual(0.025);
    expect(get?.value.sum).toBeLessThan(10);
  });

  it('call durations, with all their waits', async () => {
    const { seen, client } = await observedClient({ faults: [{ kind: 'limit', waitMs: 60, at: 1 }] });
    await client.get('/issues');
    const [call] = await seen.histogram('concordat.client.call.duration');
    expect(call?.value).toMatchObject({ count: 1 });
    expect(call?.value.sum).toBeGreaterThanOrEqual(0.055);
  });

  it('pauses and paused seconds; a long one counts while it lasts', async () => {
    const clock = virtualClock();
    const { seen, client } = await observedClient(
      { faults: [{ kind: 'limit', waitMs: 25_000, at: 1 }], clock },
      { client: { clock } },
    );
    const call = client.get('/issues');
    await until(() => client.status.paused);
    expect(await seen.total('concordat.client.paused_time')).toBe(0);
    await clock.advance(10_000);
    expect(await seen.total('concordat.client.paused_time')).toBe(10);
    await clock.advance(10_000);
    expect(await seen.total('concordat.client.paused_time')).toBe(20);
    await clock.advance(5000);
    await call;
    expect(await seen.total('concordat.client.paused_time')).toBe(25);
    expect(await seen.points('concordat.client.pauses')).toMatchObject([
      { value: 1, attributes: { 'concordat.pause.source': 'header' } },
    ]);
  });

  it('each pause anew, and each client for itself', async () => {
    const clock = virtualClock();
    const { seen, client, url, connector } = await observedClient(
      { faults: [{ kind: 'limit', waitMs: 5000, on: '/limited' }], clock },
      { client: { clock } },
    );
    const other = connectTo(url, { clock });
    onTestFinished(instrument(other, seen.providers));
    for (let round = 0; round < 2; round++) {
      for (const one of [client, other]) {
        const controller = new AbortController();
        const call = rejection(one.get('/limited', { signal: controller.signal }));
        await until(() => one.status.paused);
        controller.abort();
        await call;
      }
      await clock.advance(5000);
    }
    expect(connector.journal.filter(({ fault }) => fault === 'limit')).toHaveLength(4);
    expect(await seen.total('concordat.client.paused_time')).toBe(20);
    expect(await seen.total('concordat.client.pauses')).toBe(4);
  });

  it('of a client that joins a pause, only what it was there for', async () => {
    const clock = virtualClock();
    const state = memoryState();
    const { seen, client, url } = await observedClient(
      { faults: [{ kind: 'limit', waitMs: 25_000, at: 1 }], clock },
      { client: { clock, state } },
    );
    const call = client.get('/issues');
    await until(() => client.status.paused);
    await clock.advance(20_000);
    const late = connectTo(url, { clock, state });
    onTestFinished(instrument(late, seen.providers));
    await clock.advance(5000);
    await call;
    expect(await seen.total('concordat.client.paused_time')).toBe(25 + 5);
  });

  it('logins and retries', async () => {
    const { seen, client, connector } = await observedClient({
      faults: [
        { kind: 'status', status: 500, at: 1 },
        { kind: 'reset', at: 2 },
      ],
    });
    await client.get('/issues');
    connector.expireSessions();
    await client.get('/issues');
    const logins = await seen.points('concordat.client.logins');
    expect(logins.map(({ value, attributes }) => [attributes['concordat.login.reason'], value])).toEqual([
      ['first', 1],
      ['expired', 1],
    ]);
    expect(await seen.points('concordat.client.retries')).toMatchObject([
      { value: 2, attributes: { 'http.request.method': 'GET' } },
    ]);
  });

  it('never carry a path: its values are without end', async () => {
    const { seen, client } = await observedClient();
    await Promise.all(Array.from({ length: 20 }, (_, number) => client.get(`/issues/${number}`)));
    expect(JSON.stringify(await seen.metrics())).not.toContain('/issues');
    expect(await seen.points('concordat.client.requests')).toHaveLength(2); // the login and the GETs
  });

  it('go to the global provider, even one registered later', async () => {
    const { url } = await listeningConnector();
    const client = connectTo(url);
    onTestFinished(instrument(client));
    await client.get('/before');
    const seen = telemetry();
    globalMetrics.setGlobalMeterProvider(seen.meterProvider);
    onTestFinished(() => globalMetrics.disable());
    await client.get('/after');
    expect(await seen.total('concordat.client.requests')).toBe(1);
  });
});

function matches(attributes: object, wanted: object): boolean {
  return Object.entries(wanted).every(([name, value]) => (attributes as Record<string, unknown>)[name] === value);
}
