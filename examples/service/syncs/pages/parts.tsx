import type { PropsWithChildren } from 'hono/jsx';
import { formatDateTime } from '../picture/format.js';
import { stateWords } from '../picture/words.js';
import type { RunState } from '../run.js';

const looks: Readonly<Record<RunState, { name: string; d: string }>> = {
  running: { name: 'running', d: 'M5 3.500v9l7-4.500z' },
  finished: { name: 'active', d: 'm3 8.500 3.200 3.200L13 4.800' },
  failed: { name: 'revoked', d: 'm4.500 4.500 7 7M11.500 4.500l-7 7' },
  stopped: { name: 'expired', d: 'M4 4h8v8H4z' },
  interrupted: { name: 'warned', d: 'M8 3v6M8 12v.1' },
};

/** How a run stands: a sign and a word, whatever the colors. */
export function StateMark({ state }: { state: RunState }) {
  const { name, d } = looks[state];
  return (
    <span class={`status status-${name}`} data-state={state}>
      <Line d={d} size={12} />
      {stateWords[state]}
    </span>
  );
}

export function Line({ d, size = 16 }: { d: string; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={d} />
    </svg>
  );
}

export function Time({ ms, class: name }: { ms: number; class?: string }) {
  return (
    <time datetime={new Date(ms).toISOString()} {...(name !== undefined && { class: name })}>
      {formatDateTime(ms)}
    </time>
  );
}

export function PageHeader({ title, beside, actions, back, children }: PropsWithChildren<HeaderProps>) {
  return (
    <div class="page-header">
      <div>
        {back !== undefined && (
          <a class="back-link" href={back}>
            <Line d="M9.500 3.500 5 8l4.500 4.500" size={14} />
            Syncs
          </a>
        )}
        <div class="title-line">
          <h1>{title}</h1>
          {beside}
        </div>
        {children !== undefined && <p>{children}</p>}
      </div>
      {actions !== undefined && <div class="page-actions">{actions}</div>}
    </div>
  );
}

interface HeaderProps {
  title: string;
  beside?: unknown;
  actions?: unknown;
  back?: string;
}
