import { describe, expect, it } from 'vitest';
import type { WorkerReport } from '../../../examples/service/fleet/reports.js';
import { noFacts } from '../../../examples/service/syncs/run.js';
import { textOf } from '../../admin/ui/helpers/html.js';
import { sampleWorker } from './helpers/sample-worker.js';
import { connections, noon, startSyncs } from './helpers/syncs-host.js';

const begun = { connector: 'GitHub', connections, trigger: 'start' } as const;

describe('the page Syncs', () => {
  it('lists the workers with what they wait for, says when there is none, and nothing of them without redis', async () => {
    let workers: readonly WorkerReport[] | undefined = [sampleWorker(Date.now() + 600_000)];
    const host = await startSyncs({ workers: () => workers });
    const visitor = await host.visitor('alice');
    const read = async () => textOf((await visitor.open('/syncs')).html);
    expect(await read()).toMatch(/machine-7, process 4711 +Working, since .* Open +Paused · \d+ min.* left +18 +2 +2/);
    workers = [];
    expect(await read()).toContain('Runs wait until a worker is started: npm run worker');
    workers = undefined;
    expect(await read()).not.toContain('Workers');
  });

  it('says that there is no run yet, and is in the menu', async () => {
    const host = await startSyncs();
    const visitor = await host.visitor('alice');
    const page = await visitor.open('/syncs');
    expect(page.status).toBe(200);
    expect(textOf(page.html)).toContain('No run yet');
    expect((await visitor.open('/api-keys')).html).toContain('href="/syncs"');
  });

  it('shows without script what the run is doing and what it waits for, and is loaded again until that is switched off', async () => {
    const host = await startSyncs();
    const { id } = host.store.begin(begun);
    const pause = { type: 'pause', untilMs: noon + 125_000, source: 'header', endedMs: null } as const;
    host.store.addEvent(id, 'Target', noon, pause);
    const target = { ...connections[1], session: 'active', requests: 120, refused: 3, logins: 1, pauses: 1 } as const;
    host.store.progress(
      id,
      {
        ...noFacts,
        ...{ phase: 'Writing', done: 240, total: 520, written: 240 },
        connections: [{ ...target, waitedMs: 0, quota: { limit: 120, windowMs: 5000 } }],
      },
      [{ connection: 'Target', second: noon / 1000, requests: 120, refused: 3 }],
    );
    host.time.nowMs += 2000;
    const visitor = await host.visitor('alice');
    const { html } = await visitor.open('/syncs');
    const text = textOf(html);
    expect(text).toContain('Writing: 240 of 520 issues.');
    expect(text).toContain('Paused · 2 min 3 s left');
    expect(text).toContain('Rate limit reached, as the connector said. Resumes at 12:02:05 UTC.');
    expect(text).toContain('quota: 120 requests in 5 s');
    expect(text).toContain('Paused for a rate limit, until 12:02:05 UTC.');
    expect(text).toContain('120 requests; 3 requests refused.');
    expect(html).toMatch(/<rect class="pause-ahead"/);
    expect(html).toMatch(/<noscript><meta http-equiv="refresh" content="10"\/?><\/noscript>/);
    expect(html).toContain('href="/syncs?refresh=off"');
    expect((await visitor.open('/syncs?refresh=off')).html).not.toContain('http-equiv="refresh"');
    host.store.end(id, { state: 'finished' });
    // A control: nothing goes on any more.
    expect((await visitor.open('/syncs')).html).not.toContain('http-equiv="refresh"');
  });

  it('shows every way in which a run can end', async () => {
    const host = await startSyncs();
    const visitor = await host.visitor('alice');
    const ended = async (end: Parameters<typeof host.store.end>[1]) => {
      const { id, connections } = host.store.begin(begun);
      host.store.progress(id, { ...noFacts, connections, read: 3, written: 2 }, []);
      host.store.end(id, end);
      return textOf((await visitor.open(`/syncs/runs/${id}`)).html);
    };
    expect(await ended({ state: 'finished' })).toContain('Both ends are equal: 3 issues compared, 2 written.');
    expect(await ended({ state: 'stopped', stoppedBy: 'root' })).toContain('Stopped by root.');
    const failed = await ended({ state: 'failed', error: 'GET /issues: 404 <b>Not Found</b>' });
    expect(failed).toContain('GET /issues: 404 <b>Not Found</b>');
    expect(failed).toContain('It goes on from run 2');
    expect((await visitor.open('/syncs/runs/3')).html).toContain('&lt;b&gt;Not Found');
    expect((await visitor.open('/syncs/runs/99')).status).toBe(404);
    expect((await visitor.open('/syncs/nowhere')).status).toBe(404);
  });

  it('pages through the runs, and lists on demand only those that wrote something or went wrong', async () => {
    const host = await startSyncs();
    for (let run = 1; run <= 20; run++) {
      const { id } = host.store.begin(begun);
      host.store.progress(id, { ...noFacts, written: run === 2 ? 1 : 0 }, []);
      host.store.end(id, { state: 'finished' });
    }
    const visitor = await host.visitor('alice');
    const rows = (html: string) => [...html.matchAll(/data-row="(\d+)"/g)].map(([, id]) => Number(id));
    const first = rows((await visitor.open('/syncs')).html);
    expect([first[0], first.at(-1)]).toEqual([20, 6]);
    const older = /href="([^"]*)"[^>]*>\s*Older/.exec(visitor.page.html)?.[1] ?? '';
    expect(rows((await visitor.open(older)).html)).toEqual([5, 4, 3, 2, 1]);
    expect(rows((await visitor.open('/syncs?show=eventful')).html)).toEqual([2]);
  });
});

