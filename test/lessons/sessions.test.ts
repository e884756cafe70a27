import type { ConnectorClient } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { connectVirtually } from '../helpers/connect.js';
import { holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection, track, until } from '../helpers/until.js';

const get = (client: ConnectorClient, signal?: AbortSignal) =>
  client.get('/items', signal === undefined ? {} : { signal });

describe('a wait that outlives the session (S4, G2)', () => {
  it('the request goes out with the session there is after waking, not with the one it was made with', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) =>
        exchange.number === 1 ? exchange.limit(3600) : exchange.reply(200, { session: exchange.session }),
    });
    const { client, clock } = connectVirtually(connector);
    const call = track(get(client));
    await until(() => client.status.paused);
    connector.expireSessions();
    await clock.advance(3_600_000);
    await until(() => call.settled);
    expect(call.value).toEqual({ session: 'session-2' });
    // One request finds out that the session has died meanwhile; none is sent with it after that.
    expect(connector.requests.map(({ session }) => session)).toEqual(['session-1', 'session-1', 'session-2']);
  });
});

describe('a login that hangs (S6)', () => {
  it('who waits for less time than the login takes gives up alone; the login serves the others', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ initialize: hold.handler });
    const { client, clock } = connectVirtually(connector);
    const impatient = track(client.get('/items', { totalTimeoutMs: 1000 }));
    const patient = track(get(client));
    await until(() => hold.held.length === 1);
    await clock.advance(1000);
    await until(() => impatient.settled);
    expect(impatient.error).toMatchObject({ code: 'BUDGET_EXCEEDED' });
    expect(patient.settled).toBe(false);
    hold.release(connector.logIn);
    await until(() => patient.settled);
    expect(patient.value).toMatchObject({ session: 'session-1' });
    expect(connector.logins).toHaveLength(1);
  });

  it('one that never ends is given up, everybody is told, and the next call logs in', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ initialize: hold.handler });
    const { client, clock } = connectVirtually(connector, { retry: { retries: 0 } });
    const waiting = [rejection(get(client)), rejection(get(client)), rejection(get(client))];
    await until(() => hold.held.length === 1);
    await clock.advance(60_000);
    for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ name: 'InitializeError' });
    connector.initialize = connector.logIn;
    expect(await get(client)).toMatchObject({ session: 'session-2' });
  });
});

describe('a login that was given up and joined again (S5)', () => {
  it('is refused with an InitializeError, and the cool-down holds', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ initialize: hold.handler });
    const { client } = connectVirtually(connector);
    const controller = new AbortController();
    const first = rejection(get(client, controller.signal));
    await until(() => hold.held.length === 1);
    controller.abort(new Error('gone'));
    await first;
    const second = rejection(get(client)); // joins the login that nobody wanted any more
    hold.release((exchange) => exchange.fail(401, 'WRONG_PASSWORD', 'No such user'));
    expect(await second).toMatchObject({ name: 'InitializeError', status: 401, refused: true });
    expect(await rejection(get(client))).toMatchObject({ name: 'InitializeError' });
    expect(connector.logins).toHaveLength(1);
  });
});
