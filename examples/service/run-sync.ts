import type { ConnectorClient } from 'concordat/client';
import type { SyncProgress } from './engine/progress.js';
import { Tally } from './engine/tally.js';
import type { ServiceOptions } from './options.js';
import { countTraffic, type Summary, summaryTable } from './summary.js';
import type { Cause, SyncControl } from './syncs/control.js';
import { Recorder } from './syncs/recorder.js';
import type { RunEnd, RunStore } from './syncs/store/run-store.js';
import type { Screen } from './terminal.js';

/** A connection as its events and counters show it: a client, or the clients of all workers. */
export interface Watched {
  client: Pick<ConnectorClient, 'status' | 'on'>;
  repository: string;
}

export interface Connections {
  source: Watched;
  target: Watched;
}

/** Does the work: in this process, or by workers. */
export type Engine = (tally: Tally, options: EngineOptions) => Promise<void>;

export interface EngineOptions {
  progress: SyncProgress;
  /** The end of this run. */
  stop: AbortSignal;
}

interface SyncRun {
  ends: Connections;
  engine: Engine;
  options: ServiceOptions;
  screen: Screen;
  control: SyncControl;
  /** Where the run is recorded, if anywhere. */
  store: RunStore | undefined;
  cause: Cause;
  /** The end of the service. */
  signal: AbortSignal;
  isFirst: boolean;
}

/** One synchronization: done, recorded, and shown in the terminal. */
export async function runSync({
  ends,
  engine,
  options,
  screen,
  control,
  store,
  cause,
  signal,
  isFirst,
}: SyncRun): Promise<Summary> {
  const { source, target } = ends;
  const startedAt = performance.now();
  const traffic = countTraffic([source.client, target.client]);
  const tally = new Tally();
  const stop = control.begin(signal);
  const recorder = store && record(store, ends, cause, tally);
  let error: string | undefined;
  try {
    stop.throwIfAborted();
    const progress = recorder ? both(screen, recorder) : screen;
    await engine(tally, { progress, stop });
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  }
  screen.clear();
  const result = tally.result();
  const summary: Summary = {
    ...result,
    ...traffic(),
    equal: result.equal && error === undefined,
    source: source.repository,
    target: target.repository,
    durationMs: Math.round(performance.now() - startedAt),
    ...(error === undefined ? {} : { error }),
  };
  const refusals = [...tally.refused].map(([number, reason]) => `Issue ${number} was refused: ${reason}`);
  const { stoppedBy } = control.ended();
  recorder?.end({ stoppedBy, ...outcomeOf(summary, stop) }, refusals);
  for (const refusal of refusals.slice(0, 5)) screen.line(refusal);
  if (stop.aborted) {
    screen.line('Stopped. What is written carries its marker: the next run goes on from there.');
  } else if (error !== undefined) screen.line(`Failed: ${error}`);
  // Every minute, the table that says that nothing was to be done would push what matters out of sight.
  const isNews = isFirst || !summary.equal || summary.created + summary.updated > 0;
  if (options.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else if (isNews) screen.line(summaryTable(summary));
  if (!stop.aborted) screen.line(summary.equal ? 'Both ends are equal.' : 'The ends are not equal.');
  return summary;
}

function record(store: RunStore, { source, target }: Connections, cause: Cause, tally: Tally): Recorder {
  const connections = [
    { name: 'Source', repository: source.repository, client: source.client },
    { name: 'Target', repository: target.repository, client: target.client },
  ];
  const run = store.begin({ connector: 'GitHub', connections, ...cause });
  return new Recorder({ store, run, connections, result: () => tally.result() }).start();
}

function outcomeOf(summary: Summary, stop: AbortSignal): Pick<RunEnd, 'state' | 'error'> {
  if (summary.equal) return { state: 'finished' };
  if (stop.aborted) return { state: 'stopped' };
  return { state: 'failed', error: summary.error ?? whatDiffers(summary) };
}

function whatDiffers({ read, verified, failed, duplicates, orphans }: Summary): string {
  const parts = [
    failed > 0 && `${failed} refused by the target`,
    duplicates.length > 0 && `${duplicates.length} there more than once`,
    orphans.length > 0 && `${orphans.length} gone from the source`,
  ].filter((part) => part !== false);
  const why = parts.length === 0 ? '' : `: ${parts.join(', ')}`;
  return `The ends are not equal, ${verified} of ${read} issues are${why}.`;
}

function both(first: SyncProgress, second: SyncProgress): SyncProgress {
  return {
    phase(name, total) {
      first.phase(name, total);
      second.phase(name, total);
    },
    advance(count) {
      first.advance(count);
      second.advance(count);
    },
  };
}
