import type { ConnectorClient } from 'concordat/client';
import { memoryState } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { connect } from '../helpers/connect.js';
import { holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';
import { virtualClock } from '../helpers/virtual-clock.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

async function pair() {
  const connector = await scriptedConnector();
  const clock = virtualClock();
  const state = memoryState();
  const first = connect(connector, { state, clock });
  const second = connect(connector, { state, clock });
  return { connector, clock, first, second };
}

describe('clients that share their state', () => {
  it('share one login', async () => {
    const { connector, first, second } = await pair();
    await Promise.all([get(first), get(second), get(first), get(second)]);
    expect(connector.logins).toHaveLength(1);
    expect(new Set(connector.requests.map(({ session }) => session))).toEqual(new Set(['session-1']));
  });

  it('share one login per expiry, however the 401s fall', async () => {
    const { connector, first, second } = await pair();
    await Promise.all([get(first), get(second)]);
    for (let expiry = 1; expiry <= 3; expiry++) {
      connector.expireSessions();
      await Promise.all(many(50, (index) => get(index % 2 ? first : second)));
      expect(connector.logins).toHaveLength(1 + expiry);
    }
    connector.expireSessions();
    await get(first);
    await get(second); // finds out later, and adopts the session of the first
    expect(connector.logins).toHaveLength(5);
  });

  it('share a pause: during it nothing arrives from either', async () => {
    const { connector, clock, first, second } = await pair();
    await Promise.all([get(first), get(second)]);
    connector.handle = (exchange) => (exchange.number === 3 ? exchange.limit(3600) : exchange.reply(200, {}));
    const calls = [track(get(first))];
    await until(() => first.status.paused);
    calls.push(...many(5, () => track(get(second))));
    expect(second.status.paused).toBe(true);
    await clock.advance(3_599_999);
    await grace();
    expect(connector.requests).toHaveLength(3);
    await clock.advance(1000); // the pause is handed on as a date, which may round
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error === undefined)).toBe(true);
  });

  it('a client that comes later joins the pause that is on', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(3600) });
    const clock = virtualClock();
    const state = memoryState();
    const first = connect(connector, { state, clock });
    const controller = new AbortController();
    const call = track(first.request({ method: 'GET', path: '/', signal: controller.signal }));
    await until(() => first.status.paused);
    const late = track(get(connect(connector, { state, clock })));
    await clock.advance(1_800_000);
    await grace();
    expect(connector.requests).toHaveLength(1);
    expect(late.settled).toBe(false);
    controller.abort();
    await until(() => call.settled);
  });

  it('one that closes does not end the other one', async () => {
    const { connector, first, second } = await pair();
    await Promise.all([get(first), get(second)]);
    await first.close();
    connector.expireSessions();
    await expect(get(second)).resolves.toMatchObject({ status: 200 });
  });

  it('a refused login of one is refused for the other, too, and made once', async () => {
    const { connector, first, second } = await pair();
    const hold = holdAll();
    connector.initialize = hold.handler;
    const errors = [rejection(get(first)), rejection(get(second))];
    await until(() => hold.held.length > 0);
    await grace();
    expect(hold.held).toHaveLength(1);
    connector.initialize = (exchange) => exchange.fail(401, 'NO', 'Wrong password');
    hold.release((exchange) => exchange.fail(401, 'NO', 'Wrong password'));
    for (const error of await Promise.all(errors))
      expect(error).toMatchObject({ name: 'InitializeError', status: 401 });
    expect(connector.logins).toHaveLength(1);
  });

  it.each(['aborts', 'closes'])(
    'the one that runs the shared login %s: the other one gets its session',
    async (how) => {
      const { connector, clock, first, second } = await pair();
      connector.initialize = (exchange) => (exchange.number === 1 ? exchange.limit(60) : connector.logIn(exchange));
      const controller = new AbortController();
      const call = track(first.request({ method: 'GET', path: '/', signal: controller.signal }));
      await until(() => connector.logins.length === 1);
      const other = track(get(second));
      await until(() => first.status.paused);
      await grace();
      if (how === 'aborts') controller.abort();
      else first.close().catch(() => {});
      await until(() => call.settled);
      await clock.advance(61_000);
      await until(() => other.settled);
      expect(other.error).toBeUndefined();
      expect(other.value).toMatchObject({ status: 200 });
    },
  );

  it('control: clients with a state of their own share nothing', async () => {
    const connector = await scriptedConnector();
    await Promise.all([get(connect(connector)), get(connect(connector))]);
    expect(connector.logins).toHaveLength(2);
  });
});
