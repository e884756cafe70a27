import type { AccessMark } from '../authentication/access-marks.js';
import { formatUses, mergeUses, parseUses } from '../authentication/recent-uses.js';

/** What a key's row has before its uses are written. */
export interface StoredUses {
  readonly id: string;
  readonly recentUses: string;
}

/** The stored uses with the new ones: what one statement then writes into all rows. */
export function addMarks(
  rows: readonly StoredUses[],
  marks: ReadonlyMap<string, AccessMark>,
  keptUses: number,
): readonly (Omit<AccessMark, 'uses'> & StoredUses)[] {
  return rows.flatMap(({ id, recentUses }) => {
    const mark = marks.get(id);
    if (mark === undefined) return [];
    const { uses, ...times } = mark;
    return [{ id, ...times, recentUses: formatUses(mergeUses(uses, parseUses(recentUses), keptUses)) }];
  });
}
