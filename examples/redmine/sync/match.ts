import { addMarker, readMarker } from '../../service/engine/marker.js';
import { otherSide, type Side, type Sides, sides } from './issue.js';

/** Two things, one in each system, that are one and the same. */
export interface Pair<Item> extends Sides<Item> {
  /** Where it was written; the other one is its mirror. */
  origin: Side;
}

/** A pair as it is remembered. */
export interface KnownPair extends Sides<number> {
  origin: Side;
}

export interface Found {
  side: Side;
  id: number;
}

export interface Matches<Item> {
  pairs: Pair<Item>[];
  /** Originals that have no mirror yet, by the side that they are on. */
  alone: Sides<Item[]>;
  /** Mirrors of what another one mirrors already. */
  duplicates: Found[];
  /** Mirrors whose original is gone, and originals whose mirror is. They are reported, never made again. */
  orphans: Found[];
}

/**
 * Finds what belongs together. The marker at the end of a mirror's text is the truth: it is written in the same request as
 * the mirror, so nothing that happens between two requests can separate them. What is remembered helps where somebody has
 * deleted the marker, and tells a mirror that was deleted from one that was never made.
 */
export function match<Item extends { id: number; body: string }>(
  names: Sides<string>,
  items: Sides<readonly Item[]>,
  known: readonly KnownPair[],
): Matches<Item> {
  const matches: Matches<Item> = { pairs: [], alone: { left: [], right: [] }, duplicates: [], orphans: [] };
  const originals: Sides<Map<number, Item>> = { left: new Map(), right: new Map() };
  const mirrors: Sides<Map<number, Item>> = { left: new Map(), right: new Map() };
  for (const side of sides) {
    for (const item of [...items[side]].sort((a, b) => a.id - b.id)) {
      const origin = originOf(item.body, names[otherSide(side)]);
      if (origin === undefined) originals[side].set(item.id, item);
      else if (mirrors[side].has(origin)) matches.duplicates.push({ side, id: item.id });
      else mirrors[side].set(origin, item);
    }
  }
  for (const side of sides) {
    const other = otherSide(side);
    for (const [origin, mirror] of mirrors[side]) {
      const original = originals[other].get(origin);
      originals[other].delete(origin);
      if (original === undefined) matches.orphans.push({ side, id: mirror.id });
      else matches.pairs.push({ [side]: mirror, [other]: original, origin: other } as unknown as Pair<Item>);
    }
  }
  for (const { left, right, origin } of known) {
    const found = { left: originals.left.get(left), right: originals.right.get(right) };
    originals.left.delete(left);
    originals.right.delete(right);
    if (found.left && found.right) matches.pairs.push({ left: found.left, right: found.right, origin });
    else if (found.left) matches.orphans.push({ side: 'left', id: left });
    else if (found.right) matches.orphans.push({ side: 'right', id: right });
  }
  for (const side of sides) matches.alone[side].push(...originals[side].values());
  return matches;
}

function originOf(body: string, repository: string): number | undefined {
  const origin = readMarker(body);
  return origin?.repository.toLowerCase() === repository.toLowerCase() ? origin.number : undefined;
}

/** The text of a mirror. */
export function toMirror(body: string, repository: string, number: number): string {
  return addMarker(body, { repository, number });
}

export function isMirror(body: string, repository: string): boolean {
  return originOf(body, repository) !== undefined;
}

/** The text that a mirror mirrors. A marker of others is part of the text. */
export function fromMirror(body: string, repository: string): string {
  if (!isMirror(body, repository)) return body;
  return body.slice(0, body.lastIndexOf('<!-- concordat:source=')).replace(/\n\n$/, '');
}
