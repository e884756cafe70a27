import type { AdminSectionContext } from 'concordat/admin';
import type { WorkerReport } from '../../fleet/reports.js';
import type { SyncControl } from '../control.js';
import { formatDuration, formatTime } from '../picture/format.js';
import { recentMs, type Span } from '../picture/frame.js';
import { applyUpdate } from '../picture/model.js';
import { startedHow } from '../picture/words.js';
import { mayControl, readSpan, withFields } from '../requests.js';
import type { Run } from '../run.js';
import type { RunStore } from '../store/run-store.js';
import { Controls } from './controls.js';
import { Line, PageHeader, StateMark, Time } from './parts.js';
import { Announcement, RunPicture } from './picture.js';
import { RefreshNote, refreshOf } from './refresh.js';
import { RunTable } from './run-table.js';
import { Workers } from './workers.js';

export interface PageParts {
  store: RunStore;
  control: SyncControl;
  /** Of the processes that do the work; `undefined` when this one does. */
  workers?: () => readonly WorkerReport[] | undefined;
}

const pageSize = 15;

/** `Syncs`: the connector, the latest run as it goes on, and all runs. */
export async function overviewPage(
  { store, control, workers }: PageParts,
  context: AdminSectionContext,
  query: URLSearchParams,
) {
  store.markInterrupted();
  const span = readSpan(query.get('span')) ?? 'recent';
  const update = store.changes('latest', span === 'recent' ? { recentMs: recentMs + 10_000 } : {});
  const before = /^[1-9]\d{0,14}$/.test(query.get('before') ?? '') ? Number(query.get('before')) : undefined;
  const eventful = query.get('show') === 'eventful';
  const { runs, hasMore } = store.list({ limit: pageSize, before, eventful });
  const { nowMs } = store;
  const latest = update?.run;
  const reports = workers?.();
  const isRunning = latest?.state === 'running';
  const refresh = refreshOf(isRunning || control.nextRunMs !== null, query);
  const link = (changes: Record<string, string | undefined>) => {
    const own = { span: span === 'recent' ? undefined : span, show: eventful ? 'eventful' : undefined };
    return withFields(context.path, { ...own, ...changes });
  };
  return await context.page({
    title: 'Syncs',
    refreshSeconds: refresh.seconds,
    content: (
      <>
        <PageHeader
          title="Syncs"
          actions={
            <div data-live="controls">
              <Controls
                context={context}
                control={control}
                mayControl={mayControl(context)}
                goesOn={latest !== undefined && latest.state !== 'finished'}
              />
            </div>
          }
        >
          What the service reads from one end and writes to the other, as it happens.
        </PageHeader>
        <RefreshNote refresh={refresh} nowMs={nowMs} link={link} />
        <Announcement />
        <div data-live="connectors">
          <ConnectorCard latest={latest} control={control} nowMs={nowMs} />
        </div>
        <div data-live="latest">
          {update === undefined ? (
            <section class="card">
              <div class="empty">
                <Line d="M13.5 6.5A5.7 5.7 0 0 0 3 5.2M2.5 9.5A5.7 5.7 0 0 0 13 10.800M2.700 2.300V5.500H5.900M13.300 13.700V10.500H10.100" />
                <h2>No run yet</h2>
                <p>
                  As soon as one starts, it is shown here: how far it is, how many requests it sends, and what it waits
                  for.
                </p>
              </div>
              <div data-picture={`${context.path}/events`} data-run="0">
                <p class="connection-lost" role="alert" data-lost hidden></p>
              </div>
            </section>
          ) : (
            <section class="card" aria-labelledby="latest-run">
              <div class="card-header">
                <div class="title-line">
                  <h2 id="latest-run">
                    <a class="plain-link" href={`${context.path}/runs/${update.run.id}`}>
                      Run {update.run.id}
                    </a>
                  </h2>
                  <StateMark state={update.run.state} />
                </div>
                <span class="muted small">
                  Started <Time ms={update.run.startedMs} /> UTC, {startedHow(update.run)}
                </span>
              </div>
              <RunPicture
                data={applyUpdate(undefined, update)}
                span={span}
                nowMs={nowMs}
                stream={`${context.path}/events?span=${span}`}
                spanLink={(to: Span) => link({ span: to === 'recent' ? undefined : to })}
              />
            </section>
          )}
        </div>
        {reports !== undefined && (
          <div data-live="workers">
            <Workers workers={reports} nowMs={Date.now()} />
          </div>
        )}
        <section class="card" aria-labelledby="runs">
          <div class="card-header">
            <h2 id="runs">Runs</h2>
            <nav class="segments" aria-label="Which runs">
              <a href={link({ show: undefined })} {...(!eventful && { 'aria-current': 'true' as const })}>
                All
              </a>
              <a href={link({ show: 'eventful' })} {...(eventful && { 'aria-current': 'true' as const })}>
                With something written or wrong
              </a>
            </nav>
          </div>
          <div data-live="runs">
            {runs.length === 0 ? (
              <p class="none muted">{eventful ? 'No run has written anything or gone wrong.' : 'There are no runs.'}</p>
            ) : (
              <RunTable runs={runs} path={context.path} nowMs={nowMs} />
            )}
            {(hasMore || before !== undefined) && (
              <div class="pager">
                <span>All times are in UTC.</span>
                <nav class="button-row" aria-label="Pages">
                  {before !== undefined && (
                    <a class="button button-small" href={link({})}>
                      Newest
                    </a>
                  )}
                  {hasMore && (
                    <a class="button button-small" rel="next" href={link({ before: String(runs.at(-1)?.id) })}>
                      Older
                    </a>
                  )}
                </nav>
              </div>
            )}
          </div>
        </section>
      </>
    ),
  });
}

interface ConnectorProps {
  latest: Run | undefined;
  control: SyncControl;
  nowMs: number;
}

/** The connectors that the service has: this one has one. */
function ConnectorCard({ latest, control, nowMs }: ConnectorProps) {
  if (latest === undefined) return null;
  const [source, target] = latest.connections;
  return (
    <section class="card connectors" aria-labelledby="connectors">
      <h2 id="connectors" class="visually-hidden">
        Connectors
      </h2>
      <div class="connector">
        <div>
          <span class="key-name">{latest.connector} connector</span>
          <span class="second-line mono ends">
            <span>{source?.repository}</span>
            <Line d="M2.500 8h11M9.500 4l4 4-4 4" size={13} />
            <span class="visually-hidden">to</span>
            <span>{target?.repository}</span>
          </span>
        </div>
        <p class="next-run">{whenNext(control, latest, nowMs)}</p>
      </div>
    </section>
  );
}

function whenNext({ isRunning, isHeld, nextRunMs }: SyncControl, latest: Run, nowMs: number) {
  if (isRunning) return 'Synchronizing now';
  if (nextRunMs !== null) {
    return (
      <>
        Next run in <span data-until={nextRunMs}>{formatDuration(nextRunMs - nowMs)}</span>
        <span class="second-line">at {formatTime(nextRunMs)} UTC</span>
      </>
    );
  }
  if (isHeld) {
    return (
      <>
        On hold
        <span class="second-line">{latest.stoppedBy ?? 'Somebody'} stopped it; it starts when somebody starts it</span>
      </>
    );
  }
  return 'No run is planned';
}
