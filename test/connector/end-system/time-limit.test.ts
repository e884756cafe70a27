import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { endSystemFetch } from 'concordat/connector';
import { simulateConnector, virtualClock } from 'concordat/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { until } from '../../helpers/until.js';
import { endSystem } from '../support/end-system.js';
import { makeConnector, start, withToken } from '../support/start.js';

const inTime = { kind: 'other', status: 504, code: 'END_SYSTEM_TIMEOUT' };
const minuteMs = 60_000;

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Answers with a head and half a body, and leaves the rest to the test. */
async function halfAnswered() {
  const { promise: answered, resolve } = deferred<ServerResponse>();
  const url = await endSystem((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '2' }).write('{');
    resolve(response);
  });
  return { url, answered };
}

describe('timeoutMs', () => {
  test('gives an end system up that says nothing: 504', async () => {
    const url = await endSystem(() => {});
    const error = await endSystemFetch({ timeoutMs: 20 })(`${url}/issues?token=canary`).catch((thrown) => thrown);
    expect(error).toMatchObject({ ...inTime, message: `GET /issues: the end system did not respond in time.` });
  });

  test('counts while a body is read as a whole', async () => {
    const { url } = await halfAnswered();
    const response = await endSystemFetch({ timeoutMs: 1_000 })(url);
    await expect(response.json()).rejects.toMatchObject(inTime);
  });

  test('counts while a copy of the body is read, and a copy of that', async () => {
    const { url } = await halfAnswered();
    const response = await endSystemFetch({ timeoutMs: 1_000 })(url);
    await expect(response.clone().clone().json()).rejects.toMatchObject(inTime);
  });

  test('leaves a copy and what it is of to be read both', async () => {
    const url = await endSystem({ status: 200, body: { id: 7 } });
    const response = await endSystemFetch()(url);
    const copy = response.clone();
    expect(await Promise.all([copy.json(), response.text()])).toEqual([{ id: 7 }, '{"id":7}']);
    expect(() => response.clone()).toThrow(TypeError);
  });

  test('does not count for a body that is read as a stream', async () => {
    const { url, answered } = await halfAnswered();
    const response = await endSystemFetch({ timeoutMs: 1_000 })(url);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    (await answered).end('}');
    let text = '';
    for await (const part of response.body ?? []) text += new TextDecoder().decode(part);
    expect(text).toBe('{}');
  });

  test.each([0, -1, Number.NaN, '25'])('%j is no time: a TypeError that names it', (timeoutMs) => {
    expect(() => endSystemFetch({ timeoutMs } as never)).toThrow(/^`timeoutMs` must be a number of milliseconds/);
  });
});

