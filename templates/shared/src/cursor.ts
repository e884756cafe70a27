/**
 * Cursors for lists by last change. A cursor says where a page ended, by the item's last change and then by its id, because
 * several items may have changed at the same moment. The service only hands it back.
 */
import { z } from 'zod';

/** An item's place in the list. */
interface Place {
  id: string;
  /** An ISO 8601 time. */
  updatedAt: string;
}

const place = z.tuple([z.iso.datetime({ offset: true }), z.string().min(1)]);

/** Reads a cursor of the query. */
export const cursor = z
  .string()
  .max(2000)
  .transform((text, context): Place => {
    try {
      const [updatedAt, id] = place.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
      return { updatedAt, id };
    } catch {
      context.addIssue({ code: 'custom', message: 'is not a cursor of this connector' });
      return z.NEVER;
    }
  });

/** The cursor of the page that ends with this item. */
export function toCursor({ updatedAt, id }: Place): string {
  return Buffer.from(JSON.stringify([updatedAt, id])).toString('base64url');
}

/** Whether an item comes after a cursor; the product's list must have the same order: by last change, then by id. */
export function isAfter(item: Place, cursor: Place | undefined): boolean {
  if (cursor === undefined) return true;
  const later = Date.parse(item.updatedAt) - Date.parse(cursor.updatedAt);
  return later > 0 || (later === 0 && isLaterId(item.id, cursor.id));
}

/** Numbers by value, all other ids character by character. */
function isLaterId(id: string, other: string): boolean {
  const areNumbers = /^\d+$/.test(id) && /^\d+$/.test(other);
  return areNumbers ? BigInt(id) > BigInt(other) : id > other;
}
