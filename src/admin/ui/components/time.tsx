import { useLook, usePage } from '../look.js';

/** Relative and absolute time; seconds and UTC on hover. The script puts what `data-time` marks into the reader's zone. */
export function RelativeTime({ time }: { time: string }) {
  const { dates } = useLook();
  return (
    <time class="time" datetime={time} title={dates.exact(time)}>
      {dates.relative(time, usePage().nowMs)}{' '}
      <span class="second-line" data-time="minute">
        {dates.minute(time)}
      </span>
    </time>
  );
}

/** For what is no longer going to happen: how far away it is would mislead. */
export function PlainTime({ time }: { time: string }) {
  const { dates } = useLook();
  return (
    <time class="time" datetime={time} title={dates.exact(time)}>
      <span class="second-line" data-time="minute">
        {dates.minute(time)}
      </span>
    </time>
  );
}

/** Both on one line, where there is room. */
export function FullTime({ time }: { time: string }) {
  return (
    <>
      <ExactTime time={time} /> <span class="muted">({useLook().dates.relative(time, usePage().nowMs)})</span>
    </>
  );
}

export function ExactTime({ time, text = useLook().dates.exact(time) }: { time: string; text?: string }) {
  return (
    <time datetime={time} title={useLook().dates.exact(time)} data-time="exact">
      {text}
    </time>
  );
}

/** Says in which zone the times of a page are. */
export function ZoneRemark() {
  const { texts } = useLook();
  return <span data-zone={texts.timesInZone}>{texts.timesInUtc}</span>;
}
