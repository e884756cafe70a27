import type { PropsWithChildren } from 'hono/jsx';
import { Icon, type IconName } from './icon.js';

/** In place of a list without entries: why it is empty, and what to do next. */
export function Empty({
  icon,
  title,
  hint,
  children,
}: PropsWithChildren<{ icon: IconName; title: string; hint: string }>) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      <p>{hint}</p>
      {children}
    </div>
  );
}
