import type { Run, RunEvent, RunUpdate, Sample } from '../run.js';

/** What the picture and its words are made of. */
export interface PictureData {
  readonly run: Run;
  /** In the order of time. */
  readonly samples: readonly Sample[];
  readonly events: readonly RunEvent[];
}

export type PauseEvent = Extract<RunEvent, { type: 'pause' }>;

/** Adds what is new. Another run, or everything anew, takes the place of what was there. */
export function applyUpdate(data: PictureData | undefined, { run, samples, events, whole }: RunUpdate): PictureData {
  if (data === undefined || whole || data.run.id !== run.id) return { run, samples, events };
  const changed = new Map(events.map((event) => [event.id, event]));
  const kept = data.events.map((event) => {
    const now = changed.get(event.id) ?? event;
    changed.delete(event.id);
    return now;
  });
  return { run, samples: [...data.samples, ...samples], events: [...kept, ...changed.values()] };
}

/** When a run ended, or that it has not. */
export function endOf({ state, endedMs }: Run, nowMs: number): number {
  return state === 'running' ? nowMs : (endedMs ?? nowMs);
}

export function pausesOf({ events }: PictureData, connection: string): PauseEvent[] {
  return events.filter((event): event is PauseEvent => event.type === 'pause' && event.connection === connection);
}

/** The pause that a connection is in. */
export function openPause(data: PictureData, connection: string): PauseEvent | undefined {
  if (data.run.state !== 'running') return undefined;
  return pausesOf(data, connection).find(({ endedMs }) => endedMs === null);
}

/** How long a pause was shut; that of a run that was cut off ends with it. */
export function pauseEnd(pause: PauseEvent, run: Run, nowMs: number): number {
  return pause.endedMs ?? Math.max(pause.atMs, endOf(run, nowMs));
}
