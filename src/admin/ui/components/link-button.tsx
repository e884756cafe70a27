import type { PropsWithChildren } from 'hono/jsx';

export function LinkButton({ href, kind, children }: PropsWithChildren<{ href: string; kind?: 'primary' | 'quiet' }>) {
  return (
    <a class={kind === undefined ? 'button' : `button button-${kind}`} href={href}>
      {children}
    </a>
  );
}
