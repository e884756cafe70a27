/** Cursors point forwards only, so the way back is kept in the address: as many pages as fit into one comfortably. */
const maxTrail = 10;

/** Where in a list a page stands. */
export interface Place {
  /** `undefined` on the first page. */
  readonly cursor: string | undefined;
  /** The cursors of the pages before, the nearest one last; `''` is the first page. */
  readonly trail: readonly string[];
}

/** Whatever changes a filter or an order starts here. */
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

/** `undefined` on the first page, and where the way back is no longer known. */
export function previousPage({ trail }: Place): Place | undefined {
  const before = trail.at(-1);
  if (before === undefined) return undefined;
  return before === '' ? firstPage : { cursor: before, trail: trail.slice(0, -1) };
}
