import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientChannelEvents, ConnectorClient } from 'concordat/client';
import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../helpers/connect.js';
import { holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection, track, until } from '../helpers/until.js';

const get = (client: ConnectorClient) => client.request({ method: 'GET', path: '/items' });

// biome-ignore lint/suspicious/noExplicitAny: events of all sorts in one list
type Traced = Record<'call' | 'attempt' | 'wait' | 'result', any[]>;

/** What tracers see of calls to one connector. */
function trace(connector: { url: string }): Traced {
  const traced: Traced = { call: [], attempt: [], wait: [], result: [] };
  for (const [name, list] of Object.entries(traced)) {
    const listener = (message: unknown) => {
      if ((message as { baseUrl: string }).baseUrl === connector.url) list.push(message);
    };
    subscribe(`concordat:client:${name}`, listener);
    onTestFinished(() => {
      unsubscribe(`concordat:client:${name}`, listener);
    });
  }
  return traced;
}

it('a tracer sees each request of a call by its number, and what came of the call (G6)', async () => {
  const connector = await scriptedConnector();
  const statuses = [503, 502, 200];
  connector.handle = (exchange) => exchange.reply(statuses.shift() ?? 200, {});
  const traced = trace(connector);
  await get(connect(connector));
  const [{ call }] = traced.call;
  expect(call).toEqual({ method: 'GET', path: '/items' });
  expect(traced.attempt.filter((attempt) => attempt.call === call)).toMatchObject([
    { number: 1, status: 503, outcome: 'error' },
    { number: 2, status: 502, outcome: 'error' },
    { number: 3, status: 200, outcome: 'success' },
  ]);
  expect(traced.result).toMatchObject([{ call, status: 200, attempts: 3 }]);
  expect(traced.result[0]).not.toHaveProperty('error');
});

it('and each request of a login, which belongs to no call (G6)', async () => {
  const connector = await scriptedConnector({ guard: false });
  connector.initialize = (exchange) =>
    exchange.number === 1 ? exchange.reply(503, {}) : exchange.reply(200, { 'x-session': 'session-1' });
  const traced = trace(connector);
  await get(connect(connector));
  const logins = traced.attempt.filter((attempt) => attempt.call === undefined);
  expect(logins).toMatchObject([
    { method: 'POST', path: '/initialize', number: 1, status: 503, outcome: 'error' },
    { method: 'POST', path: '/initialize', number: 2, status: 200, outcome: 'success' },
  ]);
});

it('a header of a tracer that HTTP cannot carry is left out (G6)', async () => {
  const connector = await scriptedConnector();
  const trace = (message: unknown) => {
    const { baseUrl, setHeader } = message as { baseUrl: string } & ClientChannelEvents['call'];
    if (baseUrl !== connector.url) return;
    for (const value of ['Müller €', 'a\r\nb: c']) setHeader('x-user', value);
    setHeader('not a name', 'a');
    setHeader('x-job', '7');
  };
  subscribe('concordat:client:call', trace);
  onTestFinished(() => void unsubscribe('concordat:client:call', trace));
  await get(connect(connector));
  const { headers } = connector.requests.at(-1) ?? {};
  expect([headers?.['x-user'], headers?.['x-job']]).toEqual([undefined, '7']);
});

it("a traced call carries its own headers, and a tracer's (G6)", async () => {
  const connector = await scriptedConnector();
  const trace = (message: unknown) => {
    const { baseUrl, setHeader } = message as ClientChannelEvents['call'] & { baseUrl: string };
    if (baseUrl !== connector.url) return;
    setHeader('X-Mine', 'the tracer');
    setHeader('traceparent', '00-1');
  };
  subscribe('concordat:client:call', trace);
  onTestFinished(() => void unsubscribe('concordat:client:call', trace));
  await connect(connector).get('/items', { headers: { 'x-mine': '7' } });
  expect(connector.requests.at(-1)?.headers).toMatchObject({ 'x-mine': '7', traceparent: '00-1' });
});

it('a redirect, which is not followed, has failed (G6)', async () => {
  const connector = await scriptedConnector({ handle: ({ reply }) => reply(302, undefined, { location: '/x' }) });
  const traced = trace(connector);
  await rejection(get(connect(connector)));
  expect(traced.attempt.at(-1)).toMatchObject({ outcome: 'failed', status: 302, error: { name: 'RequestError' } });
});

it('a login function that fails is told of by its name (G6)', async () => {
  const connector = await scriptedConnector();
  const initialize = async () => {
    throw new Error('no vault');
  };
  const client = connect(connector, { initialize });
  const errors: unknown[] = [];
  client.on('error', (event) => errors.push(event));
  await rejection(get(client));
  expect(errors[0]).toMatchObject({ method: 'initialize', path: '', error: { name: 'InitializeError' } });
});

it('a request that its caller aborts tells why it ended (G6)', async () => {
  const hold = holdAll();
  const connector = await scriptedConnector({ handle: hold.handler });
  const traced = trace(connector);
  const controller = new AbortController();
  const call = track(connect(connector).request({ method: 'GET', path: '/items', signal: controller.signal }));
  await until(() => hold.held.length === 1);
  controller.abort();
  await until(() => call.settled);
  expect(traced.attempt.at(-1)).toMatchObject({ outcome: 'aborted', error: { name: 'AbortError' } });
});

it('a call without any response has no status (G6)', async () => {
  const connector = await scriptedConnector();
  connector.handle = (exchange) => exchange.drop();
  const traced = trace(connector);
  const error = await rejection(get(connect(connector, { retry: { retries: 0 } })));
  expect(traced.attempt.at(-1)).toMatchObject({ outcome: 'failed', error: { code: 'NETWORK_ERROR' } });
  expect(traced.result).toMatchObject([{ error, attempts: 1 }]);
  expect(traced.result[0]).not.toHaveProperty('status');
});