describe('the clock', () => {
  afterEach(() => vi.useRealTimers());

  /** Never answers, and ends when it is told to. */
  const silent = (_input: unknown, init?: RequestInit) =>
    new Promise<Response>((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });

  test('rings after 25 s by default: before the 30 s of the service', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    let isOver = false;
    const outcome = expect(
      endSystemFetch({ fetch: silent })('http://end.system/').finally(() => {
        isOver = true;
      }),
    ).rejects.toMatchObject(inTime);
    await vi.advanceTimersByTimeAsync(24_900);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    await outcome;
  });

  test('is stopped when the call is over', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const answer = (status: number) => async () => Response.json({ id: 7 }, { status });
    for (const read of ['json', 'text', 'arrayBuffer', 'blob'] as const) {
      const response = await endSystemFetch({ fetch: answer(200) })('http://end.system/');
      expect(vi.getTimerCount()).toBe(0);
      const reading = response[read]();
      expect(vi.getTimerCount()).toBe(1);
      await reading;
      expect(vi.getTimerCount()).toBe(0);
    }
    await endSystemFetch({ fetch: answer(404) })('http://end.system/').catch(() => {});
    expect(vi.getTimerCount()).toBe(0);
    // Control: one that is not over.
    const controller = new AbortController();
    const pending = endSystemFetch({ fetch: silent })('http://end.system/', { signal: controller.signal });
    expect(vi.getTimerCount()).toBe(1);
    controller.abort();
    await expect(pending).rejects.toBe(controller.signal.reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('may be another one, which moves on command', async () => {
    const clock = virtualClock();
    const simulated = simulateConnector({
      session: false,
      clock,
      faults: [
        { kind: 'hang', on: '/hang' },
        { kind: 'never-ending', on: '/half', status: 200 },
        { kind: 'never-ending', on: '/error', status: 404 },
      ],
    });
    const endSystem = endSystemFetch({ fetch: simulated.fetch, timeoutMs: minuteMs, clock });
    const outcomes = Promise.allSettled([
      endSystem('http://end.system/hang'),
      endSystem('http://end.system/half').then((response) => response.json()),
      endSystem('http://end.system/error'),
    ]);
    await clock.advance(5_000);
    expect(clock.nextInMs).toBe(minuteMs - 5_000);
    expect(await clock.runUntil(outcomes)).toMatchObject([
      { reason: inTime },
      { reason: inTime },
      { reason: { kind: 'not-found' } },
    ]);
    expect(clock.pending).toBe(0);
  });

  test('may be endless', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const fetch = async () => Response.json({});
    await endSystemFetch({ fetch, timeoutMs: Number.POSITIVE_INFINITY })('http://end.system/');
    void endSystemFetch({ fetch: silent, timeoutMs: Number.POSITIVE_INFINITY })('http://end.system/');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the caller's signal", () => {
  test('ends a call that has time left, while its body is read too', async () => {
    const reason = new Error('no longer needed');
    for (const read of ['json', 'stream'] as const) {
      const { url, answered } = await halfAnswered();
      const controller = new AbortController();
      const response = await endSystemFetch()(url, { signal: controller.signal });
      const closed = once(await answered, 'close');
      const reader = read === 'stream' ? response.body?.getReader() : undefined;
      if (reader) await reader.read();
      const reading = expect(reader ? reader.read() : response.json()).rejects.toBe(reason);
      controller.abort(reason);
      await reading;
      await closed;
    }
  });

  test('and the time both count, whatever is collected as garbage meanwhile', async () => {
    setFlagsFromString('--expose_gc');
    const collect = runInNewContext('gc') as () => void;
    const collecting = setInterval(collect, 50);
    try {
      const url = await endSystem(() => {});
      const call = endSystemFetch({ timeoutMs: 150 })(url, { signal: new AbortController().signal });
      await expect(call).rejects.toMatchObject(inTime);
      const patient = endSystemFetch({ timeoutMs: minuteMs });
      const controller = new AbortController();
      const { signal } = controller;
      const cancelled = expect(patient(url, { signal })).rejects.toHaveProperty('name', 'AbortError');
      setTimeout(() => controller.abort(), 150);
      await cancelled;
      const { url: half } = await halfAnswered();
      const whole = endSystemFetch({ timeoutMs: 1_000 })(half).then((response) => response.text());
      await expect(whole).rejects.toMatchObject(inTime);
    } finally {
      clearInterval(collecting);
    }
  });

  test('may be that of many calls at once, and keeps nothing of them', async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error) => void warnings.push(warning);
    process.on('warning', hear);
    const { signal } = new AbortController();
    const listen = vi.spyOn(signal, 'addEventListener');
    const url = await endSystem({ status: 200, body: { id: 7 } });
    const call = endSystemFetch();
    await Promise.all(Array.from({ length: 40 }, async () => (await call(url, { signal })).json()));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', hear);
    expect(warnings).toEqual([]);
    expect(listen).toHaveBeenCalledTimes(1);
  });

  test('is that of the request which the connector serves: a service that gives up ends the call (D2)', async () => {
    let closed = false;
    const { promise: asked, resolve } = deferred<void>();
    const url = await endSystem((_request, response) => {
      response.once('close', () => {
        closed = true;
      });
      resolve();
    });
    const call = endSystemFetch();
    const errors: unknown[] = [];
    const connector = makeConnector({ onError: (error) => void errors.push(error) });
    connector.get('/', (c) => call(url, { signal: c.req.raw.signal }));
    const service = new AbortController();
    const request = fetch(await start(connector), { headers: withToken, signal: service.signal }).catch(() => {});
    await asked;
    service.abort();
    await request;
    await until(() => closed && errors.length > 0, 'the end system has been let go');
    // A server's signal aborts with a mere text: a log has to tell that from a failure.
    expect(errors).toEqual([expect.any(DOMException)]);
    expect(errors).toMatchObject([{ name: 'AbortError' }]);
  });
});
