// A client took the session of another client that shares its `state` for as young as the moment in which it heard of it. So when that
// session was refused, having ended long ago, it seemed to be a fresh one that the connector does not accept: the call failed with an
// UnauthorizedError although nothing was wrong. Three processes that called in turn found it, each idle for longer than a session
// lasts; the simulation has one client.
import { type ConnectionState, type ConnectorClient, createConnectorClient, memoryState } from 'concordat/client';
import { redisState } from 'concordat/redis';
import { simulateConnector, type VirtualClock, virtualClock } from 'concordat/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection } from '../helpers/until.js';
import { redisServer, serverProgram } from '../integrations/redis/helpers/redis-server.js';

/** Clients of one connection, on one virtual clock. */
function fleetOf(size: number, ttlMs: number, state: ConnectionState = memoryState()) {
  const clock = virtualClock();
  const connector = simulateConnector({ session: { ttlMs }, clock });
  const clients = Array.from({ length: size }, () =>
    createConnectorClient({
      baseUrl: 'http://connector.test',
      initialize: { parameters: { user: 'ada' } },
      clock,
      state,
      fetch: async (input, init) => {
        const response = await connector.fetch(input as string, init);
        await new Promise<void>((resolve) => void clock.setTimer(10, resolve));
        return response;
      },
    }),
  );
  const logins = () => connector.journal.filter(({ kind }) => kind === 'login').length;
  return { clock, connector, clients, logins };
}

/** One call at a time, each by the next client. @returns how many failed. */
async function callInTurn(clock: VirtualClock, clients: ConnectorClient[], calls: number, everyMs: number) {
  let failed = 0;
  for (let call = 0; call < calls; call++) {
    await clock.runUntil((clients[call % clients.length] as ConnectorClient).get('/issues').catch(() => failed++));
    await clock.advance(everyMs);
  }
  return failed;
}

describe('clients that share a state call in turn, each time when the session has just ended (S4)', () => {
  it.each([
    [3, 4000, 4300],
    [2, 5000, 11_000],
    [3, 8000, 8100],
    [4, 2000, 2150],
    [3, 1000, 1100],
    [3, 500, 550],
  ])('%i clients, sessions of %i ms, a call every %i ms: none fails, one login each', async (size, ttlMs, everyMs) => {
    const { clock, clients, logins } = fleetOf(size, ttlMs);
    expect(await callInTurn(clock, clients, 30, everyMs)).toBe(0);
    expect(logins()).toBe(30);
  });

  it('while the session lasts they share it (control)', async () => {
    const { clock, clients, logins } = fleetOf(3, 60_000);
    expect(await callInTurn(clock, clients, 30, 1000)).toBe(0);
    expect(logins()).toBe(1);
  });

  it('many at once after each end of a session: one login for all', async () => {
    const { clock, clients, logins } = fleetOf(20, 4000);
    for (let round = 1; round <= 10; round++) {
      const calls = clients.flatMap((client) => [client.get('/a'), client.get('/b'), client.get('/c')]);
      await clock.runUntil(Promise.all(calls));
      expect(logins()).toBe(round);
      await clock.advance(4300);
    }
  });

  /** A state in which others log in so often that a call finds so many sessions in a row, all of them ended. */
  function stateWithEnded(count: number): ConnectionState {
    const headers = { 'x-session': 'ended' };
    let generation = 0;
    return {
      async renew(_expired, login) {
        generation++;
        return generation <= count ? { generation, headers, ageMs: 10_000 } : { generation, headers: await login() };
      },
      pause: () => {},
      onPause: () => () => {},
    };
  }

  it('a call meets five ended sessions in a row, and gets through with a login of its own', async () => {
    const { clock, clients, connector, logins } = fleetOf(1, 4000, stateWithEnded(5));
    await clock.runUntil((clients[0] as ConnectorClient).get('/issues'));
    expect(logins()).toBe(1);
    expect(connector.journal.filter(({ kind }) => kind === 'request')).toHaveLength(6);
  });

  it('one that meets nothing else is given up all the same (control)', async () => {
    const { clock, clients, connector } = fleetOf(1, 4000, stateWithEnded(1000));
    const error = await clock.runUntil(rejection((clients[0] as ConnectorClient).get('/issues')));
    expect(error).toMatchObject({ name: 'UnauthorizedError' });
    expect(connector.journal.length).toBeLessThanOrEqual(8);
  });

  it('a state that does not tell the age of a session: adopted ones count as old', async () => {
    const known = memoryState();
    const state: ConnectionState = {
      renew: async (expired, login, clock) => {
        const { generation, headers } = await known.renew(expired, login, clock);
        return { generation, headers };
      },
      pause: (pause) => known.pause(pause),
      onPause: (listener) => known.onPause(listener),
    };
    const { clock, clients, logins } = fleetOf(3, 4000, state);
    expect(await callInTurn(clock, clients, 30, 4300)).toBe(0);
    expect(logins()).toBe(30);
  });

  it('a connector that refuses every session is still a verdict, after few logins (control)', async () => {
    const clock = virtualClock();
    const connector = simulateConnector({ clock, faults: [{ kind: 'expired' }] });
    const state = memoryState();
    const clients = Array.from({ length: 20 }, () =>
      createConnectorClient({
        baseUrl: 'http://c.test',
        initialize: { parameters: {} },
        clock,
        state,
        fetch: connector.fetch,
      }),
    );
    const errors = await clock.runUntil(Promise.all(clients.map((client) => rejection(client.get('/issues')))));
    for (const error of errors) expect(error).toMatchObject({ name: 'UnauthorizedError' });
    expect(connector.journal.filter(({ kind }) => kind === 'login').length).toBeLessThanOrEqual(3);
  });
});

describe.runIf(serverProgram)('processes that share a state in redis (S4)', () => {
  const graceMs = 100;

  async function fleet() {
    const server = await redisServer();
    const connector = await scriptedConnector();
    const clients = [1, 2, 3].map(() => {
      const redis = server.connect();
      const state = redisState({ redis, connection: 'c', encryptionKey: 'k'.repeat(32) });
      onTestFinished(() => state.close());
      return connect(connector, { state, freshSessionGraceMs: graceMs });
    });
    /** The session ends when it is no longer fresh, however slow the machine is. */
    const end = async () => {
      await new Promise((resolve) => setTimeout(resolve, 2 * graceMs));
      connector.expireSessions();
    };
    return { connector, clients, end };
  }

  it('call in turn, each when the session has ended: none fails, one login each', async () => {
    const { connector, clients, end } = await fleet();
    for (let call = 0; call < 9; call++) {
      await (clients[call % 3] as ConnectorClient).get('/issues');
      await end();
    }
    expect(connector.logins).toHaveLength(9);
  });

  it('while the session lasts they share it (control)', async () => {
    const { connector, clients } = await fleet();
    for (let call = 0; call < 9; call++) await (clients[call % 3] as ConnectorClient).get('/issues');
    expect(connector.logins).toHaveLength(1);
  });
});
