import { binSecondsFor } from './bins.js';
import { endOf, type PictureData } from './model.js';

/** The whole run, or the last minutes of one that goes on. */
export type Span = 'recent' | 'whole';

/** So much of a run that goes on is shown, so that a second is still seen. */
export const recentMs = 120_000;
/** The narrowest axis: of a run that goes on, and of one that is over. */
const leastMs = { running: 20_000, over: 2000 };
/** What is kept free for what is still to come of a pause. */
const aheadShare = 0.18;
const leastAheadMs = 6000;

/** What a picture shows: the time from left to right, and the scale of its bars. */
export interface Frame {
  readonly fromMs: number;
  readonly toMs: number;
  /** `undefined` when the run is over. */
  readonly nowMs: number | undefined;
  readonly binSeconds: number;
  /** Requests per second at the upper end. */
  readonly maxRate: number;
}

export interface Bar {
  readonly fromMs: number;
  readonly requests: number;
  readonly refused: number;
  /** Of the requests, over the seconds of the bar that have passed. */
  readonly rate: number;
}

export function frameOf(data: PictureData, span: Span, nowMs: number): Frame {
  const { run } = data;
  const isRunning = run.state === 'running';
  const endMs = endOf(run, nowMs);
  const fromMs = Math.max(run.startedMs, isRunning && span === 'recent' ? endMs - recentMs : 0);
  const aheadMs = isRunning ? Math.max(leastAheadMs, (endMs - fromMs) * aheadShare) : 0;
  const toMs = Math.max(fromMs + leastMs[isRunning ? 'running' : 'over'], endMs + aheadMs);
  const binSeconds = binSecondsFor(endMs - fromMs);
  const frame = { fromMs, toMs, nowMs: isRunning ? nowMs : undefined, binSeconds };
  const rates = run.connections.flatMap(({ name }) => barsOf(data, name, frame).map(({ rate }) => rate));
  return { ...frame, maxRate: niceAbove(Math.max(1, ...rates)) };
}

/** The requests of one connection, summed up by bar. */
export function barsOf(
  { samples, run }: PictureData,
  connection: string,
  { fromMs, toMs, binSeconds, nowMs }: Omit<Frame, 'maxRate'>,
): Bar[] {
  const bars = new Map<number, { requests: number; refused: number }>();
  for (const sample of samples) {
    if (sample.connection !== connection) continue;
    const second = Math.floor(sample.second / binSeconds) * binSeconds;
    if ((second + binSeconds) * 1000 <= fromMs || second * 1000 >= toMs) continue;
    const bar = bars.get(second) ?? { requests: 0, refused: 0 };
    bar.requests += sample.requests;
    bar.refused += sample.refused;
    bars.set(second, bar);
  }
  const endMs = endOf(run, nowMs ?? toMs);
  return [...bars].map(([second, bar]) => {
    const startMs = Math.max(second * 1000, binSeconds > 1 ? run.startedMs : 0);
    // The last bar is not full yet. Less than a second is not spread over a whole one: it would look like a lull.
    const passedMs = Math.max(1000, Math.min((second + binSeconds) * 1000, endMs) - startMs);
    return { fromMs: second * 1000, ...bar, rate: (bar.requests * 1000) / passedMs };
  });
}

/** A round number at or above this one, of which the half is round, too. */
export function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = power >= 10 ? [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10] : [1, 2, 4, 6, 8, 10];
  return steps.map((step) => step * power).find((step) => step >= value) ?? 10 * power;
}

const tickSeconds = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400];

/** Where the axis is labelled: whole steps since the run started, so many that the labels have room. */
export function ticksOf({ fromMs, toMs }: Frame, startedMs: number, most: number): { atMs: number; label: string }[] {
  const step = 1000 * (tickSeconds.find((seconds) => (toMs - fromMs) / 1000 / seconds <= most) ?? 604_800);
  const ticks: { atMs: number; label: string }[] = [];
  for (let elapsed = Math.ceil((fromMs - startedMs) / step) * step; startedMs + elapsed <= toMs; elapsed += step) {
    ticks.push({ atMs: startedMs + elapsed, label: formatElapsed(elapsed) });
  }
  return ticks;
}

/** `0:05`, `12:30`, `1:02:30` since the run started. */
export function formatElapsed(elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}
