import { hostname } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noFacts } from '../../../examples/service/syncs/run.js';
import { RunStore } from '../../../examples/service/syncs/store/run-store.js';
import { EventReader } from './helpers/event-source.js';
import { connections, noon, type SyncsHost, startSyncs } from './helpers/syncs-host.js';

const begun = { connector: 'GitHub', connections, trigger: 'start' } as const;

async function open(host: SyncsHost, { query = '', lastEventId }: { query?: string; lastEventId?: string } = {}) {
  const visitor = await host.visitor('alice');
  const reader = await EventReader.open(`${host.url}/syncs/events${query}`, visitor, lastEventId);
  onTestFinished(() => reader.close());
  return { visitor, reader };
}

const sample = (second: number) => [{ connection: 'Target', second: noon / 1000 + second, requests: 1, refused: 0 }];

describe('the stream of a run', () => {
  it('begins with everything there is, and goes on with what is new, as it is written', async () => {
    const host = await startSyncs();
    const { id } = host.store.begin(begun);
    host.store.progress(id, noFacts, sample(0));
    const { reader } = await open(host);
    expect([reader.status, reader.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(await reader.update()).toMatchObject({ whole: true, run: { id, state: 'running' }, samples: sample(0) });
    host.store.addEvent(id, 'Target', noon, { type: 'login', reason: 'first' });
    expect(await reader.update()).toMatchObject({ whole: false, samples: [], events: [{ type: 'login' }] });
    host.store.progress(id, { ...noFacts, written: 5 }, sample(1));
    expect(await reader.update()).toMatchObject({ run: { written: 5 }, samples: sample(1), events: [] });
  });

  it('gives a browser that comes back what it has missed, and only that (Last-Event-ID)', async () => {
    const host = await startSyncs();
    const { id } = host.store.begin(begun);
    host.store.progress(id, noFacts, sample(0));
    const first = await open(host);
    const seen = await first.reader.update();
    first.reader.close();
    host.store.progress(id, noFacts, sample(1));
    host.store.progress(id, noFacts, sample(2));
    const again = await EventReader.open(`${host.url}/syncs/events`, first.visitor, seen.id);
    onTestFinished(() => again.close());
    expect(await again.update()).toMatchObject({ whole: false, samples: [...sample(1), ...sample(2)] });
    // A control: without the id, everything comes again.
    const { reader } = await open(host);
    expect(await reader.update()).toMatchObject({ whole: true, samples: [...sample(0), ...sample(1), ...sample(2)] });
    const { reader: odd } = await open(host, { lastEventId: 'x; drop table run' });
    expect(await odd.update()).toMatchObject({ whole: true });
  });

  it('tells of what another process writes', async () => {
    const host = await startSyncs();
    const { reader } = await open(host);
    const owner = { id: 'other', host: hostname(), pid: process.ppid };
    const other = await RunStore.open(host.file, { now: () => host.time.nowMs, owner });
    onTestFinished(() => other.close());
    other.begin({ ...begun, trigger: 'once' });
    expect(await reader.update()).toMatchObject({ run: { trigger: 'once', state: 'running' } });
  });

  it('goes on with the next run where the latest one is asked for, and stays with one run elsewhere', async () => {
    const host = await startSyncs();
    const { id } = host.store.begin(begun);
    const latest = await open(host);
    const one = await open(host, { query: `?run=${id}` });
    for (const { reader } of [latest, one]) expect(await reader.update()).toMatchObject({ run: { id } });
    host.store.end(id, { state: 'finished' });
    for (const { reader } of [latest, one]) expect((await reader.update()).run.state).toBe('finished');
    const next = host.store.begin(begun);
    expect((await latest.reader.update()).run.id).toBe(next.id);
    host.store.addEvent(id, null, noon, { type: 'refused', message: 'late' });
    expect((await one.reader.update()).run.id).toBe(id);
  });

  it('sends comments while a wait has nothing to tell, so that nothing in between takes it for dead', async () => {
    const host = await startSyncs({ heartbeatMs: 40 });
    host.store.begin(begun);
    const { reader } = await open(host);
    expect(await reader.next()).toMatchObject({ retry: '2000' });
    await reader.update();
    for (let count = 0; count < 3; count++)
      expect(await reader.next()).toMatchObject({ comment: 'heartbeat', event: '' });
  });

  it.each([
    [
      'signed out',
      async (_host: SyncsHost, visitor: { open(path: string): unknown; submit(action: string): unknown }) => {
        await visitor.open('/api-keys');
        await visitor.submit('/sign-out');
      },
    ],
    ['eight hours have passed', (host: SyncsHost) => host.clock.jumpCalendar(8 * 3_600_000)],
    ['the user was deleted', (host: SyncsHost) => host.users.delete('u-alice')],
  ] as const)('says so and ends when the sign-in is over: %s (K11)', async (_, end) => {
    const host = await startSyncs();
    const { id } = host.store.begin(begun);
    const { reader, visitor } = await open(host);
    await reader.update();
    // A control: as long as it holds, the stream goes on.
    host.store.progress(id, noFacts, sample(0));
    await reader.update();
    await end(host, visitor as never);
    expect(await reader.until('signed-out')).toMatchObject({ event: 'signed-out' });
    expect(await reader.next()).toBeUndefined();
    const again = await EventReader.open(`${host.url}/syncs/events`, visitor);
    expect(again.status).toBe(401);
    again.close();
  });

  it('is for nobody who is not signed in', async () => {
    const host = await startSyncs();
    const reader = await EventReader.open(`${host.url}/syncs/events`, await host.visitor());
    expect(reader.status).toBe(401);
    reader.close();
  });

  it('shows a run whose process is killed as interrupted, while somebody watches', async () => {
    const host = await startSyncs();
    const gone = await RunStore.open(host.file, {
      now: () => host.time.nowMs,
      owner: { id: 'gone', host: 'another-machine', pid: 1 },
    });
    gone.begin(begun);
    gone.close();
    const { reader } = await open(host);
    expect((await reader.update()).run.state).toBe('running');
    host.time.nowMs += 16_000;
    expect(await reader.update()).toMatchObject({ run: { state: 'interrupted', endedMs: noon } });
  });
});
