import { formatExact, formatMinute, formatRelative } from '../format/times.js';

/** How long ago or ahead, and when; to the second on hover. */
export function RelativeTime({ time, nowMs }: { time: string; nowMs: number }) {
  return (
    <time class="time" datetime={time} title={formatExact(time)}>
      {formatRelative(time, nowMs)} <span class="second-line">{formatMinute(time)}</span>
    </time>
  );
}

/** Both, where there is room. */
export function FullTime({ time, nowMs }: { time: string; nowMs: number }) {
  return (
    <time datetime={time}>
      {formatExact(time)} <span class="muted">({formatRelative(time, nowMs)})</span>
    </time>
  );
}
