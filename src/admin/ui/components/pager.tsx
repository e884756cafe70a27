import type { PropsWithChildren } from 'hono/jsx';
import { firstPage, nextPage, type Place, previousPage } from '../addresses/paging.js';
import { useLook } from '../look.js';
import { Icon } from './icon.js';

interface PagerProps {
  place: Place;
  nextCursor: string | null;
  /** The address of a position in the list. */
  href: (place: Place) => string;
}

/** The foot of a list: a remark, and links to the other pages. */
export function Pager({ place, nextCursor, href, children }: PropsWithChildren<PagerProps>) {
  const { texts } = useLook();
  const previous = previousPage(place);
  const isFirst = place.cursor === undefined;
  return (
    <div class="pager">
      <span>{children}</span>
      {(nextCursor !== null || !isFirst) && (
        <nav class="button-row" aria-label={texts.pages}>
          {!isFirst && previous !== firstPage && <PageLink href={href(firstPage)} text={texts.firstPage} />}
          {previous !== undefined && <PageLink href={href(previous)} text={texts.previous} rel="prev" />}
          {nextCursor !== null && <PageLink href={href(nextPage(place, nextCursor))} text={texts.next} rel="next" />}
        </nav>
      )}
    </div>
  );
}

function PageLink({ href, text, rel }: { href: string; text: string; rel?: 'prev' | 'next' }) {
  return (
    <a class="button button-small" href={href} {...(rel !== undefined && { rel })}>
      {rel === 'prev' && <Icon name="left" size={14} />}
      {text}
      {rel === 'next' && <Icon name="right" size={14} />}
    </a>
  );
}
