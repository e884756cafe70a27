import type { AdminSectionContext } from 'concordat/admin';
import { recentMs, type Span } from '../picture/frame.js';
import { applyUpdate } from '../picture/model.js';
import { startedHow } from '../picture/words.js';
import { mayControl, readSpan, withFields } from '../requests.js';
import { Controls } from './controls.js';
import type { PageParts } from './overview.js';
import { PageHeader, StateMark, Time } from './parts.js';
import { Announcement, RunPicture } from './picture.js';
import { RefreshNote, refreshOf } from './refresh.js';

/** One run. @returns `undefined` when there is none with this number */
export async function runPage(
  { store, control }: PageParts,
  context: AdminSectionContext,
  id: number,
  query: URLSearchParams,
) {
  store.markInterrupted();
  const asked = readSpan(query.get('span'));
  const isRunning = store.get(id)?.state === 'running';
  const span = asked ?? (isRunning ? 'recent' : 'whole');
  const update = store.changes(id, span === 'recent' ? { recentMs: recentMs + 10_000 } : {});
  if (update === undefined) return undefined;
  const { run } = update;
  const { nowMs } = store;
  const refresh = refreshOf(isRunning, query);
  const link = (changes: Record<string, string | undefined>) =>
    withFields(`${context.path}/runs/${id}`, { span: asked, ...changes });
  const isLatest = store.latest()?.id === id;
  return await context.page({
    title: `Run ${id}`,
    refreshSeconds: refresh.seconds,
    content: (
      <>
        <PageHeader
          title={`Run ${id}`}
          back={context.path}
          beside={
            <span data-live="state">
              <StateMark state={run.state} />
            </span>
          }
          actions={
            isLatest ? (
              <div data-live="controls">
                <Controls
                  context={context}
                  control={control}
                  mayControl={mayControl(context)}
                  goesOn={run.state !== 'finished'}
                />
              </div>
            ) : undefined
          }
        >
          {run.connector} connector, started <Time ms={run.startedMs} /> UTC, {startedHow(run)}
          {run.endedMs !== null && (
            <>
              , ended <Time ms={run.endedMs} /> UTC
            </>
          )}
          .
          {run.resumes !== null && (
            <>
              {' '}
              It goes on from <a href={`${context.path}/runs/${run.resumes}`}>run {run.resumes}</a>.
            </>
          )}
        </PageHeader>
        <RefreshNote refresh={refresh} nowMs={nowMs} link={link} />
        <Announcement />
        <section class="card" aria-labelledby="progress" data-live="latest">
          <h2 id="progress" class="visually-hidden">
            Progress
          </h2>
          <RunPicture
            data={applyUpdate(undefined, update)}
            span={span}
            nowMs={nowMs}
            stream={`${context.path}/events?run=${id}&span=${span}`}
            spanLink={(to: Span) => link({ span: to })}
          />
        </section>
      </>
    ),
  });
}
