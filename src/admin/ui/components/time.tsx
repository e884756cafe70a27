import { useShown } from '../look.js';

interface RelativeTimeProps {
  time: string;
  /** For what is no longer going to happen: how far away it is would mislead. */
  isOff?: boolean;
}

/** Relative and absolute time. The script puts the reader's time into the title of what `data-time` marks. */
export function RelativeTime({ time, isOff = false }: RelativeTimeProps) {
  const { dates, nowMs } = useShown();
  return (
    <time class="time" datetime={time} title={dates.exact(time)} data-time>
      {!isOff && `${dates.relative(time, nowMs)} `}
      <span class="second-line">{dates.minute(time)}</span>
    </time>
  );
}

/** Both on one line, where there is room. */
export function FullTime({ time }: { time: string }) {
  const { dates, nowMs } = useShown();
  return (
    <>
      <ExactTime time={time} /> <span class="muted">({dates.relative(time, nowMs)})</span>
    </>
  );
}

export function ExactTime({ time, text }: { time: string; text?: string }) {
  const exact = useShown().dates.exact(time);
  return (
    <time datetime={time} title={exact} data-time>
      {text ?? exact}
    </time>
  );
}
