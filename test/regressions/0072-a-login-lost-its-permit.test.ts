// A pause that ended while a login got into line let the login go at once, and the login forgot that it might: it got into
// line again, behind the permit that it held itself, and the client fell silent. A model of the rules over real sockets met
// it once, on a busy machine: only there do microseconds pass between two lines. Here the pause ends between any two readings.
import { type ClientSnapshot, type ConnectorClientOptions, createConnectorClient } from 'concordat/client';
import { virtualClock } from 'concordat/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { track, until } from '../helpers/until.js';

const pauseMs = 1000;

/** A clock on which a pause ends between two readings; its timers fire when it is advanced. */
function jumpingClock() {
  const clock = virtualClock();
  let [readings, jump] = [0, Number.POSITIVE_INFINITY];
  return {
    now: () => clock.now(),
    setTimer: clock.setTimer.bind(clock),
    advance: clock.advance.bind(clock),
    monotonic: () => clock.monotonic() + (++readings < jump ? 0 : pauseMs),
    /** Counts from now on. */
    jumpAt(reading: number) {
      [readings, jump] = [0, reading];
    },
    get wasRead() {
      return readings;
    },
  };
}

function connect(
  reading: number,
  initialize: ConnectorClientOptions['initialize'],
  options: Partial<ConnectorClientOptions> = {},
) {
  const clock = jumpingClock();
  const pause = (): ClientSnapshot => {
    const resumeAt = new Date(clock.now() + pauseMs).toISOString();
    return { version: 1, pauses: [{ scope: '', resumeAt }], quotas: [] };
  };
  const client = createConnectorClient({
    baseUrl: 'http://connector.test',
    initialize,
    clock,
    rateLimit: { jitterMs: 0 },
    fetch: async () => Response.json({ 'x-session': 'a' }),
    snapshot: pause(),
    ...options,
  });
  onTestFinished(() => client.close());
  clock.jumpAt(reading);
  return { client, clock, pause };
}

const logins: [string, ConnectorClientOptions['initialize']][] = [
  ['over HTTP', { parameters: {} }],
  [
    'by a function',
    async ({ request }) => (await request({ method: 'POST', path: '/initialize' })).data as Record<string, string>,
  ],
];

describe.each(logins)('a login %s', (_how, initialize) => {
  it('goes on if the pause ends while it gets into line (G9)', async () => {
    const control = connect(Number.POSITIVE_INFINITY, initialize);
    const waiting = track(control.client.get('/items'));
    await new Promise(setImmediate);
    expect(waiting.settled).toBe(false);
    const readings = control.clock.wasRead;
    expect(readings).toBeGreaterThan(3);
    for (let reading = 1; reading <= readings; reading++) {
      const { client, clock } = connect(reading, initialize);
      const call = track(client.get('/items'));
      await clock.advance(pauseMs);
      await until(() => call.settled, `the call whose pause ends at reading ${reading}`);
      expect(call.value).toEqual({ 'x-session': 'a' });
    }
  });
});

describe('calls with a session', () => {
  it.each([1, 64])('go on if the pause ends while they get into line, %i at once (G9)', async (concurrency) => {
    const arrive = async (reading: number) => {
      const { client, clock, pause } = connect(Number.POSITIVE_INFINITY, { parameters: {} }, { concurrency });
      await clock.advance(pauseMs);
      await client.get('/items');
      clock.jumpAt(reading);
      client.restore(pause());
      const calls = track(Promise.all([1, 2, 3].map((id) => client.get(`/items/${id}`))));
      await new Promise(setImmediate);
      return { calls, clock };
    };
    const control = await arrive(Number.POSITIVE_INFINITY);
    expect(control.calls.settled).toBe(false);
    const readings = control.clock.wasRead;
    for (let reading = 1; reading <= readings; reading++) {
      const { calls, clock } = await arrive(reading);
      await clock.advance(pauseMs);
      await until(() => calls.settled, `the calls whose pause ends at reading ${reading}`);
      expect(calls.value).toHaveLength(3);
    }
  });
});
