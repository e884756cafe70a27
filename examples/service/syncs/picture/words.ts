import type { Run, RunConnection, RunState, RunTrigger } from '../run.js';
import { countOf, formatCount, formatDuration, formatQuota, formatTime, sayDuration } from './format.js';
import { endOf, openPause, type PictureData } from './model.js';

export const stateWords: Readonly<Record<RunState, string>> = {
  running: 'Running',
  finished: 'Finished',
  failed: 'Failed',
  stopped: 'Stopped',
  interrupted: 'Interrupted',
};

const triggerWords: Readonly<Record<RunTrigger, string>> = {
  start: 'when the service started',
  schedule: 'by the schedule',
  once: 'with --once',
  user: 'by somebody',
};

export function startedHow({ trigger, startedBy }: Run): string {
  return startedBy === null ? triggerWords[trigger] : `by ${startedBy}`;
}

/** What a run is doing, or how it ended, in one sentence. */
export function describeRun(run: Run): string {
  const { state, phase, done, total, error, stoppedBy } = run;
  switch (state) {
    case 'running':
      if (phase === '') return 'Starting.';
      return total > 0
        ? `${phase}: ${formatCount(done)} of ${countOf(total, 'issue')}.`
        : `${phase}: ${countOf(done, 'issue')} so far, of both ends.`;
    case 'finished':
      return `Both ends are equal: ${countOf(run.read, 'issue')} compared, ${formatCount(run.written)} written.`;
    case 'stopped':
      return `Stopped ${stoppedBy === null ? 'with the service' : `by ${stoppedBy}`}. The next run goes on from what is written.`;
    case 'interrupted':
      return 'The service ended in the middle. The next run goes on from what is written.';
    case 'failed':
      return error ?? 'Failed.';
  }
}

export interface LaneState {
  readonly kind: 'active' | 'paused' | 'working' | 'idle';
  readonly text: string;
}

/** What a connection is doing. */
export function laneState(data: PictureData, { name, session }: RunConnection, nowMs: number): LaneState {
  if (data.run.state !== 'running') return { kind: 'idle', text: 'Closed' };
  const pause = openPause(data, name);
  if (pause !== undefined) {
    const leftMs = pause.untilMs - nowMs;
    return { kind: 'paused', text: leftMs > 0 ? `Paused · ${formatDuration(leftMs)} left` : 'Resuming' };
  }
  if (session === 'renewing') return { kind: 'working', text: 'Logging in' };
  return session === 'active' ? { kind: 'active', text: 'Open' } : { kind: 'idle', text: 'Not logged in' };
}

/** Why a connection waits, and until when; empty when it does not. */
export function pauseReason(data: PictureData, name: string): string {
  const pause = openPause(data, name);
  if (pause === undefined) return '';
  const source = pause.source === 'header' ? 'as the connector said' : 'without a usable wait from the connector';
  return `Rate limit reached, ${source}. Resumes at ${formatTime(pause.untilMs)} UTC.`;
}

/** What a connection has gone through, as short texts. */
export function laneFacts({ requests, refused, logins, pauses, waitedMs, quota }: RunConnection): string[] {
  return [
    countOf(requests, 'request'),
    `${formatCount(refused)} refused`,
    pauses === 0 ? 'no pause' : `${countOf(pauses, 'pause')}, ${formatDuration(waitedMs)}`,
    countOf(logins, 'login'),
    quota === null ? 'quota not learned' : `quota: ${formatQuota(quota)}`,
  ];
}

/** What the picture of a connection shows, for who does not see it. */
export function describeLane(data: PictureData, name: string, nowMs: number): string {
  const connection = data.run.connections.find((one) => one.name === name);
  if (connection === undefined) return name;
  const { text } = laneState(data, connection, nowMs);
  return `Requests per second of ${name}: ${laneFacts(connection).join(', ')}. ${text.replace(' · ', ', ')}. The table “In words” has the details.`;
}

/** All of it at this moment, to be read out. */
export function announce(data: PictureData, nowMs: number): string {
  const { run } = data;
  const pauses = run.connections.flatMap(({ name }) => {
    const pause = openPause(data, name);
    if (pause === undefined || pause.untilMs <= nowMs) return [];
    return [`${name} paused for a rate limit, ${sayDuration(pause.untilMs - nowMs)} left.`];
  });
  return [`Run ${run.id} ${stateWords[run.state].toLowerCase()}.`, describeRun(run), ...pauses].join(' ');
}

export function durationOf(run: Run, nowMs: number): string {
  return formatDuration(endOf(run, nowMs) - run.startedMs);
}

/** The sum of what its connections waited: they wait beside each other. */
export function totalsOf({ connections }: Run): {
  requests: number;
  refused: number;
  pauses: number;
  waitedMs: number;
} {
  const sum = { requests: 0, refused: 0, pauses: 0, waitedMs: 0 };
  for (const connection of connections) {
    for (const field of ['requests', 'refused', 'pauses', 'waitedMs'] as const) sum[field] += connection[field];
  }
  return sum;
}

/** The figures above the picture, by name. */
export function tilesOf(run: Run, nowMs: number): { name: string; label: string; value: string; isBad?: boolean }[] {
  const { requests, refused, waitedMs } = totalsOf(run);
  return [
    { name: 'read', label: 'Issues read', value: formatCount(run.read) },
    { name: 'written', label: 'Written', value: formatCount(run.written) },
    { name: 'failed', label: 'Failed', value: formatCount(run.failed), isBad: run.failed > 0 },
    { name: 'requests', label: 'Requests', value: formatCount(requests) },
    { name: 'refused', label: 'Refused by a limit', value: formatCount(refused) },
    { name: 'waited', label: 'Waited', value: formatDuration(waitedMs) },
    { name: 'duration', label: 'Duration', value: durationOf(run, nowMs) },
  ];
}
