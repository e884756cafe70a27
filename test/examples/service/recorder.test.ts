import path from 'node:path';
import { createConnectorClient } from 'concordat/client';
import { simulateConnector, virtualClock } from 'concordat/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Tally } from '../../../examples/service/engine/tally.js';
import { Recorder } from '../../../examples/service/syncs/recorder.js';
import { RunStore } from '../../../examples/service/syncs/store/run-store.js';
import { newDirectory } from './helpers/new-directory.js';

const begun = {
  connector: 'GitHub',
  connections: [
    { name: 'Source', repository: 'acme/support' },
    { name: 'Target', repository: 'acme/support-mirror' },
  ],
  trigger: 'start',
} as const;

/** Two real clients of a simulated connector, recorded on a clock that only the test moves. */
async function startRecording(quota = { limit: 3, windowMs: 10_000 }) {
  const clock = virtualClock({ startMs: Date.UTC(2026, 10, 21, 12) });
  const now = () => clock.now();
  const store = await RunStore.open(path.join(newDirectory(), 'syncs.db'), { now });
  onTestFinished(() => store.close());
  const simulator = simulateConnector({ clock, rateLimit: quota, session: { ttlMs: 30_000 } });
  const connect = () => {
    const client = createConnectorClient({
      ...{ baseUrl: 'http://connector.test', clock, fetch: simulator.fetch },
      initialize: { parameters: {} },
      rateLimit: { jitterMs: 0 },
    });
    onTestFinished(() => client.close());
    return client;
  };
  const clients = { source: connect(), target: connect() };
  const tally = new Tally();
  const run = store.begin(begun);
  const connections = [
    { name: 'Source', repository: 'acme/support', client: clients.source },
    { name: 'Target', repository: 'acme/support-mirror', client: clients.target },
  ];
  const recorder = new Recorder({ store, run, connections, result: () => tally.result(), now });
  const recorded = () => {
    const update = store.changes(run.id);
    if (update === undefined) throw new Error('There is no run.');
    return update;
  };
  return { clock, store, tally, recorder, recorded, ...clients };
}

describe('the recorder of a run', () => {
  it('counts the requests of each connection second by second, logins included, and leaves out empty seconds', async () => {
    const { clock, recorder, recorded, source, target } = await startRecording({ limit: 100, windowMs: 10_000 });
    const second = clock.now() / 1000;
    await Promise.all([target.get('/items'), source.get('/items')]);
    await clock.advance(1000);
    recorder.tick();
    await clock.advance(1000);
    recorder.tick();
    await target.get('/items');
    await target.get('/items');
    await clock.advance(1000);
    recorder.tick();
    expect(recorded().samples).toEqual([
      { connection: 'Source', second, requests: 2, refused: 0 },
      { connection: 'Target', second, requests: 2, refused: 0 },
      { connection: 'Target', second: second + 2, requests: 2, refused: 0 },
    ]);
    expect(recorded().run.connections).toMatchObject([
      { name: 'Source', requests: 2, logins: 1, session: 'active', pauses: 0 },
      { name: 'Target', requests: 4, logins: 1, refused: 0 },
    ]);
  });

  it('turns a rate limit into a pause with its reason, and closes it when the gate opens (G6)', async () => {
    const { clock, recorder, recorded, target } = await startRecording();
    const startedMs = clock.now();
    for (let request = 0; request < 3; request++) await target.get('/items');
    await clock.advance(500);
    const waiting = target.get('/items');
    await clock.advance(100);
    const [pause] = recorded().events.filter(({ type }) => type === 'pause');
    expect(pause).toMatchObject({ connection: 'Target', source: 'header', endedMs: null });
    expect(pause).toHaveProperty('untilMs');
    recorder.tick();
    expect(recorded().run.connections[1]).toMatchObject({ refused: 1, pauses: 1 });
    await clock.advance(11_000);
    await waiting;
    recorder.tick();
    const [closed] = recorded().events.filter(({ type }) => type === 'pause');
    expect(closed).toMatchObject({ id: pause?.id, endedMs: expect.any(Number) });
    const { endedMs, untilMs } = closed as { endedMs: number; untilMs: number };
    expect(endedMs).toBeGreaterThanOrEqual(untilMs);
    expect(endedMs - startedMs).toBeLessThan(12_000);
    expect(recorded().run.connections[1]?.waitedMs).toBeGreaterThan(8000);
    expect(recorded().run.connections[0]).toMatchObject({ refused: 0, pauses: 0, waitedMs: 0 });
  });

  it('notes logins, and which of them were needed because the session had expired', async () => {
    const { clock, recorded, target } = await startRecording({ limit: 100, windowMs: 1000 });
    await target.get('/items');
    await clock.advance(31_000);
    await target.get('/items');
    expect(recorded().events).toMatchObject([
      { type: 'login', reason: 'first', connection: 'Target' },
      { type: 'login', reason: 'expired', connection: 'Target' },
    ]);
  });

  it('notes the quota that the client learns', async () => {
    const { clock, recorder, recorded, target } = await startRecording({ limit: 5, windowMs: 10_000 });
    expect(recorded().run.connections[1]?.quota).toBeNull();
    const calls = Array.from({ length: 12 }, () => target.get('/items'));
    await clock.advance(40_000);
    await Promise.all(calls);
    recorder.tick();
    expect(recorded().run.connections[1]?.quota).toMatchObject({ limit: 5 });
    expect(recorded().events).toContainEqual(
      expect.objectContaining({ type: 'quota', connection: 'Target', quota: expect.objectContaining({ limit: 5 }) }),
    );
  });

  it('follows phase and progress, and what the tally has', async () => {
    const { recorder, recorded, tally } = await startRecording();
    recorder.phase('Writing', 20);
    recorder.advance(3);
    recorder.advance(1);
    tally.add({ number: 1, type: 'create', state: 'done' });
    tally.add({ number: 2, type: 'update', state: 'done' });
    tally.add({ number: 3, type: 'update', state: 'refused', reason: 'too long' });
    recorder.tick();
    expect(recorded().run).toMatchObject({ phase: 'Writing', done: 4, total: 20, written: 2, failed: 1 });
    recorder.phase('Verifying');
    recorder.tick();
    expect(recorded().run).toMatchObject({ phase: 'Verifying', done: 0, total: 0 });
  });

  it('ends with what came last, closes what is open, and hears nothing more', async () => {
    const { clock, recorder, recorded, target } = await startRecording();
    for (let request = 0; request < 3; request++) await target.get('/items');
    const waiting = target.get('/items');
    await clock.advance(100);
    recorder.end({ state: 'stopped', stoppedBy: 'admin' }, ['Issue 7 was refused: too long']);
    const ended = recorded();
    expect(ended.run).toMatchObject({ state: 'stopped', stoppedBy: 'admin', endedMs: clock.now() });
    expect(ended.samples).toMatchObject([{ connection: 'Target', requests: 5 }]);
    expect(ended.events.at(-1)).toMatchObject({ type: 'refused', message: 'Issue 7 was refused: too long' });
    expect(ended.events).toContainEqual(expect.objectContaining({ type: 'pause', endedMs: clock.now() }));
    await clock.advance(60_000);
    await waiting;
    expect(recorded().revision).toBe(ended.revision);
  });
});
