import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noFacts, type RunFacts } from '../../../examples/service/syncs/run.js';
import { silenceMs } from '../../../examples/service/syncs/store/owner.js';
import { RunStore } from '../../../examples/service/syncs/store/run-store.js';
import { newDirectory } from './helpers/new-directory.js';
import { connections, noon } from './helpers/syncs-host.js';

const begun = { connector: 'GitHub', connections, trigger: 'start' } as const;

/** A file that any number of stores can open, as processes do that come and go. */
function newFile() {
  const file = path.join(newDirectory(), 'syncs.db');
  const time = { nowMs: noon };
  const open = async (owner?: { id: string; host: string; pid: number }) => {
    const store = await RunStore.open(file, { now: () => time.nowMs, ...(owner && { owner }) });
    onTestFinished(() => {
      try {
        store.close();
      } catch {
        // The test has closed it.
      }
    });
    return store;
  };
  return { file, time, open };
}

function facts(changes: Partial<RunFacts>): RunFacts {
  return { ...noFacts, ...changes };
}

describe('the store of runs', () => {
  it('keeps runs, samples and events over a restart', async () => {
    const { open, time } = newFile();
    const first = await open();
    const run = first.begin({ ...begun, startedBy: 'admin', trigger: 'user' });
    const pause = { type: 'pause', untilMs: noon + 5000, source: 'header', endedMs: null } as const;
    const id = first.addEvent(run.id, 'Target', noon + 1000, pause);
    first.changeEvent(id, { ...pause, endedMs: noon + 6000 });
    const samples = [{ connection: 'Target', second: noon / 1000, requests: 12, refused: 1 }];
    first.progress(run.id, facts({ read: 520, written: 7 }), samples);
    time.nowMs += 8000;
    first.end(run.id, { state: 'finished' });
    first.close();

    const second = await open();
    expect(second.get(run.id)).toMatchObject({
      ...{ id: 1, state: 'finished', trigger: 'user', startedBy: 'admin', read: 520, written: 7 },
      ...{ startedMs: noon, endedMs: noon + 8000, connector: 'GitHub' },
    });
    expect(second.changes(run.id)).toMatchObject({
      whole: true,
      samples,
      events: [{ connection: 'Target', atMs: noon + 1000, type: 'pause', endedMs: noon + 6000 }],
    });
  });

  it('gives what is new since a revision, and nothing when nothing is', async () => {
    const { open } = newFile();
    const store = await open();
    const { id } = store.begin(begun);
    const { revision } = store.changes(id) ?? { revision: -1 };
    expect(store.changes(id, { since: revision })).toBeUndefined();
    store.addEvent(id, 'Source', noon, { type: 'login', reason: 'first' });
    const update = store.changes(id, { since: revision });
    expect(update).toMatchObject({ whole: false, samples: [], events: [{ type: 'login' }] });
    expect(store.changes(id, { since: update?.revision })).toBeUndefined();
    store.progress(id, noFacts, []);
    const since = store.changes(id, { since: update?.revision })?.revision;
    store.progress(id, noFacts, []);
    // Only the sign of life of a run that waits: nothing to tell.
    expect(store.changes(id, { since })).toBeUndefined();
    // A number that this file has never given: of another one, that was deleted meanwhile.
    expect(store.changes(id, { since: 1_000_000 })).toMatchObject({ whole: true });
  });

  it('sums up the samples of long runs, so that there are never more than can be seen', async () => {
    const { open, time } = newFile();
    const store = await open();
    const { id } = store.begin(begun);
    const second = noon / 1000;
    const samples = Array.from({ length: 3000 }, (_, index) => ({
      ...{ connection: 'Target', second: second + index, requests: 2, refused: index % 100 === 0 ? 1 : 0 },
    }));
    store.progress(id, noFacts, samples);
    time.nowMs += 3_000_000;
    const all = store.changes(id)?.samples ?? [];
    expect(all.length).toBeLessThanOrEqual(180);
    expect(all.reduce((sum, { requests }) => sum + requests, 0)).toBe(6000);
    expect(all.reduce((sum, { refused }) => sum + refused, 0)).toBe(30);
    const recent = store.changes(id, { recentMs: 60_000 })?.samples ?? [];
    expect(recent).toHaveLength(60);
  });

  it('shows the run of a process that was killed as interrupted, from when it was last heard of', async () => {
    const { open, time } = newFile();
    const killed = spawn(process.execPath, ['-e', '']);
    await once(killed, 'exit');
    const dead = await open({ id: 'dead', host: hostname(), pid: killed.pid as number });
    const { id } = dead.begin(begun);
    time.nowMs += 3000;
    dead.progress(id, facts({ written: 3 }), []);
    time.nowMs += 1000;
    const store = await open();
    expect(store.get(id)).toMatchObject({ state: 'interrupted', endedMs: noon + 3000, written: 3 });
  });

  it('leaves the run of a process that lives alone, until it is silent for long (control)', async () => {
    const { open, time } = newFile();
    const other = await open({ id: 'other', host: hostname(), pid: process.ppid });
    const elsewhere = await open({ id: 'elsewhere', host: 'another-machine', pid: 1 });
    const runs = [other.begin(begun).id, elsewhere.begin(begun).id];
    const store = await open();
    const states = () => runs.map((id) => store.get(id)?.state);
    expect(states()).toEqual(['running', 'running']);
    time.nowMs += silenceMs;
    other.progress(runs[0] as number, noFacts, []);
    time.nowMs += 1;
    expect(store.markInterrupted()).toBe(1);
    expect(states()).toEqual(['running', 'interrupted']);
  });

  it('takes a process with the number of this one for gone: in a container every start has the same', async () => {
    const { open } = newFile();
    const before = await open({ id: 'before the restart', host: hostname(), pid: process.pid });
    const { id } = before.begin(begun);
    expect((await open()).get(id)?.state).toBe('interrupted');
  });

  it('ties a run to the one it goes on with', async () => {
    const { open } = newFile();
    const store = await open();
    const stopped = store.begin(begun);
    store.end(stopped.id, { state: 'stopped', stoppedBy: 'admin' });
    const next = store.begin(begun);
    expect(next.resumes).toBe(stopped.id);
    store.end(next.id, { state: 'finished' });
    expect(store.begin(begun).resumes).toBeNull();
    store.end(3, { state: 'failed', error: 'x' });
    const elsewhere = [connections[0], { name: 'Target', repository: 'acme/other' }];
    expect(store.begin({ ...begun, connections: elsewhere }).resumes).toBeNull();
  });

  it('lists page by page, on demand only what wrote something or went wrong', async () => {
    const { open } = newFile();
    const store = await open();
    for (let number = 1; number <= 7; number++) {
      const { id } = store.begin(begun);
      store.progress(id, facts({ written: number === 3 ? 5 : 0 }), []);
      store.end(id, { state: number === 6 ? 'failed' : 'finished' });
    }
    const ids = (list: ReturnType<RunStore['list']>) => list.runs.map(({ id }) => id);
    expect(ids(store.list({ limit: 3 }))).toEqual([7, 6, 5]);
    expect(store.list({ limit: 3 }).hasMore).toBe(true);
    expect(ids(store.list({ limit: 3, before: 3 }))).toEqual([2, 1]);
    expect(store.list({ limit: 3, before: 3 }).hasMore).toBe(false);
    expect(ids(store.list({ limit: 9, eventful: true }))).toEqual([6, 3]);
  });

  it('tells its listeners of every write, until they stop', async () => {
    const { open } = newFile();
    const store = await open();
    let writes = 0;
    const stop = store.onChange(() => writes++);
    const { id } = store.begin(begun);
    store.progress(id, noFacts, []);
    stop();
    store.end(id, { state: 'finished' });
    expect(writes).toBe(2);
  });
});
