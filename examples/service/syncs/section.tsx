import type { AdminSection, AdminSectionContext } from 'concordat/admin';
import { Hono } from 'hono';
import type { WorkerReport } from '../fleet/reports.js';
import { browserScript } from './browser-script.js';
import type { SyncControl } from './control.js';
import { streamRun } from './event-stream.js';
import { overviewPage } from './pages/overview.js';
import { runPage } from './pages/run-page.js';
import { mayControl, readRevision, readSpan } from './requests.js';
import type { RunStore } from './store/run-store.js';
import { stylesheet } from './styles.js';

interface SyncsOptions {
  store: RunStore;
  control: SyncControl;
  /** Of the processes that do the work; `undefined` when this one does. */
  workers?: () => readonly WorkerReport[] | undefined;
  /** How often a stream looks for what another process has written, and whether its sign-in still holds. @default 1000 */
  pollMs?: number;
  /** A stream with nothing to tell sends a comment so often. @default 10000 */
  heartbeatMs?: number;
}

export interface SyncsSection {
  readonly section: AdminSection;
  /** Ends the open streams. */
  close(): void;
}

/**
 * The page *Syncs*: everybody who is signed in may watch; starting and stopping is for Super Admins, for a run writes with
 * the service's own credentials.
 */
export function syncsSection({ pollMs = 1000, heartbeatMs = 10_000, ...parts }: SyncsOptions): SyncsSection {
  const closing = new AbortController();
  const app = new Hono<{ Bindings: AdminSectionContext }>().basePath('/syncs');
  const { store, control } = parts;

  app.get('/', async (c) => await overviewPage(parts, c.env, new URL(c.req.url).searchParams));

  app.get('/runs/:id{[1-9][0-9]{0,14}}', async (c) => {
    const page = await runPage(parts, c.env, Number(c.req.param('id')), new URL(c.req.url).searchParams);
    return page ?? (await notFound(c.env));
  });

  app.get('/events', (c) => {
    const { run, span } = c.req.query();
    return streamRun(c, {
      store,
      run: run === undefined ? 'latest' : Number(run),
      span: readSpan(span) ?? 'recent',
      since: readRevision(c.req.header('last-event-id')),
      ...{ pollMs, heartbeatMs, closing: closing.signal },
    });
  });

  app.post('/start', async (c) => {
    if (!mayControl(c.env)) return await forbidden(c.env);
    const isStarted = control.start(c.env.user.username);
    // Words that are still true when the run has ended, as the page stays.
    return c.env.redirect(c.env.path, isStarted ? 'You have started a run.' : 'A run was going on already.');
  });

  app.post('/stop', async (c) => {
    if (!mayControl(c.env)) return await forbidden(c.env);
    const isStopped = control.stop(c.env.user.username);
    return c.env.redirect(c.env.path, isStopped ? 'You have stopped the run.' : 'There was no run to stop.');
  });

  app.notFound((c) => notFound(c.env));
  app.onError((error) => {
    throw error;
  });

  return {
    section: {
      name: 'syncs',
      title: 'Syncs',
      icon: 'M13.5 6.5A5.7 5.7 0 0 0 3 5.2M2.5 9.5A5.7 5.7 0 0 0 13 10.800M2.700 2.300V5.500H5.900M13.300 13.700V10.500H10.100',
      stylesheet,
      script: browserScript(),
      fetch: (request, context) => app.fetch(request, context),
    },
    close: () => closing.abort(),
  };
}

const notFound = (context: AdminSectionContext) => context.problem(404, 'There is no such page.');
const forbidden = (context: AdminSectionContext) => context.problem(403, 'Only a Super Admin may start and stop runs.');
