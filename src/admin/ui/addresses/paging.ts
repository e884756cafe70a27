/** Cursors point forward only, so the address keeps the way back, for this many pages. */
const maxTrail = 10;

/** The position of a page in a list. */
export interface Place {
  /** `undefined` on the first page. */
  readonly cursor: string | undefined;
  /** The cursors of the previous pages, nearest last; `''` is the first page. */
  readonly trail: readonly string[];
}

/** Start here after a change of filter or order. */
export const firstPage: Place = { cursor: undefined, trail: [] };

export function readPlace(query: URLSearchParams): Place {
  const cursor = query.get('cursor') || undefined;
  return cursor === undefined ? firstPage : { cursor, trail: query.getAll('trail').slice(-maxTrail) };
}

export function writePlace(query: URLSearchParams, { cursor, trail = [] }: Partial<Place>): void {
  if (cursor === undefined) return;
  query.set('cursor', cursor);
  for (const before of trail.slice(-maxTrail)) query.append('trail', before);
}

export function nextPage(place: Place, cursor: string): Place {
  return { cursor, trail: [...place.trail, place.cursor ?? ''] };
}

/** `undefined` on the first page, and when the way back is not known. */
export function previousPage({ trail }: Place): Place | undefined {
  const before = trail.at(-1);
  if (before === undefined) return undefined;
  return before === '' ? firstPage : { cursor: before, trail: trail.slice(0, -1) };
}
