import type { PropsWithChildren } from 'hono/jsx';
import { Icon, type IconName } from './icon.js';

type NoticeKind = 'success' | 'warning' | 'danger' | 'neutral';

const icons: Readonly<Record<NoticeKind, IconName>> = {
  success: 'check',
  warning: 'warning',
  danger: 'warning',
  neutral: 'info',
};

interface NoticeProps {
  kind: NoticeKind;
  id?: string;
  /** Takes the focus when the page opens, so that screen readers read it first. */
  focused?: boolean;
}

export function Notice({ kind, id, focused = false, children }: PropsWithChildren<NoticeProps>) {
  return (
    <div
      class={`notice notice-${kind}`}
      {...(id !== undefined && { id })}
      {...(focused && { tabindex: -1, autofocus: true, role: kind === 'danger' ? 'alert' : 'status' })}
    >
      <Icon name={icons[kind]} />
      <div>{children}</div>
    </div>
  );
}
