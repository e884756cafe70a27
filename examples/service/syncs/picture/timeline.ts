import type { RunEvent, Sample } from '../run.js';
import { countOf, formatDuration, formatQuota, formatRate, formatTime } from './format.js';
import { formatElapsed } from './frame.js';
import { type PictureData, pauseEnd, pausesOf } from './model.js';

/** One line of what the picture shows. */
export interface TimelineRow {
  readonly atMs: number;
  /** Since the run started. */
  readonly elapsed: string;
  readonly time: string;
  readonly connection: string;
  readonly text: string;
}

/** More lines than this nobody reads; the newest are kept. */
const maxRows = 200;

/** What the picture shows, newest first. */
export function timelineOf(data: PictureData, nowMs: number): TimelineRow[] {
  const { run, events } = data;
  const rows = [
    ...events.map((event) => ({ atMs: event.atMs, connection: event.connection, text: say(data, event, nowMs) })),
    ...run.connections.flatMap(({ name }) => traffic(data, name)),
  ];
  return rows
    .sort((a, b) => b.atMs - a.atMs)
    .slice(0, maxRows)
    .map(({ atMs, connection, text }) => ({
      atMs,
      text,
      connection: connection ?? 'Both',
      elapsed: formatElapsed(Math.max(0, atMs - run.startedMs)),
      time: formatTime(atMs),
    }));
}

function say({ run }: PictureData, event: RunEvent, nowMs: number): string {
  switch (event.type) {
    case 'pause': {
      const why = event.source === 'header' ? 'a rate limit' : 'a rate limit that did not say for how long';
      if (event.endedMs !== null) return `Paused for ${why}: ${formatDuration(event.endedMs - event.atMs)}.`;
      if (run.state === 'running') return `Paused for ${why}, until ${formatTime(event.untilMs)} UTC.`;
      return `Paused for ${why}: ${formatDuration(pauseEnd(event, run, nowMs) - event.atMs)}, until the run was cut off.`;
    }
    case 'login':
      return event.reason === 'first' ? 'Logged in.' : 'Logged in again: the session had expired.';
    case 'retry':
      return `Trying again in ${formatDuration(event.delayMs)}: ${event.message}`;
    case 'quota':
      return `Quota learned: ${formatQuota(event.quota)}.`;
    case 'refused':
      return event.message;
  }
}

/** Requests without a break, and without a pause in them, are one line. */
function traffic(data: PictureData, connection: string) {
  const samples = data.samples.filter((sample) => sample.connection === connection);
  const pauses = pausesOf(data, connection);
  const gap = Math.max(2, smallestStep(samples) * 2);
  const groups: Sample[][] = [];
  for (const sample of samples) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    const isApart =
      before === undefined ||
      sample.second - before.second > gap ||
      pauses.some(({ atMs }) => atMs >= before.second * 1000 && atMs < sample.second * 1000);
    if (isApart) groups.push([sample]);
    else group?.push(sample);
  }
  return groups.map((group) => {
    const [first, last] = [group[0] as Sample, group.at(-1) as Sample];
    const requests = group.reduce((sum, sample) => sum + sample.requests, 0);
    const refused = group.reduce((sum, sample) => sum + sample.refused, 0);
    const seconds = last.second - first.second + 1;
    const pace = seconds > 1 ? ` in ${formatDuration(seconds * 1000)}, ${formatRate(requests / seconds)} a second` : '';
    const lost = refused > 0 ? `; ${countOf(refused, 'request')} refused` : '';
    return { atMs: first.second * 1000, connection, text: `${countOf(requests, 'request')}${pace}${lost}.` };
  });
}

function smallestStep(samples: readonly Sample[]): number {
  let step = Number.POSITIVE_INFINITY;
  for (const [index, sample] of samples.entries()) {
    const next = samples[index + 1];
    if (next !== undefined && next.second > sample.second) step = Math.min(step, next.second - sample.second);
  }
  return Number.isFinite(step) ? step : 1;
}
