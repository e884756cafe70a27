import { useShown } from '../look.js';

interface RelativeTimeProps {
  time: string;
  /** For what is no longer going to happen: how far away it is would mislead. */
  isOff?: boolean;
}

/** Relative and absolute time; seconds and UTC on hover. The script puts what `data-time` marks into the reader's zone. */
export function RelativeTime({ time, isOff = false }: RelativeTimeProps) {
  const { dates, nowMs } = useShown();
  return (
    <time class="time" datetime={time} title={dates.exact(time)}>
      {!isOff && `${dates.relative(time, nowMs)} `}
      <span class="second-line" data-time="minute">
        {dates.minute(time)}
      </span>
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
    <time datetime={time} title={exact} data-time="exact">
      {text ?? exact}
    </time>
  );
}

/** Says in which zone the times of a page are. */
export function ZoneRemark() {
  const { texts } = useShown();
  return <span data-zone={texts.timesInZone}>{texts.timesInUtc}</span>;
}
