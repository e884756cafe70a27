import { formatExact, formatMinute, formatRelative } from '../format/times.js';

/** Relative and absolute time; seconds on hover. */
export function RelativeTime({ time, nowMs }: { time: string; nowMs: number }) {
  return (
    <time class="time" datetime={time} title={formatExact(time)}>
      {formatRelative(time, nowMs)} <span class="second-line">{formatMinute(time)}</span>
    </time>
  );
}

/** Both on one line, where there is room. */
export function FullTime({ time, nowMs }: { time: string; nowMs: number }) {
  return (
    <time datetime={time}>
      {formatExact(time)} <span class="muted">({formatRelative(time, nowMs)})</span>
    </time>
  );
}
