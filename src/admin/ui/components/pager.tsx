import type { PropsWithChildren } from 'hono/jsx';
import { type ListPart, lastPage, pageNumbers, pageSize } from '../addresses/paging.js';
import { useShown } from '../look.js';
import { Icon } from './icon.js';

interface PagerProps {
  /** The number of the page, from 1. */
  page: number;
  list: ListPart;
  /** Such as `1,000 API keys.` */
  count: (total: number) => string;
  href: (page: number) => string;
}

/** The foot of a list: which part of it is shown, a remark, and links to the other pages. */
export function Pager({ page, list, count, href, children }: PropsWithChildren<PagerProps>) {
  const { texts } = useShown();
  const before = (page - 1) * pageSize;
  const last = lastPage(page, list);
  const total = list.total ?? (list.nextCursor === null ? before + list.items.length : undefined);
  return (
    <div class="pager">
      <span>
        {total !== undefined &&
          `${last === 1 ? count(total) : texts.partOf(before + 1, before + list.items.length, count(total))} `}
        {children}
      </span>
      {last > 1 && (
        <nav class="button-row" aria-label={texts.pages}>
          {page > 1 && (
            <a class="button button-small" href={href(page - 1)} rel="prev">
              <Icon name="left" size={14} />
              {texts.previous}
            </a>
          )}
          {pageNumbers(page, last).map((number) =>
            number === undefined ? (
              <span aria-hidden="true">…</span>
            ) : (
              <a
                class="page-number"
                href={href(number)}
                aria-label={texts.pageNumber(number)}
                aria-current={number === page ? 'page' : undefined}
              >
                {number.toLocaleString(texts.language)}
              </a>
            ),
          )}
          {page < last && (
            <a class="button button-small" href={href(page + 1)} rel="next">
              {texts.next}
              <Icon name="right" size={14} />
            </a>
          )}
        </nav>
      )}
    </div>
  );
}
