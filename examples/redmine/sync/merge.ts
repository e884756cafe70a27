import { createHash } from 'node:crypto';
import { otherSide, type Side, type Sides } from './issue.js';

export interface Merge<Fields> {
  /** What is to be written to each side. */
  changes: Sides<Partial<Fields>>;
  /** Fields that were changed on both sides since they were equal last. */
  conflicts: string[];
}

/** Fingerprints of the fields as they were when both sides were equal last. */
export type Base<Fields> = { [Name in keyof Fields]: string };

/**
 * Brings two versions of the same thing together, field by field: the side that has changed it since both were equal wins.
 * Where both have, the `winner` does. Without a base there is no telling who changed what: then the origin is right, for
 * the mirror is our own work.
 */
export function mergeFields<Fields extends Record<string, string>>(
  versions: Sides<Fields>,
  base: Base<Fields> | undefined,
  { origin, winner }: { origin: Side; winner: Side },
): Merge<Fields> {
  const merge: Merge<Fields> = { changes: { left: {}, right: {} }, conflicts: [] };
  for (const name of Object.keys(versions.left) as (keyof Fields & string)[]) {
    const prints = { left: fingerprint(versions.left[name]), right: fingerprint(versions.right[name]) };
    if (prints.left === prints.right) continue;
    let from: Side = origin;
    if (base !== undefined) {
      if (prints.left === base[name]) from = 'right';
      else if (prints.right === base[name]) from = 'left';
      else {
        from = winner;
        merge.conflicts.push(name);
      }
    }
    merge.changes[otherSide(from)][name] = versions[from][name];
  }
  return merge;
}

export function toBase<Fields extends Record<string, string>>(fields: Fields): Base<Fields> {
  const prints = Object.entries(fields).map(([name, value]) => [name, fingerprint(value)]);
  return Object.fromEntries(prints) as Base<Fields>;
}

/** Line ends and what is white at the ends of a text are no content: each system has its own way with them. */
function fingerprint(value: string | undefined): string {
  const text = (value ?? '').replaceAll('\r\n', '\n').trim();
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
