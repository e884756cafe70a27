import { formatTime } from '../picture/format.js';

/** Without script, the page is loaded again by the browser: as long as something goes on, and nobody has switched it off. */
export interface Refresh {
  readonly seconds: number | undefined;
  readonly isOffered: boolean;
}

const refreshSeconds = 10;

export function refreshOf(isLive: boolean, query: URLSearchParams): Refresh {
  const isOff = query.get('refresh') === 'off';
  return { seconds: isLive && !isOff ? refreshSeconds : undefined, isOffered: isLive };
}

interface RefreshNoteProps {
  refresh: Refresh;
  nowMs: number;
  link: (changes: Record<string, string | undefined>) => string;
}

/** For who has no script: how old the page is, and the way to stop it from being loaded again while it is read. */
export function RefreshNote({ refresh, nowMs, link }: RefreshNoteProps) {
  if (!refresh.isOffered) return null;
  const isOn = refresh.seconds !== undefined;
  return (
    <noscript>
      <div class="notice notice-neutral no-script">
        <div>
          As of {formatTime(nowMs)} UTC. {isOn ? `Loaded again every ${refreshSeconds} seconds.` : ''}
        </div>
        <div class="button-row">
          <a class="button button-small" href={link(isOn ? {} : { refresh: 'off' })}>
            Refresh
          </a>
          <a class="button button-small" href={link({ refresh: isOn ? 'off' : undefined })}>
            {isOn ? 'Stop refreshing' : 'Refresh by itself'}
          </a>
        </div>
      </div>
    </noscript>
  );
}