describe('starting and stopping', () => {
  it('is for Super Admins; everybody else may watch', async () => {
    const host = await startSyncs();
    const [root, alice] = [await host.visitor('root'), await host.visitor('alice')];
    await alice.open('/syncs');
    expect(alice.page.html).not.toContain('action="/syncs/start"');
    const token = alice.form('/sign-out').fields.get('token') ?? '';
    const asked = await alice.open('/syncs/start', { method: 'POST', body: new URLSearchParams({ token }) });
    expect([asked.status, textOf(asked.html)]).toEqual([
      403,
      expect.stringContaining('Only a Super Admin may start and stop runs.'),
    ]);
    const waiting = host.control.next(60_000, new AbortController().signal);
    await root.open('/syncs');
    expect(textOf((await root.submit('/syncs/start')).html)).toContain('You have started a run.');
    expect(await waiting).toEqual({ trigger: 'user', startedBy: 'root' });
  });

  it('takes the token of the page and nothing else', async () => {
    const host = await startSyncs();
    const root = await host.visitor('root');
    const stop = host.control.begin(new AbortController().signal);
    await root.open('/syncs');
    expect((await root.submit('/syncs/stop', { token: 'x' })).status).toBe(403);
    await root.open('/syncs');
    expect((await root.submit('/syncs/stop', {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await root.request('/syncs/stop')).status).toBe(404);
    expect(stop.aborted).toBe(false);
    await root.open('/syncs');
    expect(textOf((await root.submit('/syncs/stop')).html)).toContain('You have stopped the run.');
    expect(stop.aborted).toBe(true);
    expect(host.control.ended()).toEqual({ stoppedBy: 'root' });
  });

  it('holds the schedule after a stop, until somebody starts a run', async () => {
    const host = await startSyncs();
    const service = new AbortController();
    host.control.begin(service.signal);
    host.control.stop('root');
    host.control.ended();
    const next = host.control.next(0, service.signal);
    const { id } = host.store.begin(begun);
    host.store.end(id, { state: 'stopped', stoppedBy: 'root' });
    const root = await host.visitor('root');
    expect(textOf((await root.open('/syncs')).html)).toContain('On hold root stopped it');
    await root.submit('/syncs/start');
    expect(await next).toEqual({ trigger: 'user', startedBy: 'root' });
    host.control.begin(service.signal);
    host.control.ended();
    // A control: without a stop, the schedule goes on by itself.
    expect(await host.control.next(0, service.signal)).toEqual({ trigger: 'schedule' });
  });

  it('starts nothing beside a run that is going on, and stops nothing when there is none', async () => {
    const host = await startSyncs();
    expect(host.control.stop('root')).toBe(false);
    host.control.begin(new AbortController().signal);
    expect(host.control.start('root')).toBe(false);
    expect(host.control.stop('root')).toBe(true);
    expect(host.control.stop('root')).toBe(false);
  });
});
