/** Entries on one page of a list. */
export const pageSize = 25;

/** The number of a page, from 1; anything else is the first page. */
export function readPage(query: URLSearchParams): number {
  const value = query.get('page') ?? '';
  return /^[1-9]\d{0,7}$/.test(value) ? Number(value) : 1;
}

/** The query of an address, without empty values; the first page needs no number. */
export function formatQuery(fields: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value = ''] of Object.entries(fields)) {
    if (value !== '' && !(name === 'page' && value === 1)) query.set(name, String(value));
  }
  return String(query);
}

/** What to ask for, to get a page. */
export function placeOf(page: number): { readonly skip: number; readonly limit: number } {
  return { skip: (page - 1) * pageSize, limit: pageSize };
}

/** One page of a list that is there as a whole. */
export function pageOf<T>(all: readonly T[], page: number): ListPart<T> {
  const { skip, limit } = placeOf(page);
  return { items: all.slice(skip, skip + limit), total: all.length };
}

/** A page of a list, and how many entries the list has or whether it has more. */
export interface ListPart<T = unknown> {
  readonly items: readonly T[];
  readonly total?: number;
  readonly nextCursor?: string | null;
}

/** The number of the last page, or of the next one where neither a total nor the page itself says which is the last. */
export function lastPage(page: number, { total, nextCursor }: Omit<ListPart, 'items'>): number {
  if (total !== undefined) return Math.max(1, Math.ceil(total / pageSize));
  return nextCursor === null ? page : page + 1;
}

/** The numbers to show: the first, the last, and those around the present one; `undefined` stands for a gap. */
export function pageNumbers(page: number, last: number): readonly (number | undefined)[] {
  const shown = [1, page - 1, page, page + 1, last].filter((number) => number >= 1 && number <= last);
  const sorted = [...new Set(shown)].sort((one, other) => one - other);
  return sorted.flatMap((number, index) => {
    const before = sorted[index - 1];
    return before !== undefined && number > before + 1 ? [undefined, number] : [number];
  });
}
