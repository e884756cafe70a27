import type { Work } from './plan.js';

/** The unit of work: writes whose source issues are neighbors by number. */
export interface Page {
  /** The same issue is always on the page with the same id, so no two pages have one in common. */
  id: number;
  work: Work[];
}

const pageSize = 25;

export function toPages(work: readonly Work[]): Page[] {
  const pages = new Map<number, Page>();
  for (const item of work) {
    const id = Math.ceil(item.source.number / pageSize);
    const page = pages.get(id) ?? { id, work: [] };
    page.work.push(item);
    pages.set(id, page);
  }
  return [...pages.values()];
}
