import { UnauthorizedError } from 'concordat';
import type { ConnectorClient } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { connectVirtually } from '../helpers/connect.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, track, until } from '../helpers/until.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const ok = (exchange: Exchange) => exchange.reply(200, {});

describe('a call whose session others have used (S4)', () => {
  /** One call is refused with every session, after another one got through with it: so often at most. */
  async function refusedAlways(most: number) {
    const connector = await scriptedConnector({ guard: false });
    const hold = holdAll();
    connector.handle = (exchange) => (exchange.path === '/refused' ? hold.handler(exchange) : ok(exchange));
    const { client, clock } = connectVirtually(connector);
    const call = track(get(client, '/refused'));
    for (let sends = 1; sends <= most; sends++) {
      await until(() => hold.held.length === 1);
      await get(client, '/other'); // the session works
      hold.release((exchange) => exchange.fail(401, 'SESSION_EXPIRED', 'expired'));
      await until(() => connector.open.length === 0);
      await grace();
      await clock.advance(1000); // for a trial
      await until(() => call.settled || hold.held.length === 1);
      if (call.settled) break;
    }
    return { connector, call, hold };
  }

  it('does not count five of its 401s, but is not refused for ever', async () => {
    const { connector, call } = await refusedAlways(20);
    expect(call.error).toBeInstanceOf(UnauthorizedError);
    // The first 401 counts always, five are put down to others, and then come the second one and its trial.
    expect(connector.requests.filter(({ path }) => path === '/refused')).toHaveLength(8);
    expect(connector.logins).toHaveLength(7);
  });

  it('control: gets through with the session after those five', async () => {
    const { connector, call, hold } = await refusedAlways(6);
    expect(call.settled).toBe(false);
    hold.release(ok);
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
    expect(connector.logins).toHaveLength(7);
  });
});
