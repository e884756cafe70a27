import { createConnectorClient, memoryState } from 'concordat/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { connect } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, track, until } from '../helpers/until.js';
import { virtualClock } from '../helpers/virtual-clock.js';

it.each(['aborts', 'closes'])(
  'a client of another copy of the package that runs the shared login %s: the other one gets its session (G4)',
  async (how) => {
    vi.resetModules();
    const copy = await import('concordat/client');
    onTestFinished(() => void vi.resetModules());
    expect(copy.createConnectorClient).not.toBe(createConnectorClient); // control: it really is another copy
    const connector = await scriptedConnector();
    const clock = virtualClock();
    const state = memoryState();
    const options = { baseUrl: connector.url, initialize: { parameters: {} }, clock, state };
    const first = copy.createConnectorClient(options);
    connector.initialize = (exchange) => (exchange.number === 1 ? exchange.limit(60) : connector.logIn(exchange));
    const controller = new AbortController();
    const call = track(first.request({ method: 'GET', path: '/', signal: controller.signal }));
    await until(() => first.status.paused);
    const other = track(connect(connector, { clock, state }).request({ method: 'GET', path: '/items' }));
    await grace();
    if (how === 'aborts') controller.abort();
    else first.close().catch(() => {});
    await until(() => call.settled);
    await clock.advance(61_000);
    await until(() => other.settled);
    expect(other.error).toBeUndefined();
    expect(other.value).toMatchObject({ status: 200 });
    await first.close();
  },
);
