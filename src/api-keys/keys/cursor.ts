import { parseJson } from '../../internal/index.js';
import { validationError } from '../api-key-error.js';

/** Where a page ended: its order, and the sort value and id of its last row. */
export interface Position {
  readonly order: string;
  readonly value: string | number;
  readonly id: string;
}

export function formatCursor({ order, value, id }: Position): string {
  return Buffer.from(JSON.stringify([order, value, id])).toString('base64url');
}

/** @throws ApiKeyError `validation` when the cursor is malformed or belongs to another order */
export function readCursor(cursor: unknown, order: string, valueType: 'string' | 'number'): Position | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  const parsed = typeof cursor === 'string' ? parseJson(Buffer.from(cursor, 'base64url').toString()) : undefined;
  if (Array.isArray(parsed) && parsed.length === 3) {
    const [ofOrder, value, id] = parsed as unknown[];
    if (
      ofOrder === order &&
      typeof id === 'string' &&
      typeof value === valueType &&
      isStorable(value) &&
      isStorable(id)
    ) {
      return { order, value: value as string | number, id };
    }
  }
  throw validationError([{ field: 'cursor', message: 'The cursor does not belong to this list.' }]);
}

// PostgreSQL accepts neither NUL in text nor fractions and infinities as a bigint.
function isStorable(value: unknown): boolean {
  return typeof value === 'string' ? !value.includes('\0') : Number.isSafeInteger(value);
}
